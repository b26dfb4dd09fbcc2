import type { Statement } from '../../db/database.ts';
import type { DeliveryId, NotificationId } from '../../kernel/id.ts';

/** Lets a later step of a cascade begin now, because an earlier one failed; matches no row if a worker has claimed it. */
export function startStepNow(delivery: DeliveryId, now: number): Statement {
  return {
    sql: `update delivery set run_at = $1
      where id = $2 and coalesce(status, '') = 'queued' and attempts = 0 and run_at > $1 returning id`,
    args: [now, delivery],
  };
}

/** Skips the reminder of a message that did not reach the citizen. If a worker has claimed it, the worker checks that itself. */
export function skipReminder(delivery: DeliveryId, now: number): Statement {
  return {
    sql: `update delivery set status = 'skipped', reason = 'nothing-to-remind', ended_at = $1
      where id = $2 and coalesce(status, '') = 'queued' returning id`,
    args: [now, delivery],
  };
}

/**
 * Skips the steps of a cascade that have not begun, because the citizen has opened the message. That includes a claimed
 * step without the mark of `markStarted`: its provider is then not called. A step that was tried checks the status of the
 * notification before its next attempt.
 */
export function skipUnneeded(notification: NotificationId, now: number): Statement {
  return {
    sql: `update delivery set status = 'skipped', reason = 'already-read', ended_at = $1, locked_by = null
      where notification_id = $2
        and (coalesce(status, '') = 'queued' and attempts = 0 or coalesce(status, '') = 'sending' and started_at is null) returning id`,
    args: [now, notification],
  };
}
