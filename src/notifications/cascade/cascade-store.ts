import type { Statement } from '../../db/database.ts';
import type { DeliveryId, NotificationId } from '../../kernel/id.ts';

/** Lets a later step of a cascade begin now, because one before it failed; nothing where a worker has it already. */
export function startStepNow(delivery: DeliveryId, now: number): Statement {
  return {
    sql: `update delivery set run_at = $1, waits_since = $1
      where id = $2 and coalesce(status, '') = 'queued' and attempts = 0 and run_at > $1 returning id`,
    args: [now, delivery],
  };
}

/** Ends a reminder of what did not reach the citizen; nothing where a worker has it already, which looks for itself. */
export function skipReminder(delivery: DeliveryId, now: number): Statement {
  return {
    sql: `update delivery set status = 'skipped', reason = 'nothing-to-remind', ended_at = $1
      where id = $2 and coalesce(status, '') = 'queued' returning id`,
    args: [now, delivery],
  };
}

/**
 * Ends the steps of a cascade that have not begun, as the citizen has opened the message; also one whose worker is about to
 * call the provider, but has not marked it yet. A step that has been tried looks for itself when it is tried again.
 */
export function skipUnneeded(notification: NotificationId, now: number): Statement {
  return {
    sql: `update delivery set status = 'skipped', reason = 'already-read', ended_at = $1, locked_by = null
      where notification_id = $2
        and (coalesce(status, '') = 'queued' and attempts = 0 or coalesce(status, '') = 'sending' and started_at is null) returning id`,
    args: [now, notification],
  };
}
