import type { Read, Statement } from './database.ts';
import { integerField } from './row-fields.ts';

/** Stores when a complete backup began (epoch milliseconds). A later one that is stored already stays. */
export function storeBackupRecord(begunAt: number): Statement {
  return {
    sql: `insert into backup_record (name, begun_at) values ('newest', $1)
      on conflict (name) do update set begun_at = excluded.begun_at where excluded.begun_at > backup_record.begun_at`,
    args: [begunAt],
  };
}

/** When the newest recorded backup began (epoch milliseconds); undefined if none is recorded. */
export async function findLastBackup(read: Read): Promise<number | undefined> {
  const [row] = await read("select begun_at from backup_record where name = 'newest'", []);
  return row && integerField(row, 'begun_at');
}
