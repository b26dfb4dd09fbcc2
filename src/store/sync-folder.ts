import { open } from 'node:fs/promises';

/** Brings to disk which files a folder holds, as behind a renaming: a file's own sync says nothing of its name. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}
