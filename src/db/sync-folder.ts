import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Syncs the entries of a folder to disk, for example after a rename: the sync of a file does not include its name. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

/**
 * Creates a folder that only its owner can access, with its parents. Each is synced into its parent, so that a power cut does
 * not lose it. The option `recursive` of `mkdir` is not used: it never ends in a folder that rejects new entries, such as /proc.
 */
export async function createSyncedFolder(path: string): Promise<void> {
  const isFolder = async () => (await statOrUndefined(path))?.isDirectory() === true;
  if (await isFolder()) return;
  const parent = dirname(path);
  if (parent !== path && (await statOrUndefined(parent)) === undefined) await createSyncedFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (fault) {
    // Another process may have created it in the meantime.
    if (!(await isFolder())) throw fault;
  }
  await syncFolder(parent);
}

/** An error is ignored here: `mkdir` reports it. */
const statOrUndefined = (path: string) => stat(path).catch(() => undefined);
