import { batchInsert } from '../db/batch-statements.ts';
import type { Database, Row, Statement } from '../db/database.ts';
import { rejectIfRetired } from '../db/root-key-store.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import type { CitizenKeys } from './citizen-keys.ts';
import { encodeEventContent, sealEventContent } from './event-content.ts';
import { isCitizenEvent, type LedgerEvent } from './ledger-event.ts';

/**
 * What an operation changes, with the ledger events of it. An effect without an event does not compile: that is what
 * keeps "no effect without its event" (test/compile-errors.ts).
 */
export type Effect = {
  readonly events: readonly [LedgerEvent, ...LedgerEvent[]];
  readonly statements: readonly Statement[];
};

/**
 * Writes an effect and its events as one unit; resolves, with the rows of the effect's statements, when both are synced.
 * Rejects like `Db.write`, and with `RootKeyRetired`; the index of a refused statement counts the effect's statements from 0.
 */
export type Commit = (effect: Effect) => Promise<Row[][]>;

/**
 * A statement that stores nothing, and is refused where no event could be stored: for want of a right, on a standby, or in a
 * database that takes no writes.
 */
export const checkEventsWritable: Statement = {
  sql: "insert into ledger_event (id, at, type, content) select id, at, type, content from ledger_event where id = ''",
};

const insertEvent = batchInsert('ledger_event', 'id, at, type, client_id, citizen_id, citizen_tag, content');

/**
 * The commit of this database. The content of an event about a citizen is sealed under that citizen's key; that of the
 * house's own is clear until the sequencer seals it. One insert an event: numbers come later (sequencer.ts).
 */
export function createCommit(
  db: Pick<Database, 'write'>,
  citizenKeys: Pick<CitizenKeys, 'keyOf' | 'pseudonymOf'>,
  random: RandomBytes,
): Commit {
  async function statementOf(event: LedgerEvent): Promise<Statement> {
    const clear = encodeEventContent(event);
    const citizenId = isCitizenEvent(event) ? event.citizenId : null;
    const content =
      citizenId === null ? clear : sealEventContent(await citizenKeys.keyOf(citizenId), event.id, clear, random);
    const clientId = 'client' in event.actor && event.receipt !== false ? event.actor.client : null;
    const tag = citizenId === null ? null : citizenKeys.pseudonymOf(citizenId);
    return insertEvent([event.id, event.at, event.type, clientId, citizenId, tag, content]);
  }

  return async (effect) => {
    const unit = [...effect.statements];
    for (const event of effect.events) unit.push(await statementOf(event));
    const rows = await rejectIfRetired(unit, db.write(unit));
    return rows.slice(0, effect.statements.length);
  };
}
