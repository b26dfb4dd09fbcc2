import type { Read } from '../../db/database.ts';
import { integerField, integerOrNull } from '../../db/row-fields.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type ChannelName, channelNames } from '../notification/notification.ts';
import { findWaitingWebhooks } from '../webhooks/webhook-call-store.ts';

/** The number of due jobs, counted up to `maxQueueCount`, and how long the oldest of them has been due. */
export type QueueState = { readonly due: number; readonly oldestSeconds: number };

/** The queues at the last refresh; empty before the first one. */
export type QueueMonitor = {
  deliveries(): ReadonlyMap<ChannelName, QueueState>;
  calls(): QueueState | undefined;
  /** Reads the queues; called every few seconds. */
  refresh(): Promise<void>;
};

/** Counting stops here, because a larger count costs more than it is worth. */
export const maxQueueCount = 10_000;

/** Creates the monitor of the delivery queues and the webhook calls, for metrics. */
export function createQueueMonitor(read: Read, clock: Clock): QueueMonitor {
  let deliveries: ReadonlyMap<ChannelName, QueueState> = new Map();
  let calls: QueueState | undefined;
  return {
    deliveries: () => deliveries,
    calls: () => calls,
    refresh: async () => {
      const now = clock.now();
      const found = new Map<ChannelName, QueueState>();
      for (const channel of channelNames) found.set(channel, await countDueDeliveries(read, channel, now));
      deliveries = found;
      calls = await countDueCalls(read, now);
    },
  };
}

/**
 * Counts the due deliveries of a channel. The query jumps from lane to lane in the index, as `findWaitingLanes` does, and
 * stops at `maxQueueCount`. Deliveries that are due later cost nothing.
 */
export async function countDueDeliveries(read: Read, channel: ChannelName, now: number): Promise<QueueState> {
  const [row] = await read(
    `with recursive waiting (priority, lane, before) as (
        select p.priority, (select min(d.lane) from delivery d
            where d.status = 'queued' and d.channel = $1 and d.priority = p.priority), cast(0 as bigint)
          from (select 0 as priority union all select 1 union all select 2) p
        union all
        select w.priority, (select min(d.lane) from delivery d
            where d.status = 'queued' and d.channel = $1 and d.priority = w.priority and d.lane > w.lane),
          w.before + case when w.before >= $3 then 0 else (select count(*) from (select d.run_at from delivery d
            where d.status = 'queued' and d.channel = $1 and d.priority = w.priority and d.lane = w.lane
              and d.run_at <= $2 limit $3) counted) end
        from waiting w where w.lane is not null)
      select cast(coalesce(sum(w.before) filter (where w.lane is null), 0) as bigint) as due,
        min((select min(d.run_at) from delivery d
          where d.status = 'queued' and d.channel = $1 and d.priority = w.priority and d.lane = w.lane)) as first_at
      from waiting w`,
    [channel, now, maxQueueCount],
  );
  return row === undefined
    ? { due: 0, oldestSeconds: 0 }
    : queueStateOf(integerField(row, 'due'), integerOrNull(row, 'first_at'), now);
}

/**
 * Counts the due webhook calls, without those in progress or due later. It counts per webhook, so that the backlog of an
 * unreachable receiver costs nothing.
 */
async function countDueCalls(read: Read, now: number): Promise<QueueState> {
  const waiting = (await findWaitingWebhooks(read)).filter(({ runAt, isActive }) => isActive && runAt <= now);
  let due = 0;
  for (const { id } of waiting) {
    if (due >= maxQueueCount) break;
    const [row] = await read(
      `select count(*) as due from (select run_at from webhook_call
        where status = 'queued' and webhook_id = $1 and run_at <= $2 limit $3) counted`,
      [id, now, maxQueueCount],
    );
    due += row === undefined ? 0 : integerField(row, 'due');
  }
  return queueStateOf(due, Math.min(...waiting.map(({ runAt }) => runAt)), now);
}

function queueStateOf(due: number, firstAt: number | null, now: number): QueueState {
  const oldestMs = firstAt !== null && firstAt <= now ? now - firstAt : 0;
  return { due: Math.min(due, maxQueueCount), oldestSeconds: oldestMs / 1_000 };
}
