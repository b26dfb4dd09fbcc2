import type { Statement } from '../db/database.ts';
import type { EventId } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';

/** The parts that staff add to the unit of a slice: further events, and the entry of the staff log that names all events. */
export type AddedParts = {
  readonly events: readonly LedgerEvent[];
  readonly statementsFor: (events: readonly EventId[]) => readonly Statement[];
};

/**
 * The `commit` for a function of a slice that staff call: it stores the entry of the staff log in the same unit as the effect. So
 * neither exists without the other, and the slice knows nothing of staff.
 */
export function commitWithEntry(commit: Commit, { events: added, statementsFor }: AddedParts): Commit {
  return async (effect) => {
    const events = [...effect.events, ...added] as const;
    const [first, ...others] = events;
    if (first === undefined) return await commit(effect);
    const rows = await commit({
      ...effect,
      events: [first, ...others],
      statements: [...effect.statements, ...statementsFor(events.map(({ id }) => id))],
    });
    return rows.slice(0, effect.statements.length);
  };
}
