import type { Statement } from '../../db/database.ts';
import type { DeliveryId } from '../../kernel/id.ts';
import type { DeliveryJob } from '../notification/delivery-store.ts';
import type { Delivery, DeliveryState } from '../notification/notification.ts';

/**
 * The statements after a delivery of `job` has ended with `status`. If it failed or was skipped, its reminders are skipped
 * and the next step of the cascade begins now. `unknown` changes nothing, because the message may have arrived.
 */
export function advanceCascade(
  deliveries: readonly Delivery[],
  job: Pick<DeliveryJob, 'id' | 'channel' | 'reminder'>,
  status: DeliveryState['status'],
  now: number,
): Statement[] {
  if ((status !== 'failed' && status !== 'skipped') || job.reminder || job.channel === 'inbox') return [];
  const reminders = deliveries.filter(
    ({ channel, reminder, state }) => channel === job.channel && reminder && state.status === 'queued',
  );
  const waiting = deliveries.flatMap(({ id, channel, reminder, attempts, state }) =>
    state.status === 'queued' && attempts === 0 && !reminder && channel !== job.channel && state.runAt > now
      ? [{ id, runAt: state.runAt }]
      : [],
  );
  const next = waiting.sort((left, right) => left.runAt - right.runAt)[0];
  return [
    ...reminders.map(({ id }) => skipReminder(id, now)),
    ...(next === undefined ? [] : [startStepNow(next.id, now)]),
  ];
}

/** Lets a later step of a cascade begin now, because an earlier one failed; matches no row if a worker has claimed it. */
function startStepNow(delivery: DeliveryId, now: number): Statement {
  return {
    sql: `update delivery set run_at = $1
      where id = $2 and coalesce(status, '') = 'queued' and attempts = 0 and run_at > $1 returning id`,
    args: [now, delivery],
  };
}

/** Skips the reminder of a message that did not reach the citizen. If a worker has claimed it, the worker checks that itself. */
function skipReminder(delivery: DeliveryId, now: number): Statement {
  return {
    sql: `update delivery set status = 'skipped', reason = 'nothing-to-remind', ended_at = $1
      where id = $2 and coalesce(status, '') = 'queued' returning id`,
    args: [now, delivery],
  };
}
