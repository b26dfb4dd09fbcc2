import type { Clock } from '../../kernel/clock.ts';
import type { Read } from '../../store/db.ts';
import { type ChannelName, channelNames } from '../notification.ts';
import { callsDue, deliveriesDue, type QueueDepth } from './queue-depth.ts';

/** How a queue is: how much is due and not taken, counted up to `mostCounted`, and for how long the first of it is due. */
export type QueueState = { readonly due: number; readonly oldestSeconds: number };

/** The queues of the worker role as this process saw them last; nothing before the first look. */
export type QueueWatch = {
  deliveries(): ReadonlyMap<ChannelName, QueueState>;
  calls(): QueueState | undefined;
  /** Looks anew; called every few seconds. */
  look(): Promise<void>;
};

/** The watch over the queues of deliveries and of calls of webhooks: one small query for each. */
export function createQueueWatch(read: Read, clock: Clock): QueueWatch {
  let deliveries: ReadonlyMap<ChannelName, QueueState> = new Map();
  let calls: QueueState | undefined;
  return {
    deliveries: () => deliveries,
    calls: () => calls,
    look: async () => {
      const now = clock.now();
      const found = new Map<ChannelName, QueueState>();
      for (const channel of channelNames) found.set(channel, stateOf(await deliveriesDue(read, channel, now), now));
      deliveries = found;
      calls = stateOf(await callsDue(read, now), now);
    },
  };
}

function stateOf({ due, oldestAt }: QueueDepth, now: number): QueueState {
  return { due, oldestSeconds: oldestAt === undefined ? 0 : (now - oldestAt) / 1_000 };
}
