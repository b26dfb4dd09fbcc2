import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openFolderOfSetting, type Settings } from '../config/settings.ts';
import type { RootKey } from '../crypto/root-key.ts';
import { createRootKey, RootKeyError } from '../crypto/root-key-file.ts';
import { databaseFile, openDatabase } from '../db/open-database.ts';
import { createSyncedFolder } from '../db/sync-folder.ts';
import { systemClock, systemRandom } from '../kernel/system-clock.ts';

/** The name of the root key file in `DATA_DIR`. */
export const rootKeyFileName = 'root.key';

/** The path of the root key file: the setting, or a file in the data folder. */
export function rootKeyPath(settings: Settings): string {
  return settings.rootKeyFile ?? join(settings.dataDir, rootKeyFileName);
}

/**
 * Creates the root key of a new installation. Throws if the database has keys that another root key wraps: a new root key
 * opens none of them, and its file would be in the place of the lost one.
 */
export async function createFirstRootKey({ dataDir, databaseUrl }: Settings, path: string): Promise<RootKey> {
  await openFolderOfSetting('DATA_DIR', () => createSyncedFolder(dataDir));
  // At the first start there is no database, and it is not created here.
  if (!existsSync(path) && (databaseUrl !== undefined || existsSync(join(dataDir, databaseFile)))) {
    const databaseOptions = { databaseUrl: databaseUrl?.reveal(), dataDir, clock: systemClock, random: systemRandom };
    const db = await openDatabase(databaseOptions);
    try {
      const [row] = await db.read(
        'select root_key_id from signing_key union all select root_key_id from citizen_key limit 1',
      );
      if (row !== undefined) {
        throw new RootKeyError(
          `Expected root key ${row['root_key_id']} of this database at ${path}, but the file does not exist. Restore it from your copy: a new root key cannot decrypt the database.`,
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
    // Another process has created one meanwhile.
    if (fault.code === 'EEXIST' && !('syscall' in fault && fault.syscall === 'mkdir')) throw fault;
    throw new RootKeyError(
      `Cannot create the root key file ${path} (${fault.message}). Give the user of this process write access to its folder.`,
    );
  }
}
