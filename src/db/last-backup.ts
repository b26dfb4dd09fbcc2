import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';

const lastBackupFileName = 'last-backup';

/** Stores in the data folder when the last backup began (RFC 3339), for the staff pages. */
export async function writeLastBackup(dataDir: string, begunAt: string): Promise<void> {
  await writeFile(join(dataDir, lastBackupFileName), `${begunAt}\n`);
}

/** When the last backup began (epoch milliseconds); undefined if `backup create` has not stored it in this data folder. */
export async function readLastBackup(dataDir: string): Promise<number | undefined> {
  const text = await undefinedIfMissing(readFile(join(dataDir, lastBackupFileName), 'utf8'));
  const at = Date.parse(text?.trim() ?? '');
  return Number.isNaN(at) ? undefined : at;
}
