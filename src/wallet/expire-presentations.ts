import type { Database, Read } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import type { WalletPorts } from './ports.ts';
import { commitUnlessChanged, endWithoutResult } from './presentation-effects.ts';
import { openStatuses, sessionLimits } from './protocol/presentation.ts';
import { deletePresentation, findDeletable, findOverdue } from './protocol/presentation-store.ts';

type ExpireDeps = Pick<WalletPorts, 'feedEvent'> & {
  readonly read: Read;
  readonly write: Database['write'];
  readonly commit: Commit;
  readonly clock: Clock;
  readonly createId: IdGenerator;
};

const expireBatchRows = 500;
/** Other writes wait for each deletion, so this number of rows is deleted at once. */
const deleteBatchRows = 500;

/** Ends the open presentations whose time is over: deletes their terms, and records the end. */
export async function expirePresentations({ read, commit, clock, createId, ...ports }: ExpireDeps): Promise<void> {
  const ending = { from: openStatuses, to: 'expired' } as const;
  for (;;) {
    const by = { now: clock.now(), createId, actor: { process: 'retention' } } as const;
    const overdue = await findOverdue(read, by.now, expireBatchRows);
    for (const presentation of overdue)
      await commitUnlessChanged(commit, endWithoutResult(ports, presentation, ending, by));
    if (overdue.length < expireBatchRows) return;
  }
}

/** Deletes the rows of presentations that ended long ago. */
export async function deleteOldPresentations({
  read,
  write,
  clock,
}: Pick<ExpireDeps, 'read' | 'write' | 'clock'>): Promise<void> {
  const endedBefore = clock.now() - sessionLimits.keptMs;
  for (;;) {
    const ids = await findDeletable(read, endedBefore, deleteBatchRows);
    await Promise.all(ids.map((id) => write(deletePresentation(id))));
    if (ids.length < deleteBatchRows) return;
  }
}
