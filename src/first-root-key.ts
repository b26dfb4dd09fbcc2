import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inFolderOf, type Settings } from './config/settings.ts';
import { systemClock, systemRandom } from './kernel/system-clock.ts';
import type { RootKey } from './keys/root-key.ts';
import { createRootKey, RootKeyError } from './keys/root-key-file.ts';
import { databaseFile, openDatabase } from './store/open.ts';
import { makeFolder } from './store/sync-folder.ts';

/** The root key within `DATA_DIR`, where no setting names another place. */
export const rootKeyFile = 'root.key';

/** Where the root key is: the setting, or the data folder. */
export function rootKeyPath(settings: Settings): string {
  return settings.rootKeyFile ?? join(settings.dataDir, rootKeyFile);
}

/**
 * Makes the root key of a new installation. Refuses where the database holds what another root key has wrapped: a new one
 * would open nothing of it, and would lie where the copy of the lost one belongs.
 */
export async function createFirstRootKey({ dataDir, databaseUrl }: Settings, path: string): Promise<RootKey> {
  await inFolderOf('DATA_DIR', () => makeFolder(dataDir));
  // A first start has no file yet, and opens no database twice.
  if (!existsSync(path) && (databaseUrl !== undefined || existsSync(join(dataDir, databaseFile)))) {
    const place = { databaseUrl: databaseUrl?.reveal(), dataDir, clock: systemClock, random: systemRandom };
    const db = await openDatabase(place);
    try {
      const [row] = await db.read(
        'select root_key_id from signing_key union all select root_key_id from citizen_key limit 1',
      );
      if (row !== undefined) {
        throw new RootKeyError(
          `no root key at ${path}, and the database is sealed under root key ${row['root_key_id']}. Restore it from your copy; a new one opens nothing of it`,
        );
      }
    } finally {
      await db.close();
    }
  }
  try {
    await makeFolder(dirname(path));
    return createRootKey(path, systemRandom);
  } catch (fault) {
    if (!(fault instanceof Error && 'code' in fault)) throw fault;
    // Another process has made one meanwhile.
    if (fault.code === 'EEXIST' && !('syscall' in fault && fault.syscall === 'mkdir')) throw fault;
    throw new RootKeyError(
      `no root key can be made at ${path} (${fault.message}): its folder has to be one that the user of this process may write in`,
    );
  }
}
