import type { Statement } from '../../db/database.ts';
import type { DeliveryJob } from '../notification/delivery-store.ts';
import type { Delivery, DeliveryState } from '../notification/notification.ts';
import { skipReminder, startStepNow } from './cascade-store.ts';

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
