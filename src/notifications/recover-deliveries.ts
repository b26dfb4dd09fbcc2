import type { Claim } from '../jobs/claim.ts';
import type { Read, Row, Statement } from '../store/db.ts';
import type { Channel, Outcome } from './channels/channel.ts';
import { type Job, jobOf } from './delivery-store.ts';
import type { ChannelName } from './notification.ts';
import { wholeOrNull } from './row-fields.ts';
import { type SettleParts, settle } from './settle-delivery.ts';

const recoveredAtOnce = 200;

/**
 * Looks after the deliveries whose worker lost its lease: those whose provider had not been called go back into the
 * queue, the others become `unknown`. Gives how many went back. Two processes may do so at once: each step is fenced.
 */
export async function recoverDeliveries(parts: RecoverParts): Promise<number> {
  let back = 0;
  for (const { job, startedAt } of await findLost(parts.read, parts.clock.now())) {
    if (startedAt === null) back += (await parts.claim(putBackLost(job))).length;
    else await settle(parts, job, { by: 'provider', startedAt, outcome: await askProvider(parts, job) });
  }
  return back;
}

export type RecoverParts = SettleParts & {
  readonly claim: Claim;
  readonly channels: Readonly<Record<ChannelName, Channel>>;
  onFault(fault: unknown): void;
};

/** Where the provider can be asked it is: only what it does not know either is `unknown`. */
async function askProvider({ channels, onFault }: RecoverParts, job: Job): Promise<Outcome> {
  try {
    const attempt = { delivery: job.id, attempt: job.attempts };
    return (await channels[job.channel].ask?.(attempt)) ?? { outcome: 'unknown' };
  } catch (fault) {
    onFault(fault);
    return { outcome: 'unknown' };
  }
}

type Lost = { readonly job: Job; readonly startedAt: number | null };

/** In the order of the index of what is taken: by any other SQLite looks at every delivery there is, each second. */
async function findLost(read: Read, now: number): Promise<Lost[]> {
  const rows = await read(
    `select d.id, d.notification_id, d.channel, d.attempts, d.locked_by, d.started_at, d.reminder
      from delivery d
      where d.status = 'sending'
        and not exists (select 1 from lease l where l.name = d.locked_by and l.held_until > $1)
      order by d.locked_by limit $2`,
    [now, recoveredAtOnce],
  );
  return rows.map((row: Row) => ({ job: jobOf(row), startedAt: wholeOrNull(row, 'started_at') }));
}

/** Keeps its place in the queue. The condition on started_at is checked under the row's lock: see `markStarted`. */
function putBackLost(job: Job): Statement {
  return {
    sql: `update delivery set status = 'queued', locked_by = null
      where id = $1 and attempts = $2 and locked_by = $3 and status = 'sending' and started_at is null returning id`,
    args: [job.id, job.attempts, job.lockedBy],
  };
}
