import type { Statement } from '../../store/db.ts';
import type { Delivery, DeliveryState } from '../notification.ts';
import { bringForward, endReminder } from './cascade-store.ts';
import type { Job } from './delivery-store.ts';

/**
 * What a channel that failed moves: its reminders have nothing to remind of, and the next step of the cascade begins now.
 * One that ended `unknown` moves nothing, since the message may have arrived.
 */
export function nextStep(
  deliveries: readonly Delivery[],
  job: Pick<Job, 'id' | 'channel' | 'reminder'>,
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
    ...reminders.map(({ id }) => endReminder(id, now)),
    ...(next === undefined ? [] : [bringForward(next.id, now)]),
  ];
}
