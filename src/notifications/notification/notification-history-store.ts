import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Statement } from '../../db/database.ts';
import { enumField, integerField, textField, textOrNull } from '../../db/row-fields.ts';
import type { NotificationId } from '../../kernel/id.ts';
import {
  type Delivery,
  isUnproven,
  type Notification,
  type NotificationStatus,
  unprovenStatuses,
} from './notification.ts';
import { parseReasonCode, type ReasonCode } from './reason.ts';

const historyStatuses = [...unprovenStatuses, 'failed', 'failed-again', 'confirmed', 'delivered'] as const;

/**
 * A state that a later report or proof has replaced in the rows of a notification or delivery. Evidence contains it before and after.
 * `confirmed`: the receipt was confirmed by the link of the delivery. `failed-again`: it failed, its provider proved it, and it failed again.
 */
export type HistoryEntry = {
  /** The id of the notification or of one of its deliveries. */
  readonly subjectId: string;
  readonly status: (typeof historyStatuses)[number];
  readonly at: number;
  readonly reason?: ReasonCode;
};

/** Records a final status without proof, when the unit replaces that status. Put it after the statements that check the unit. */
export function recordUnproven(notification: Notification, status: NotificationStatus): Statement[] {
  const { id, status: before, statusAt: at } = notification;
  if (status === before || !isUnproven(before)) return [];
  return [insertHistoryEntry(id, { subjectId: id, status: before, at })];
}

/**
 * Records that a delivery had failed, when a proof replaces that state. No record is needed when the attempts contain the failure, unless
 * the delivery was `delivered` in between.
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

/** Records that a delivery was `delivered`, when its provider retracts that. */
export function recordDelivered(notification: NotificationId, { id, state }: Delivery): Statement[] {
  if (state.status !== 'delivered') return [];
  return [insertHistoryEntry(notification, { subjectId: id, status: 'delivered', at: state.endedAt })];
}

/** Whether the provider has retracted `delivered` for this delivery. Its reports of `delivered` are then ignored. */
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

/** Records that somebody confirmed the receipt by the link of a delivery. */
export function recordConfirmed(notification: NotificationId, { id }: Delivery, at: number): Statement {
  return insertHistoryEntry(notification, { subjectId: id, status: 'confirmed', at });
}

/** Adds an entry, unless an attempt contains the same outcome, or the state was recorded before: the first time counts. */
function insertHistoryEntry(
  notification: NotificationId,
  { subjectId, status, at }: Omit<HistoryEntry, 'reason'>,
): Statement {
  return {
    sql: `insert into notification_history (notification_id, subject_id, status, at)
      select cast($1 as text), cast($2 as text), cast($3 as text), cast($4 as bigint)
      where not exists (select 1 from delivery_attempt a where a.delivery_id = $2 and a.outcome = $3)
      on conflict (notification_id, subject_id, status) do nothing`,
    args: [notification, subjectId, status, at],
  };
}

const findHistoryRows = lookupByKey(
  'notification_history',
  'notification_id',
  'notification_id, subject_id, status, at, reason',
);

/** The history of a notification. Read it after its deliveries, so that no state is missing in both. */
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
