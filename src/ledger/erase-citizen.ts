import type { Clock } from '../kernel/clock.ts';
import type { EventId, Mint } from '../kernel/id.ts';
import { type Read, type Statement, WriteRefused } from '../store/db.ts';
import type { CitizenKeys } from './citizen-keys.ts';
import type { Commit } from './commit.ts';
import type { Actor } from './event.ts';

/** What goes with a citizen's key, for the unit that destroys it; `done` is called when that is durable. */
export type Along = { readonly statements: readonly Statement[]; done(): Promise<void> };

/** Something keeps the citizen from being erased: nothing was changed. */
export class CitizenHeld extends Error {
  constructor() {
    super('A legal hold stands about this citizen, and nothing was erased; see: documents holds');
    this.name = 'CitizenHeld';
  }
}

export type ErasureParts = {
  readonly read: Read;
  readonly commit: Commit;
  readonly citizenKeys: CitizenKeys;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly actor: Actor;
  /** What is erased along with the key. Its statements refuse the unit (`rows`) where the citizen is held. */
  readonly along?: (citizenId: string, now: number, proof: EventId) => Promise<Along>;
};

/**
 * Destroys a citizen's key, in the unit of the event that says so: what was sealed under it (ledger entries, messages,
 * documents) can be opened by nobody any more, and every proof stays valid. False where the citizen has no key; throws
 * `CitizenHeld`. Copies of the database from before, and keys of entries that were handed out, are not reached by it.
 */
export async function eraseCitizen(parts: ErasureParts, citizenId: string): Promise<boolean> {
  const { read, commit, citizenKeys, clock, mint, actor } = parts;
  const chain = citizenKeys.pseudonymOf(citizenId);
  const proof = mint('event');
  const now = clock.now();
  const along = await parts.along?.(citizenId, now, proof);
  const first = along?.statements ?? [];
  const [end] = await read('select number from ledger_chain where chain = $1', [chain]);
  const event = {
    type: 'citizen.erased',
    id: proof,
    at: now,
    actor,
    chain: Buffer.from(chain).toString('hex'),
    entries: Number(end?.['number'] ?? 0),
  } as const;
  const forgetName = { sql: 'update ledger_chain set citizen_id = null where chain = $1', args: [chain] };
  try {
    await commit({ events: [event], statements: [...first, citizenKeys.destruction(citizenId), forgetName] });
  } catch (fault) {
    if (!(fault instanceof WriteRefused) || fault.kind !== 'rows') throw fault;
    if (fault.statement < first.length) throw new CitizenHeld();
    return false;
  } finally {
    citizenKeys.forget(citizenId);
  }
  await along?.done();
  return true;
}
