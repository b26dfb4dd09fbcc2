import type { Statement } from '../../db/database.ts';
import { type EndedBatch, insertBatchFeedEvent } from '../webhooks/feed-store.ts';
import { type BatchCode, type BatchState, batchChangedEvent, type NotificationBatch } from './batch.ts';
import { changeState } from './batch-store.ts';

type EndHead = Parameters<typeof batchChangedEvent>[0];
type BatchEnd = Omit<EndedBatch, 'batch' | 'code'> & {
  readonly from: BatchState;
  readonly to: 'done' | 'refused' | 'cancelled';
  readonly code?: BatchCode | undefined;
  readonly detail?: string | undefined;
};

/**
 * The parts of the effect that ends a batch. Its event in the feed is in the same unit as the new state, so the feed has it exactly once,
 * also after a crash.
 */
export function endBatch(
  head: EndHead,
  batch: Pick<NotificationBatch, 'id' | 'clientId'>,
  { from, to, code, detail, ...counts }: BatchEnd,
) {
  const ended = { batch: batch.id, ...counts, code };
  const statements: readonly Statement[] = [
    changeState(batch, { from, to, at: head.at, code, detail }),
    insertBatchFeedEvent({ id: head.id, at: head.at, type: `notification-batch.${to}` }, batch.clientId, ended),
  ];
  return { events: [batchChangedEvent(head, batch.id, to)] as const, statements };
}
