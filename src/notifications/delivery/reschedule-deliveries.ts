import type { Read, Row, Statement } from '../../db/database.ts';
import { idField, integerField, integerOrNull } from '../../db/row-fields.ts';
import { maxRetryDelayMs, type RetryPolicy } from '../../jobs/back-off.ts';
import type { DeliveryId } from '../../kernel/id.ts';
import { findWaitingLanes, type QueueLane } from '../notification/delivery-store.ts';
import { type ChannelName, channelNames } from '../notification/notification.ts';

/** A delivery that waits. `since` is when its wait began to count; undefined where its sender stated when it begins. */
export type WaitingDelivery = {
  readonly id: DeliveryId;
  readonly runAt: number;
  readonly attempts: number;
  readonly since: number | undefined;
};

type RescheduleDeps = {
  readonly read: Read;
  readonly write: (unit: readonly Statement[]) => Promise<unknown>;
  readonly policy: RetryPolicy;
};

/** The clock is right at `now`, and was ahead by as much before. */
type ClockCorrection = { readonly now: number; readonly aheadMs: number };

const batchSize = 200;

/**
 * Brings back what was put off by a clock that was ahead, so that it does not wait until the clock comes there again. Once or
 * twice, by one process or several, is the same: a step that was brought back waits since a time that is past.
 */
export async function rescheduleDeliveries(deps: RescheduleDeps, correction: ClockCorrection): Promise<void> {
  for (const channel of channelNames) {
    for (const priority of [0, 1] as const) {
      for (const { name: lane } of await findWaitingLanes(deps.read, channel, priority)) {
        await rescheduleLane(deps, correction, { channel, priority, lane });
      }
    }
  }
}

type LaneKey = { readonly channel: ChannelName; readonly priority: 0 | 1; readonly lane: QueueLane['name'] };

async function rescheduleLane(
  { read, write, policy }: RescheduleDeps,
  correction: ClockCorrection,
  laneKey: LaneKey,
): Promise<void> {
  let after: Pick<WaitingDelivery, 'runAt'> & { readonly id: string } = { runAt: correction.now, id: '' };
  for (;;) {
    const waiting = await findWaitingDeliveries(read, laneKey, after);
    const statements = waiting.flatMap((wait) => {
      const now = rescheduledTimes(wait, correction, policy);
      return now === undefined ? [] : [updateRunAt(wait, now)];
    });
    // Each by itself, so that PostgreSQL is told of many in one statement: as one unit they cost it three times as much.
    await Promise.all(statements.map((statement) => write([statement])));
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < batchSize) return;
    after = last;
  }
}

/**
 * When it is due instead; undefined where its time stays. What was tried waits no longer than a pause takes: whether it is quiet
 * then is asked when it is due. A step that was not tried keeps its distance to the begin of its wait.
 */
export function rescheduledTimes(
  { runAt, attempts, since }: WaitingDelivery,
  { now, aheadMs }: ClockCorrection,
  policy: RetryPolicy,
): Pick<WaitingDelivery, 'runAt' | 'since'> | undefined {
  if (attempts > 0) {
    const latest = now + maxRetryDelayMs(policy, attempts);
    return runAt > latest ? { runAt: latest, since } : undefined;
  }
  if (since === undefined || since <= now) return undefined;
  const byMs = Math.max(aheadMs, since - now);
  return { runAt: runAt - byMs, since: since - byMs };
}

/** Those behind that place, by their time. */
async function findWaitingDeliveries(
  read: Read,
  { channel, priority, lane }: LaneKey,
  after: { readonly runAt: number; readonly id: string },
): Promise<WaitingDelivery[]> {
  const rows = await read(
    `select d.id, d.run_at, d.attempts, coalesce(d.waits_since,
        (select n.created_at from notification n where n.id = d.notification_id and n.send_at is null)) as since
      from delivery d
      where d.status = 'queued' and d.channel = $1 and d.priority = $2 and d.lane = $3 and (d.run_at, d.id) > ($4, $5)
      order by d.run_at, d.id limit ${batchSize}`,
    [channel, priority, lane, after.runAt, after.id],
  );
  return rows.map((row: Row) => ({
    id: idField(row, 'id', 'delivery'),
    runAt: integerField(row, 'run_at'),
    attempts: integerField(row, 'attempts'),
    since: integerOrNull(row, 'since') ?? undefined,
  }));
}

/** Nothing where it does not wait any more, or another process was first. Each value states its type: on PostgreSQL many go as one (`parseUpdate`). */
function updateRunAt(from: WaitingDelivery, to: Pick<WaitingDelivery, 'runAt' | 'since'>): Statement {
  return {
    sql: `update delivery set run_at = cast($1 as bigint), waits_since = cast($2 as bigint)
      where id = cast($3 as text) and coalesce(status, '') = 'queued' and attempts = cast($4 as bigint)
        and run_at = cast($5 as bigint) returning id`,
    args: [to.runAt, to.since ?? null, from.id, from.attempts, from.runAt],
  };
}
