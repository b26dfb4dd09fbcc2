import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Statement } from '../../db/database.ts';
import { enumField, integerField, textField, textOrNull } from '../../db/row-fields.ts';
import type { NotificationId } from '../../kernel/id.ts';
import type { Delivery, Notification, NotificationStatus } from './notification.ts';
import { parseReasonCode, type ReasonCode } from './reason.ts';

const historyStatuses = ['undeliverable', 'failed', 'failed-again', 'confirmed', 'delivered'] as const;

/**
 * What the rows of a notification and its deliveries do not say any more, since a proof came: evidence that was given out
 * before has it, and so has what is given out later. `confirmed`: the proof of a delivery was the citizen's own. `failed-again`: it
 * had failed, was proved by its provider, and came back.
 */
export type HistoryEntry = {
  /** The notification, or one of its deliveries. */
  readonly subjectId: string;
  readonly status: (typeof historyStatuses)[number];
  readonly at: number;
  readonly reason?: ReasonCode;
};

/** Keeps that a notification was undeliverable, where the unit brings it out of that; behind the fences of the unit. */
export function recordUndeliverable(notification: Notification, status: NotificationStatus): Statement[] {
  const { id, status: before, statusAt: at } = notification;
  if (before !== 'undeliverable' || status === 'undeliverable') return [];
  return [insertHistoryEntry(id, { subjectId: id, status: 'undeliverable', at })];
}

/**
 * Keeps that a delivery had failed, where a proof replaces it. Every other state that a proof replaces is in its attempts, as is a
 * failure of the call itself, unless a delivery came between.
 */
export function recordFailed(notification: NotificationId, { id, state }: Delivery): Statement[] {
  if (state.status !== 'failed') return [];
  const hasEntry = (status: HistoryEntry['status']) =>
    `exists (select 1 from notification_history h where h.notification_id = $1 and h.subject_id = $2 and h.status = '${status}')`;
  const failedAttempt = "exists (select 1 from delivery_attempt a where a.delivery_id = $2 and a.outcome = 'failed')";
  return [
    {
      sql: `insert into notification_history (notification_id, subject_id, status, at, reason)
        select cast($1 as text), cast($2 as text), case when ${failedAttempt} or ${hasEntry('failed')} then 'failed-again' else 'failed' end,
          cast($3 as bigint), cast($4 as text)
        where not ${failedAttempt} or ${hasEntry('delivered')}`,
      args: [notification, id, state.endedAt, state.reason],
    },
  ];
}

/** Keeps that its provider had called a delivery delivered, where it takes that back. */
export function recordDelivered(notification: NotificationId, { id, state }: Delivery): Statement[] {
  if (state.status !== 'delivered') return [];
  return [insertHistoryEntry(notification, { subjectId: id, status: 'delivered', at: state.endedAt })];
}

/** Whether its provider has taken back that a delivery was delivered: that word of it is worth nothing any more. */
export async function wasDeliveryRetracted(
  read: Read,
  notification: NotificationId,
  { id, state }: Delivery,
): Promise<boolean> {
  if (state.status !== 'failed') return false;
  const rows = await read(
    `select 1 as found from notification_history where notification_id = $1 and subject_id = $2 and status = 'delivered'
      union all select 1 as found from delivery_attempt where delivery_id = $2 and outcome = 'delivered' limit 1`,
    [notification, id],
  );
  return rows.length > 0;
}

/** Keeps that a delivery was proved by the citizen. */
export function recordConfirmed(notification: NotificationId, { id }: Delivery, at: number): Statement {
  return insertHistoryEntry(notification, { subjectId: id, status: 'confirmed', at });
}

/** What an attempt says already is not kept a second time. */
function insertHistoryEntry(notification: NotificationId, { subjectId, status, at, reason }: HistoryEntry): Statement {
  return {
    sql: `insert into notification_history (notification_id, subject_id, status, at, reason)
      select cast($1 as text), cast($2 as text), cast($3 as text), cast($4 as bigint), cast($5 as text)
      where not exists (select 1 from delivery_attempt a where a.delivery_id = $2 and a.outcome = $3)`,
    args: [notification, subjectId, status, at, reason ?? null],
  };
}

const findHistoryRows = lookupByKey(
  'notification_history',
  'notification_id',
  'notification_id, subject_id, status, at, reason',
);

/** What was kept of a notification; to be read after its deliveries, so that no state is in neither of the two. */
export async function findHistory(read: Read, notification: NotificationId): Promise<HistoryEntry[]> {
  const rows = await findHistoryRows(read, notification);
  return rows.map((row) => {
    const reason = textOrNull(row, 'reason');
    return {
      subjectId: textField(row, 'subject_id'),
      status: enumField(row, 'status', historyStatuses),
      at: integerField(row, 'at'),
      ...(reason === null ? {} : { reason: parseReasonCode(reason) }),
    };
  });
}
