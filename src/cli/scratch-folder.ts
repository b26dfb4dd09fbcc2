import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDatabase } from '../db/sqlite/database-lock.ts';

const prefix = 'citizen-services-trial-';
/** Whoever has this locked in a trial's folder runs the trial. */
const lockName = 'trial';

/** A folder for one trial, gone with the trial: what lies in it is a copy of the register. */
export type ScratchFolder = AsyncDisposable & { readonly path: string };

/** Makes the folder of a trial in that place, and clears away those whose trial was killed. */
export async function openScratchFolder(parentFolder: string): Promise<ScratchFolder> {
  for (const name of await readdir(parentFolder).catch(() => [])) {
    const path = join(parentFolder, name);
    // One that cannot be cleared away hinders no trial.
    if (name.startsWith(prefix) && (await isAbandoned(path))) await remove(path).catch(() => undefined);
  }
  const path = await mkdtemp(join(parentFolder, prefix));
  const lock = lockDatabase(join(path, lockName));
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      lock.close();
      await remove(path);
    },
  };
}

/** Whether a trial of this user began there, and nobody runs it any more: the system ends a lock with its process. */
async function isAbandoned(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) return false;
  if (!existsSync(join(path, `${lockName}-lock`))) return false;
  try {
    lockDatabase(join(path, lockName)).close();
    return true;
  } catch {
    // Another process runs it.
    return false;
  }
}

/** Once more where a trial that was stopped makes files in it still. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
