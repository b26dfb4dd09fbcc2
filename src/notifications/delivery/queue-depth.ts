import type { Read } from '../../db/database.ts';
import { integerField, integerOrNull } from '../../db/row-fields.ts';
import type { ChannelName } from '../notification/notification.ts';
import { findWaitingWebhooks } from '../webhooks/webhook-call-store.ts';

/** How many jobs are due and not claimed yet, and the due time of the oldest; undefined without one. */
export type QueueDepth = { readonly due: number; readonly oldestAt: number | undefined };

/** Counting stops here, because a larger count costs more than it is worth. */
export const maxQueueCount = 10_000;

/**
 * Counts the due deliveries of a channel. The query jumps from lane to lane in the index, as `findWaitingLanes` does, and
 * stops at `maxQueueCount`. Deliveries that are due later cost nothing.
 */
export async function countDueDeliveries(read: Read, channel: ChannelName, now: number): Promise<QueueDepth> {
  const [row] = await read(
    `with recursive waiting (priority, lane, before) as (
        select p.priority, (select min(d.lane) from delivery d
            where d.status = 'queued' and d.channel = $1 and d.priority = p.priority), cast(0 as bigint)
          from (select 0 as priority union all select 1) p
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
  return row === undefined ? emptyQueue : depthOf(integerField(row, 'due'), integerOrNull(row, 'first_at'), now);
}

/**
 * Counts the due webhook calls, without those in progress or due later. It counts per webhook, so that the backlog of an
 * unreachable receiver costs nothing.
 */
export async function countDueCalls(read: Read, now: number): Promise<QueueDepth> {
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
  return depthOf(due, Math.min(...waiting.map(({ runAt }) => runAt)), now);
}

const emptyQueue: QueueDepth = { due: 0, oldestAt: undefined };

function depthOf(due: number, firstAt: number | null, now: number): QueueDepth {
  const oldestAt = firstAt !== null && firstAt <= now ? firstAt : undefined;
  return { due: Math.min(due, maxQueueCount), oldestAt };
}
