import { type Read, type Statement, WriteRefused } from '../db/database.ts';
import { splitByRowCounts, textByRowCount } from '../db/multi-row-statement.ts';
import { bytesField, integerField, textField } from '../db/row-fields.ts';
import type { Clock } from '../kernel/clock.ts';
import type { EventId, IdGenerator } from '../kernel/id.ts';
import type { CitizenKeys } from './citizen-keys.ts';
import type { Commit } from './commit.ts';
import { erasedIdOf, pseudonymInErasedId } from './erased-id.ts';
import type { ErasedList } from './erased-list.ts';
import type { Actor } from './ledger-event.ts';
import { findWaitingEvents } from './waiting-events.ts';

/** The stores of an erasure, and who erases. */
export type ErasureDeps = {
  readonly read: Read;
  readonly commit: Commit;
  /** Writes one statement without an event: clears the citizen ids of entries after the erasure. */
  readonly claim: (statement: Statement) => Promise<unknown>;
  readonly citizenKeys: CitizenKeys;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  readonly actor: Actor;
  readonly erasedList: Pick<ErasedList, 'add'>;
  /**
   * Further statements of the same unit, after the destruction of the key, which waits for concurrent writes under that key.
   * If one of them refuses the unit (`rows`), nothing is erased and `CitizenUnderLegalHold` is thrown.
   */
  readonly extraStatements?: (erasure: CitizenErasure) => readonly Statement[];
};

/** One erasure, for the statements of the slices. */
export type CitizenErasure = {
  readonly citizenId: string;
  /** The pseudonym of the citizen in the ledger. */
  readonly chain: Uint8Array;
  /** Replaces the citizen id in rows that stay (erased-id.ts). */
  readonly erasedId: string;
  readonly now: number;
  /** The event `citizen.erased`. */
  readonly proof: EventId;
  /** Whether the row of the own register stays. */
  readonly keepsRegisterRow: boolean;
};

type EraseOptions = Partial<Pick<CitizenErasure, 'keepsRegisterRow'>>;

/** A legal hold prevents the erasure. */
export class CitizenUnderLegalHold extends Error {
  override readonly name = 'CitizenUnderLegalHold';

  constructor() {
    super('A legal hold prevents the erasure of this citizen. Run "citizen-services holds list".');
  }
}

/**
 * Destroys a citizen's keys in the unit of the event `citizen.erased`. Nobody can then open what was encrypted under them (ledger
 * entries, messages, documents), and every proof stays valid. The citizen ids of the entries are cleared afterwards in pages;
 * a log view hides them at once. After a crash `clearErasedCitizenIds` finishes that. False, without an effect, if nothing is
 * known about the id. A later erasure of the same id erases what was stored since.
 *
 * The erasure is on the list before the unit is written: after a crash in between, the next start finds it on the list only, and
 * erases the citizen (repeat-erasures.ts).
 */
export async function eraseCitizen(deps: ErasureDeps, citizenId: string, options: EraseOptions = {}): Promise<boolean> {
  const isKnown = await isKnownCitizen(deps, citizenId);
  if (isKnown) await destroyKeys(deps, citizenId, options);
  await clearErasedCitizenIds(deps);
  return isKnown;
}

/**
 * Whether the id has a key or ledger events; each use of a citizen's data leaves an event. An `erased:…` id is known: a database
 * that knows no other id of this citizen must still record the erasure.
 */
async function isKnownCitizen({ read, citizenKeys }: ErasureDeps, citizenId: string): Promise<boolean> {
  if (pseudonymInErasedId(citizenId) !== undefined) return true;
  const chain = citizenKeys.pseudonymOf(citizenId);
  if ((await findWaitingEvents(read, chain)).length > 0) return true;
  const rows = await read(
    `select 1 as known from citizen_key where citizen_id in ($1, $2)
      union all select 1 from ledger_entry where chain = $3 and number = 1 limit 1`,
    [citizenId, erasedIdOf(chain), chain],
  );
  return rows.length > 0;
}

async function destroyKeys(deps: ErasureDeps, citizenId: string, options: EraseOptions): Promise<void> {
  const { read, commit, citizenKeys, clock, createId, actor, erasedList } = deps;
  const chain = citizenKeys.pseudonymOf(citizenId);
  const [end] = await read('select max(number) as number from ledger_entry where chain = $1', [chain]);
  const event = {
    type: 'citizen.erased',
    id: createId('event'),
    at: clock.now(),
    actor,
    chain: Buffer.from(chain).toString('hex'),
    entries: Number(end?.['number'] ?? 0),
  } as const;
  const { keepsRegisterRow = false } = options;
  const erasure: CitizenErasure = {
    citizenId,
    chain,
    erasedId: erasedIdOf(chain),
    now: event.at,
    proof: event.id,
    keepsRegisterRow,
  };
  const waitingIds = (await findWaitingEvents(read, chain)).map(({ id }) => id);
  const clearCitizenId = [
    // Locks the head: a sequencer's unit is stored before this one, or sees this one. No event falls in between.
    { sql: "update ledger_head set fence = fence where log = 'main'" },
    // Waiting events stay citizen events, without the citizen's id.
    ...splitByRowCounts(waitingIds).map((ids) => ({
      sql: renameEventsSql(ids.length),
      args: [erasure.erasedId, ...ids],
    })),
  ];
  const extraStatements = deps.extraStatements?.(erasure) ?? [];
  await erasedList.add([{ chain: event.chain, event: event.id, keepsRegisterRow }]);
  try {
    // Ids rise with time, but by the clock of each process.
    const upTo = [event.id, ...waitingIds].sort().at(-1) ?? event.id;
    const record = upsertErasure(erasure, upTo);
    const statements = [...citizenKeys.destructionStatements(citizenId), ...extraStatements, ...clearCitizenId, record];
    await commit({ events: [event], statements });
  } catch (fault) {
    if (!(fault instanceof WriteRefused) || fault.kind !== 'rows') throw fault;
    throw new CitizenUnderLegalHold();
  } finally {
    citizenKeys.evict(citizenId);
  }
}

/** The entries of one write; other writes wait for it. */
const entriesPerWrite = 1_000;

/** Clears the citizen ids in the entries of erased citizens. Call it at the start too: a crash may have left some. */
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
    // If the citizen was erased again meanwhile, there are later entries: the loop continues.
    await claim({
      sql: 'update citizen_erasure set named_up_to = null where chain = $1 and named_up_to = $2',
      args: [chain, last],
      erase: true,
    });
  }
}

const renameEventsSql = textByRowCount((count) => {
  const parameters = Array.from({ length: count }, (_, at) => `$${at + 2}`);
  return `update ledger_event set citizen_id = $1 where id in (${parameters.join(', ')})`;
});

/** The last erasure of a citizen: its time (epoch ms) and its ledger event. */
export type Erasure = { readonly at: number; readonly event: string };

/**
 * Records an erasure. `up_to`: no entry of an event up to this id (the newest waiting one, or `upTo` if newer) may name the
 * citizen. `named_up_to`: the last number whose entry still does. The statement must follow the lock of the head, to see the
 * entries that were being stored.
 */
function upsertErasure({ chain, proof, now, keepsRegisterRow }: CitizenErasure, upTo: string): Statement {
  return {
    sql: `insert into citizen_erasure (chain, event_id, at, register_kept, up_to, named_up_to)
      values ($1, $2, $3, $4, coalesce((select max(id) from ledger_event where id > $5), $5),
        (select max(number) from ledger_entry where chain = $1))
      on conflict (chain) do update set event_id = excluded.event_id, at = excluded.at,
        register_kept = excluded.register_kept, up_to = excluded.up_to, named_up_to = excluded.named_up_to`,
    args: [chain, proof, now, keepsRegisterRow, upTo],
  };
}

/** The last erasure of a chain: distinguishes erased content from changed content. */
export async function findErasure(read: Read, chain: Uint8Array): Promise<Erasure | undefined> {
  const [row] = await read('select event_id, at from citizen_erasure where chain = $1', [chain]);
  return row === undefined ? undefined : { at: integerField(row, 'at'), event: textField(row, 'event_id') };
}
