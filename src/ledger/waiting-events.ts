import type { Read } from '../db/database.ts';
import { textField, textOrNull } from '../db/row-fields.ts';
import { readRowPages } from '../db/row-pages.ts';

/** An event that has no number in the log yet. */
type WaitingEvent = { readonly id: string; readonly citizenId: string | null };

/**
 * The events of a chain that wait for a number. No index has the chain, because each event would pay for it: the events of all
 * chains are read in pages. They are few while a sequencer runs. A reader of both tables reads these before ledger_entry,
 * because the sequencer moves events there.
 */
export async function findWaitingEvents(read: Read, chain: Uint8Array): Promise<WaitingEvent[]> {
  const found: WaitingEvent[] = [];
  const sql = 'select id, citizen_id, citizen_tag from ledger_event where id > $1 order by id limit $2';
  for await (const rows of readRowPages(read, sql, { key: 'id' })) {
    for (const row of rows) {
      const tag = row['citizen_tag'];
      if (!(tag instanceof Uint8Array) || Buffer.compare(tag, chain) !== 0) continue;
      found.push({ id: textField(row, 'id'), citizenId: textOrNull(row, 'citizen_id') });
    }
  }
  return found;
}
