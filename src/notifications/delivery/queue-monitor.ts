import type { Read } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type ChannelName, channelNames } from '../notification/notification.ts';
import { countDueCalls, countDueDeliveries, type QueueDepth } from './queue-depth.ts';

/** How a queue is: how much is due and not taken, counted up to `mostCounted`, and for how long the first of it is due. */
export type QueueState = { readonly due: number; readonly oldestSeconds: number };

/** The queues of the worker role as this process saw them last; nothing before the first look. */
export type QueueMonitor = {
  deliveries(): ReadonlyMap<ChannelName, QueueState>;
  calls(): QueueState | undefined;
  /** Looks anew; called every few seconds. */
  refresh(): Promise<void>;
};

/** The watch over the queues of deliveries and of calls of webhooks: one small query for each. */
export function createQueueMonitor(read: Read, clock: Clock): QueueMonitor {
  let deliveries: ReadonlyMap<ChannelName, QueueState> = new Map();
  let calls: QueueState | undefined;
  return {
    deliveries: () => deliveries,
    calls: () => calls,
    refresh: async () => {
      const now = clock.now();
      const found = new Map<ChannelName, QueueState>();
      for (const channel of channelNames)
        found.set(channel, queueStateOf(await countDueDeliveries(read, channel, now), now));
      deliveries = found;
      calls = queueStateOf(await countDueCalls(read, now), now);
    },
  };
}

function queueStateOf({ due, oldestAt }: QueueDepth, now: number): QueueState {
  return { due, oldestSeconds: oldestAt === undefined ? 0 : (now - oldestAt) / 1_000 };
}
