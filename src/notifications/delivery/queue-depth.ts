import type { Read } from '../../db/database.ts';
import { integerField, integerOrNull } from '../../db/row-fields.ts';
import type { ChannelName } from '../notification/notification.ts';
import { findWaitingWebhooks } from '../webhooks/webhook-call-store.ts';

/** How much of a queue is due and not taken yet, and since when the first of it is; undefined where nothing is. */
export type QueueDepth = { readonly due: number; readonly oldestAt: number | undefined };

/** Beyond that a count would cost more than it says. */
export const maxQueueCount = 10_000;

/**
 * The deliveries of a channel that are due. It jumps from lane to lane as `waitingLanes` does, takes the first of each, and
 * counts within the lanes until there are enough: what is to be sent later costs nothing, however much it is.
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
 * The calls of webhooks that are due; one that is made at this moment, or repeated later, is not. Webhook by webhook: what a
 * receiver that is gone has waiting for later costs nothing, however much it is.
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
