import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Statement } from '../../db/database.ts';
import { idField } from '../../db/row-fields.ts';
import type { DeliveryId, NotificationId } from '../../kernel/id.ts';
import type { DeliveryJob } from '../notification/delivery-store.ts';
import type { DeliveryState, EarlyReport } from '../notification/notification.ts';
import type { ReasonCode } from '../notification/reason.ts';

/** The copy in the inbox, which the citizen has opened, is delivered; refused (`rows`) where it is so already. */
export function markInboxDelivered(notification: NotificationId, now: number): Statement {
  return {
    sql: `update delivery set status = 'delivered', ended_at = $1, reason = null
      where notification_id = $2 and channel = 'inbox' and status in ('sent', 'failed', 'unknown') returning id`,
    args: [now, notification],
    rows: 1,
  };
}

/** A change of a delivery that had ended, or waits for its next attempt; `from` is what it was when that was decided. */
type EndedDeliveryChange = {
  readonly id: DeliveryId;
  readonly from: DeliveryState['status'];
  readonly to: 'sent' | 'delivered' | 'failed';
  readonly reason: ReasonCode | null;
  readonly providerRef?: string | undefined;
  readonly now: number;
};

/** Stores what a provider said late; refused (`rows`) where the delivery changed meanwhile, or an attempt of it runs. */
export function updateEndedDelivery({ id, from, to, reason, providerRef, now }: EndedDeliveryChange): Statement {
  return {
    sql: `update delivery set status = $1, reason = $2, ended_at = $3, provider_ref = coalesce($6, provider_ref),
        locked_by = null
      where id = $4 and status = $5 and started_at is null returning id`,
    args: [to, reason, now, id, from, providerRef ?? null],
    rows: 1,
  };
}

/** What a provider said of an attempt that runs; `heard` is what it had said before. */
export type EarlyReportUpdate = Pick<DeliveryJob, 'id' | 'attempts'> & {
  readonly report: EarlyReport;
  readonly previous: EarlyReport | undefined;
};

/** Keeps what a provider said of an attempt that runs, until its outcome is stored; refused (`rows`) where it is by now. */
export function saveEarlyReport({ id, attempts, report, previous }: EarlyReportUpdate): Statement {
  return {
    sql: `update delivery set early_word = $1
      where id = $2 and attempts = $3 and coalesce(status, '') = 'sending' and started_at is not null
        and coalesce(early_word, '') = $4 returning id`,
    args: [report, id, attempts, previous ?? ''],
    rows: 1,
  };
}

const findDeliveryRow = lookupByKey('delivery', 'id', 'id, notification_id');

/** The notification that a delivery is of. */
export async function findNotificationOfDelivery(
  read: Read,
  delivery: DeliveryId,
): Promise<NotificationId | undefined> {
  const [row] = await findDeliveryRow(read, delivery);
  return row === undefined ? undefined : idField(row, 'notification_id', 'notification');
}
