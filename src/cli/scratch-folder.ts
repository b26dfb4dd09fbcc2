import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDatabase } from '../db/sqlite/database-lock.ts';

const prefix = 'citizen-services-trial-';
/** A process that runs a trial holds the lock of this file in the folder of the trial. */
const lockName = 'trial';

/** A folder for one trial, which contains a copy of the register. Disposing it removes the folder. */
type ScratchFolder = AsyncDisposable & { readonly path: string };

/** Creates the folder of a trial within the given folder, and removes the folders of killed trials. */
export async function openScratchFolder(parentFolder: string): Promise<ScratchFolder> {
  for (const name of await readdir(parentFolder).catch(() => [])) {
    const path = join(parentFolder, name);
    // A folder that cannot be removed does not prevent this trial.
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

/** Whether a trial of this user created the folder and has ended: the system releases the lock with the process. */
async function isAbandoned(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) return false;
  if (!existsSync(join(path, `${lockName}-lock`))) return false;
  try {
    lockDatabase(join(path, lockName)).close();
    return true;
  } catch {
    // Another process runs this trial.
    return false;
  }
}

/** Retries: a stopped trial can still create files while the folder is removed. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
