import type { Read } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type ChannelName, channelNames } from '../notification/notification.ts';
import { countDueCalls, countDueDeliveries, type QueueDepth } from './queue-depth.ts';

/** The number of due jobs, counted up to `maxQueueCount`, and how long the oldest of them has been due. */
export type QueueState = { readonly due: number; readonly oldestSeconds: number };

/** The queues at the last refresh; empty before the first one. */
export type QueueMonitor = {
  deliveries(): ReadonlyMap<ChannelName, QueueState>;
  calls(): QueueState | undefined;
  /** Reads the queues; called every few seconds. */
  refresh(): Promise<void>;
};

/** Creates the monitor of the delivery queues and the webhook calls, for metrics; one small query each. */
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
