import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Statement } from '../../db/database.ts';
import { idField } from '../../db/row-fields.ts';
import type { DeliveryId, NotificationId } from '../../kernel/id.ts';
import type { DeliveryJob } from '../notification/delivery-store.ts';
import type { DeliveryState, EarlyReport } from '../notification/notification.ts';
import type { ReasonCode } from '../notification/reason.ts';

/** Marks the inbox copy as delivered, because the citizen has opened it; the write is refused (`rows`) if it already is. */
export function markInboxDelivered(notification: NotificationId, now: number): Statement {
  return {
    sql: `update delivery set status = 'delivered', ended_at = $1, reason = null
      where notification_id = $2 and channel = 'inbox' and status in ('sent', 'failed', 'unknown') returning id`,
    args: [now, notification],
    rows: 1,
  };
}

/** A change of a delivery that has ended or waits for its next attempt; `from` is the status that the decision was based on. */
type EndedDeliveryChange = {
  readonly id: DeliveryId;
  readonly from: DeliveryState['status'];
  readonly to: 'sent' | 'delivered' | 'failed';
  readonly reason: ReasonCode | null;
  readonly providerRef?: string | undefined;
  readonly now: number;
};

/** Stores a late report; refused (`rows`) if the delivery has changed since then, or an attempt has called its provider. */
export function updateEndedDelivery({ id, from, to, reason, providerRef, now }: EndedDeliveryChange): Statement {
  return {
    sql: `update delivery set status = $1, reason = $2, ended_at = $3, provider_ref = coalesce($6, provider_ref),
        locked_by = null
      where id = $4 and status = $5 and started_at is null returning id`,
    args: [to, reason, now, id, from, providerRef ?? null],
    rows: 1,
  };
}

/** A report about a running attempt; `previous` is the report that is stored for it already. */
type EarlyReportUpdate = Pick<DeliveryJob, 'id' | 'attempts'> & {
  readonly report: EarlyReport;
  readonly previous: EarlyReport | undefined;
};

/** Stores a report with a running attempt, for its completion; refused (`rows`) if the attempt has completed or `previous` is outdated. */
export function saveEarlyReport({ id, attempts, report, previous }: EarlyReportUpdate): Statement {
  return {
    sql: `update delivery set early_report = $1
      where id = $2 and attempts = $3 and coalesce(status, '') = 'sending' and started_at is not null
        and coalesce(early_report, '') = $4 returning id`,
    args: [report, id, attempts, previous ?? ''],
    rows: 1,
  };
}

const findDeliveryRow = lookupByKey('delivery', 'id', 'id, notification_id');

/** The id of the notification of a delivery; undefined for an unknown delivery. */
export async function findNotificationOfDelivery(
  read: Read,
  delivery: DeliveryId,
): Promise<NotificationId | undefined> {
  const [row] = await findDeliveryRow(read, delivery);
  return row === undefined ? undefined : idField(row, 'notification_id', 'notification');
}
