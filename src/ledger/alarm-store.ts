import type { Read, Statement } from '../db/database.ts';
import { textField } from '../db/row-fields.ts';

/** The alarms that only a process with the role sequencer can raise. */
export type StoredAlarm = 'ledger-alarm' | 'ledger-witnesses';

/** Stores an alarm for other processes, until `deleteAlarm`. */
export function storeAlarm(kind: StoredAlarm): Statement {
  return { sql: 'insert into ledger_alarm (kind) values ($1) on conflict (kind) do nothing', args: [kind] };
}

/** Ends an alarm. */
export function deleteAlarm(kind: StoredAlarm): Statement {
  return { sql: 'delete from ledger_alarm where kind = $1', args: [kind] };
}

/** The stored alarms. */
export async function findAlarms(read: Read): Promise<readonly string[]> {
  return (await read('select kind from ledger_alarm order by kind')).map((row) => textField(row, 'kind'));
}
