import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Brings to disk which files a folder holds, as behind a renaming: a file's own sync says nothing of its name. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

/** Makes a folder for its owner alone, with its parents, each synced into the one above, so that a power cut does not lose the branch. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let at = path; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at));
}
