import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Brings to disk which files a folder holds, as behind a renaming: a file's own sync says nothing of its name. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

/**
 * Makes a folder for its owner alone, with its parents, each synced into the one above, so that a power cut does not lose the
 * branch. One after the other: node's own `recursive` tries without end where a folder takes none, as /proc does.
 */
export async function createSyncedFolder(path: string): Promise<void> {
  const isFolder = async () => (await statOrUndefined(path))?.isDirectory() === true;
  if (await isFolder()) return;
  const parent = dirname(path);
  if (parent !== path && (await statOrUndefined(parent)) === undefined) await createSyncedFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (fault) {
    // Another process may have made it meanwhile.
    if (!(await isFolder())) throw fault;
  }
  await syncFolder(parent);
}

/** Why it cannot be looked at, the making of it says. */
const statOrUndefined = (path: string) => stat(path).catch(() => undefined);
