import { type Read, type Statement, WriteRefused } from '../db/database.ts';
import { splitByRowCounts, textByRowCount } from '../db/multi-row-statement.ts';
import { bytesField, integerField, textField } from '../db/row-fields.ts';
import type { Clock } from '../kernel/clock.ts';
import type { EventId, IdGenerator } from '../kernel/id.ts';
import type { CitizenKeys } from './citizen-keys.ts';
import type { Commit } from './commit.ts';
import type { Actor } from './ledger-event.ts';

export type ErasureDeps = {
  readonly read: Read;
  readonly commit: Commit;
  /** Stores one statement without an event: what follows from the erasure, a page at a time. */
  readonly claim: (statement: Statement) => Promise<unknown>;
  readonly citizenKeys: CitizenKeys;
  readonly clock: Clock;
  readonly mint: IdGenerator;
  readonly actor: Actor;
  /**
   * What else the erasure means for what is kept about the citizen, in the same unit and behind the end of the key, which
   * waits for what is being stored under it. One of these statements may refuse the unit: then nothing is erased, and
   * `CitizenHeld` is thrown.
   */
  readonly besides?: (citizenId: string, now: number, proof: EventId) => readonly Statement[];
};

/** Something that has to be kept stands against the erasure: a legal hold. */
export class CitizenUnderLegalHold extends Error {
  constructor() {
    super('a legal hold stands against the erasure of this citizen; see: citizen-services documents holds');
    this.name = 'CitizenHeld';
  }
}

/**
 * Destroys a citizen's key, in the unit of the event that says so: what was sealed under it (ledger entries, messages,
 * documents) can be opened by nobody any more, and every proof stays valid. Then the entries lose the name, a page at a time, which
 * a view of the log has for none of them from the unit on: of a crash in between `forgetNames` leaves nothing. False where the citizen has no key. Copies of the database from before,
 * and keys of entries that were handed out, are not reached by it.
 */
export async function eraseCitizen(deps: ErasureDeps, citizenId: string): Promise<boolean> {
  const isErased = await destroyKey(deps, citizenId);
  await clearErasedCitizenIds(deps);
  return isErased;
}

async function destroyKey(deps: ErasureDeps, citizenId: string): Promise<boolean> {
  const { read, commit, citizenKeys, clock, mint, actor } = deps;
  const chain = citizenKeys.pseudonymOf(citizenId);
  const [end] = await read('select max(number) as number from ledger_entry where chain = $1', [chain]);
  const event = {
    type: 'citizen.erased',
    id: mint('event'),
    at: clock.now(),
    actor,
    chain: Buffer.from(chain).toString('hex'),
    entries: Number(end?.['number'] ?? 0),
  } as const;
  const waiting = await waitingEventIds(read, chain);
  const removeCitizenId = [
    // What a sequencer is storing is waited for, and what it stores next sees this: no event is in between.
    { sql: "update ledger_head set fence = fence where log = 'main'" },
    // Of a person still, who has no name any more.
    ...splitByRowCounts(waiting).map((ids) => ({
      sql: renameEventsSql(ids.length),
      args: [`nobody:${event.chain}`, ...ids],
    })),
  ];
  const extraStatements = deps.besides?.(citizenId, event.at, event.id) ?? [];
  try {
    // Ids rise with time, by the clock of each process.
    const upTo = [event.id, ...waiting].sort().at(-1) ?? event.id;
    const record = upsertErasure(chain, event, upTo);
    const statements = [citizenKeys.destructionStatement(citizenId), ...extraStatements, ...removeCitizenId, record];
    await commit({ events: [event], statements });
  } catch (fault) {
    if (!(fault instanceof WriteRefused) || fault.kind !== 'rows') throw fault;
    if (fault.statement > 0) throw new CitizenUnderLegalHold();
    return false;
  } finally {
    citizenKeys.evict(citizenId);
  }
  return true;
}

/** So many entries lose their name in one write, which others wait for. */
const entriesPerWrite = 1_000;

/** Takes the names of those who were erased from their entries, as far as that was not done: also after a crash. */
export async function clearErasedCitizenIds({ read, claim }: Pick<ErasureDeps, 'read' | 'claim'>): Promise<void> {
  for (;;) {
    const [row] = await read(
      'select chain, named_up_to from citizen_erasure where named_up_to > 0 order by named_up_to limit 1',
    );
    if (row === undefined) return;
    const [chain, last] = [bytesField(row, 'chain'), integerField(row, 'named_up_to')];
    for (let end = last; end > 0; end -= entriesPerWrite) {
      await claim({
        sql: 'update ledger_entry set citizen_id = null where chain = $1 and number > $2 and number <= $3 and citizen_id is not null',
        args: [chain, end - entriesPerWrite, end],
      });
    }
    // Erased anew meanwhile, the person has later entries: then it is not done.
    await claim({
      sql: 'update citizen_erasure set named_up_to = null where chain = $1 and named_up_to = $2',
      args: [chain, last],
      erase: true,
    });
  }
}

const maxWaitingEvents = 10_000;
const renameEventsSql = textByRowCount((count) => {
  const places = Array.from({ length: count }, (_, at) => `$${at + 2}`);
  return `update ledger_event set citizen_id = $1 where id in (${places.join(', ')})`;
});

/** The events about that person that wait for their number; where more wait than are looked at, nobody numbers them. */
async function waitingEventIds(read: Read, chain: Uint8Array): Promise<string[]> {
  const rows = await read('select id, citizen_tag from ledger_event order by id limit $1', [maxWaitingEvents]);
  return rows.flatMap(({ id, citizen_tag: tag }) => {
    return tag instanceof Uint8Array && Buffer.compare(tag, chain) === 0 ? [String(id)] : [];
  });
}

/** The last erasure of a person, with its event in the ledger. */
export type Erasure = { readonly at: number; readonly event: string };

/**
 * Up to the newest event that waits, or `upTo` where that is newer, no entry may name the person, in whosever hands it is; and
 * those up to the last number that there is still do. Stands behind the wait for what is being stored, which it sees.
 */
function upsertErasure(
  chain: Uint8Array,
  event: { readonly id: EventId; readonly at: number },
  upTo: string,
): Statement {
  return {
    sql: `insert into citizen_erasure (chain, event_id, at, up_to, named_up_to)
      values ($1, $2, $3, coalesce((select max(id) from ledger_event where id > $4), $4),
        (select max(number) from ledger_entry where chain = $1))
      on conflict (chain) do update set event_id = excluded.event_id, at = excluded.at, up_to = excluded.up_to,
        named_up_to = excluded.named_up_to`,
    args: [chain, event.id, event.at, upTo],
  };
}

/** The last erasure of the person with that pseudonym: tells content that was erased from content that was changed. */
export async function findErasure(read: Read, chain: Uint8Array): Promise<Erasure | undefined> {
  const [row] = await read('select event_id, at from citizen_erasure where chain = $1', [chain]);
  return row === undefined ? undefined : { at: integerField(row, 'at'), event: textField(row, 'event_id') };
}
