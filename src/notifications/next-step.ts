import type { Statement } from '../store/db.ts';
import { bringForward } from './cascade-store.ts';
import type { Job } from './delivery-store.ts';
import type { Delivery, DeliveryState } from './notification.ts';

/**
 * A channel that failed lets the next step of the cascade begin now; an `unknown` one does not, since the message may
 * have arrived.
 */
export function nextStep(
  deliveries: readonly Delivery[],
  job: Pick<Job, 'channel' | 'reminder'>,
  status: DeliveryState['status'],
  now: number,
): Statement[] {
  if ((status !== 'failed' && status !== 'skipped') || job.reminder || job.channel === 'inbox') return [];
  const waiting = deliveries.flatMap(({ id, channel, reminder, attempts, state }) =>
    state.status === 'queued' && attempts === 0 && !reminder && channel !== job.channel && state.runAt > now
      ? [{ id, runAt: state.runAt }]
      : [],
  );
  const next = waiting.sort((left, right) => left.runAt - right.runAt)[0];
  return next === undefined ? [] : [bringForward(next.id, now)];
}
