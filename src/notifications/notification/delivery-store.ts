import { batchInsert, lookupByKey } from '../../db/batch-statements.ts';
import type { Batch, Read, Row, Statement } from '../../db/database.ts';
import { enumField, idField, integerField, integerOrNull, textField, textOrNull } from '../../db/row-fields.ts';
import type { DeliveryId, NotificationId } from '../../kernel/id.ts';
import {
  type ChannelName,
  channelNames,
  type Delivery,
  type DeliveryState,
  deliveryStatuses,
  type EarlyReport,
} from './notification.ts';
import type { DeliveryPriority } from './notification-store.ts';
import { parseReasonCode, type ReasonCode } from './reason.ts';

/** A delivery that a worker has claimed. `attempts` and `lockedBy` are its fencing token: a later claim has other values. */
export type DeliveryJob = {
  readonly id: DeliveryId;
  readonly notificationId: NotificationId;
  readonly channel: ChannelName;
  readonly attempts: number;
  readonly lockedBy: string;
  readonly reminder: boolean;
};

/** One ended call of a provider (times in epoch ms). */
export type Attempt = {
  readonly delivery: DeliveryId;
  readonly number: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: AttemptOutcome;
  readonly reason?: ReasonCode;
};

const attemptOutcomes = ['sent', 'delivered', 'retry', 'failed', 'unknown'] as const;
/** The outcome of an attempt; `retry` is a failure that another attempt follows. */
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** A part of a channel's queue: the messages of one client, category and priority. `runAt` is when the first is due. */
export type QueueLane = { readonly name: string; readonly runAt: number };

/**
 * The lanes of a channel with waiting deliveries, sorted by name; none while staff pause the channel. The query jumps from lane to lane
 * in the index, so its cost does not depend on the length of a lane.
 */
export async function findWaitingLanes(
  read: Read,
  channel: ChannelName,
  priority: DeliveryPriority,
): Promise<QueueLane[]> {
  const rows = await read(
    `with recursive waiting (lane) as (
        select min(d.lane) from delivery d where d.status = 'queued' and d.channel = $1 and d.priority = $2
        union all
        select (select min(d.lane) from delivery d
          where d.status = 'queued' and d.channel = $1 and d.priority = $2 and d.lane > w.lane)
        from waiting w where w.lane is not null)
      select w.lane, (select min(d.run_at) from delivery d
        where d.status = 'queued' and d.channel = $1 and d.priority = $2 and d.lane = w.lane) as run_at
      from waiting w where w.lane is not null and not exists (select 1 from paused_channel where channel = $1)
      order by w.lane`,
    [channel, priority],
  );
  return rows.map((row) => ({ name: textField(row, 'lane'), runAt: integerOrNull(row, 'run_at') ?? 0 }));
}

type ClaimOptions = {
  readonly channel: ChannelName;
  readonly priority: DeliveryPriority;
  readonly lane: string;
  readonly now: number;
  readonly limit: number;
  readonly lockedBy: string;
};

/**
 * Claims the due deliveries of a lane, longest waiting first; read its rows by `jobFromRow`. It is materialized, because PostgreSQL
 * could otherwise run the inner select again for each row and claim more than the limit.
 */
export function claimDueDeliveries({ channel, priority, lane, now, limit, lockedBy }: ClaimOptions): Statement {
  return {
    sql: claimDueSql(''),
    postgresSql: claimDueSql('for update skip locked'),
    args: [lockedBy, channel, priority, now, limit, lane],
  };
}

// On PostgreSQL a claim skips the rows that another claim has locked. SQLite has one writer.
function claimDueSql(rowLock: string): string {
  return `with due as materialized (
      select id from delivery
      where status = 'queued' and channel = $2 and priority = $3 and lane = $6 and run_at <= $4
        and not exists (select 1 from paused_channel where channel = $2)
      order by run_at, id limit $5 ${rowLock})
    update delivery set status = 'sending', attempts = attempts + 1, locked_by = $1, started_at = null
    where id in (select id from due)
    returning id, notification_id, channel, attempts, locked_by, reminder`;
}

/** Reads a row that `claimDueDeliveries` returns. */
export function jobFromRow(row: Row): DeliveryJob {
  return {
    id: idField(row, 'id', 'delivery'),
    notificationId: idField(row, 'notification_id', 'notification'),
    channel: enumField(row, 'channel', channelNames),
    attempts: integerField(row, 'attempts'),
    lockedBy: textField(row, 'locked_by'),
    reminder: row['reminder'] === true,
  };
}

/**
 * Stores that the provider is about to be called. If it returns no row, the provider must not be called: another worker has the job, or
 * the citizen has read the message (`skipUnneeded`). Both lock the row, so only one of them can succeed.
 *
 * Statements that change the deliveries of one notification have the status inside `coalesce`. Otherwise PostgreSQL would use the index
 * of all queued and claimed deliveries, which keeps every old entry while a backup runs.
 */
export function markStarted(job: DeliveryJob, now: number): Statement {
  return {
    sql: `update delivery set started_at = $1
      where id = $2 and attempts = $3 and locked_by = $4 and coalesce(status, '') = 'sending' returning id`,
    args: [now, job.id, job.attempts, job.lockedBy],
    batch: markStartedBatch,
  };
}

const markStartedBatch: Batch = {
  kind: 'update',
  idIndex: 1,
  sql: `update delivery d set started_at = job.started_at
    from unnest(cast($1 as bigint[]), cast($2 as text[]), cast($3 as bigint[]), cast($4 as text[]))
      as job (started_at, id, attempts, locked_by)
    where d.id = job.id and d.attempts = job.attempts and d.locked_by = job.locked_by
      and coalesce(d.status, '') = 'sending' returning d.id`,
};

/** Queues a job again whose provider was certainly not called in this attempt. */
export function requeue(job: DeliveryJob, runAt: number): Statement {
  return {
    sql: `update delivery set status = 'queued', run_at = $1, locked_by = null, started_at = null
      where id = $2 and attempts = $3 and locked_by = $4 and coalesce(status, '') = 'sending' returning id`,
    args: [runAt, job.id, job.attempts, job.lockedBy],
  };
}

/**
 * Ends a job with its new state. Refused (`rows`) when another worker has the job, or when a provider report arrived after
 * `earlyReport` was read.
 */
export function completeJob(
  job: DeliveryJob,
  state: Exclude<DeliveryState, { status: 'sending' }>,
  earlyReport: EarlyReport | undefined,
): Statement {
  const queued = state.status === 'queued';
  return {
    sql: `update delivery set status = $1, run_at = coalesce($2, run_at), ended_at = $3, reason = $4, provider_ref = $5,
        locked_by = null, started_at = null, early_report = null
      where id = $6 and attempts = $7 and locked_by = $8
        and coalesce(status, '') = 'sending' and coalesce(early_report, '') = $9 returning id`,
    args: [
      state.status,
      queued ? state.runAt : null,
      queued ? null : state.endedAt,
      queued ? (state.lastReason ?? null) : 'reason' in state ? state.reason : null,
      'providerRef' in state ? (state.providerRef ?? null) : null,
      job.id,
      job.attempts,
      job.lockedBy,
      earlyReport ?? '',
    ],
    rows: 1,
    batch: completeJobBatch,
  };
}

const completeJobBatch: Batch = {
  kind: 'update',
  idIndex: 5,
  sql: `update delivery d set status = job.status, run_at = coalesce(job.run_at, d.run_at), ended_at = job.ended_at,
      reason = job.reason, provider_ref = job.provider_ref, locked_by = null, started_at = null, early_report = null
    from unnest(cast($1 as text[]), cast($2 as bigint[]), cast($3 as bigint[]), cast($4 as text[]), cast($5 as text[]),
        cast($6 as text[]), cast($7 as bigint[]), cast($8 as text[]), cast($9 as text[]))
      as job (status, run_at, ended_at, reason, provider_ref, id, attempts, locked_by, early_report)
    where d.id = job.id and d.attempts = job.attempts and d.locked_by = job.locked_by
      and coalesce(d.status, '') = 'sending' and coalesce(d.early_report, '') = job.early_report returning d.id`,
};

const insertAttemptRow = batchInsert('delivery_attempt', 'delivery_id, number, started_at, ended_at, outcome, reason');

/** Stores an attempt with its outcome. */
export function insertAttempt(attempt: Attempt): Statement {
  const { delivery, number, startedAt, endedAt, outcome, reason } = attempt;
  return insertAttemptRow([delivery, number, startedAt, endedAt, outcome, reason ?? null]);
}

/**
 * Skips the steps of a cascade that have not begun, because the citizen has opened the message. That includes a claimed
 * step without the mark of `markStarted`: its provider is then not called. A step that was tried checks the status of the
 * notification before its next attempt.
 */
export function skipUnneeded(
  notification: NotificationId,
  reason: 'already-read' | 'receipt-confirmed',
  now: number,
): Statement {
  return {
    sql: `update delivery set status = 'skipped', reason = $3, ended_at = $1, locked_by = null
      where notification_id = $2
        and (coalesce(status, '') = 'queued' and attempts = 0 or coalesce(status, '') = 'sending' and started_at is null) returning id`,
    args: [now, notification, reason],
  };
}

/** Ends the queued deliveries of a notification whose deadline has passed. */
export function failQueued(notification: NotificationId, now: number): Statement {
  return {
    sql: `update delivery set status = 'failed', reason = 'deadline-passed', ended_at = $1
      where notification_id = $2 and coalesce(status, '') = 'queued' returning id`,
    args: [now, notification],
  };
}

type Cancellation = { readonly notification: NotificationId; readonly count: number; readonly now: number };

/** Ends all `count` deliveries of a notification. Refused (`rows`) when a worker has claimed one of them. */
export function cancelUntouched({ notification, count, now }: Cancellation): Statement {
  return {
    sql: `update delivery set status = 'skipped', reason = 'withdrawn', ended_at = $1
      where notification_id = $2 and coalesce(status, '') = 'queued' and attempts = 0 returning id`,
    args: [now, notification],
    rows: count,
  };
}

const findDeliveryRows = lookupByKey(
  'delivery',
  'notification_id',
  `id, notification_id, channel, status, run_at, attempts, locked_by, started_at, ended_at, reason, provider_ref, reminder,
    early_report`,
);

/** The deliveries of a notification in the order of their creation. */
export async function findDeliveries(read: Read, notification: NotificationId): Promise<Delivery[]> {
  const rows = await findDeliveryRows(read, notification);
  const deliveries = rows.map((row) => ({
    id: idField(row, 'id', 'delivery'),
    channel: enumField(row, 'channel', channelNames),
    reminder: row['reminder'] === true,
    attempts: integerField(row, 'attempts'),
    state: stateFromRow(row),
  }));
  // Ids sort by time. With an `order by`, this query could not be batched with equal queries.
  return deliveries.sort((one, other) => (one.id < other.id ? -1 : 1));
}

function stateFromRow(row: Row): DeliveryState {
  const status = enumField(row, 'status', deliveryStatuses);
  const reason = textOrNull(row, 'reason');
  switch (status) {
    case 'queued': {
      const lastReason = reason === null ? {} : { lastReason: parseReasonCode(reason) };
      return { status, runAt: integerField(row, 'run_at'), ...lastReason };
    }
    case 'sending': {
      const startedAt = integerOrNull(row, 'started_at');
      const report = textOrNull(row, 'early_report');
      return {
        status,
        lockedBy: textField(row, 'locked_by'),
        ...(startedAt === null ? {} : { startedAt }),
        ...(report === null ? {} : { earlyReport: report === 'delivered' ? report : parseReasonCode(report) }),
      };
    }
    case 'sent':
    case 'delivered': {
      const providerRef = textOrNull(row, 'provider_ref');
      return { status, endedAt: integerField(row, 'ended_at'), ...(providerRef === null ? {} : { providerRef }) };
    }
    case 'failed':
    case 'unknown':
    case 'skipped':
      return { status, endedAt: integerField(row, 'ended_at'), reason: parseReasonCode(textField(row, 'reason')) };
  }
}

const findAttemptRows = lookupByKey(
  'delivery_attempt',
  'delivery_id',
  'delivery_id, number, started_at, ended_at, outcome, reason',
);

/** The attempts of these deliveries, in the order of their start. One query for each delivery, because a join may read all attempts. */
export async function findAttempts(read: Read, deliveries: readonly Pick<Delivery, 'id'>[]): Promise<Attempt[]> {
  const found = await Promise.all(deliveries.map(({ id }) => findAttemptRows(read, id)));
  const attempts = found.flatMap((rows) => rows.map(attemptFromRow).sort((one, other) => one.number - other.number));
  // The sort is stable: attempts of the same instant stay in the order of their deliveries.
  return attempts.sort((one, other) => one.startedAt - other.startedAt);
}

function attemptFromRow(row: Row): Attempt {
  const reason = textOrNull(row, 'reason');
  return {
    delivery: idField(row, 'delivery_id', 'delivery'),
    number: integerField(row, 'number'),
    startedAt: integerField(row, 'started_at'),
    endedAt: integerField(row, 'ended_at'),
    outcome: enumField(row, 'outcome', attemptOutcomes),
    ...(reason === null ? {} : { reason: parseReasonCode(reason) }),
  };
}
