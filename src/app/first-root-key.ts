import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openFolderOfSetting, type Settings } from '../config/settings.ts';
import type { RootKey } from '../crypto/root-key.ts';
import { createRootKey, RootKeyError } from '../crypto/root-key-file.ts';
import { databaseFile, openDatabase } from '../db/open-database.ts';
import { createSyncedFolder } from '../db/sync-folder.ts';
import { systemClock, systemRandom } from '../kernel/system-clock.ts';

/** The root key within `DATA_DIR`, where no setting names another place. */
export const rootKeyFileName = 'root.key';

/** Where the root key is: the setting, or the data folder. */
export function rootKeyPath(settings: Settings): string {
  return settings.rootKeyFile ?? join(settings.dataDir, rootKeyFileName);
}

/**
 * Makes the root key of a new installation. Refuses where the database holds what another root key has wrapped: a new one
 * would open nothing of it, and would lie where the copy of the lost one belongs.
 */
export async function createFirstRootKey({ dataDir, databaseUrl }: Settings, path: string): Promise<RootKey> {
  await openFolderOfSetting('DATA_DIR', () => createSyncedFolder(dataDir));
  // A first start has no file yet, and opens no database twice.
  if (!existsSync(path) && (databaseUrl !== undefined || existsSync(join(dataDir, databaseFile)))) {
    const databaseOptions = { databaseUrl: databaseUrl?.reveal(), dataDir, clock: systemClock, random: systemRandom };
    const db = await openDatabase(databaseOptions);
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
    await createSyncedFolder(dirname(path));
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
