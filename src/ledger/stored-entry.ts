import type { Row } from '../db/database.ts';
import { bytesField, idField, integerField, textField, textOrNull } from '../db/row-fields.ts';
import type { EventId } from '../kernel/id.ts';

/** A stored entry with its number in the chain of its owner. */
export type StoredEntry = {
  readonly index: number;
  readonly eventId: EventId;
  readonly at: number;
  readonly type: string;
  readonly clientId: string | null;
  readonly number: number;
  readonly entry: Uint8Array;
  /** Null for system entries, and for erased citizens. */
  readonly citizenId: string | null;
};

/**
 * The citizen ids of an erased citizen's entries are cleared in pages after the erasure (erase-citizen.ts). Until then this
 * expression hides them. It counts, because PostgreSQL may join `exists` with all erasures.
 */
const citizenIdColumn = `case when 0 < (select count(*) from citizen_erasure e
  where e.chain = ledger_entry.chain and e.named_up_to >= ledger_entry.number) then null else citizen_id end as citizen_id`;
/** The columns that `entryFromRow` reads. */
export const storedEntryColumns = `leaf_index, event_id, at, type, client_id, number, entry, ${citizenIdColumn}`;

/** The entry of a row with `storedEntryColumns`. */
export function entryFromRow(row: Row): StoredEntry {
  return {
    index: integerField(row, 'leaf_index'),
    eventId: idField(row, 'event_id', 'event'),
    at: integerField(row, 'at'),
    type: textField(row, 'type'),
    clientId: textOrNull(row, 'client_id'),
    number: integerField(row, 'number'),
    entry: bytesField(row, 'entry'),
    citizenId: textOrNull(row, 'citizen_id'),
  };
}
