import type { BatchJobDeps } from './batch-context.ts';
import type { BatchCode, NotificationBatch } from './batches/batch.ts';
import { endBatch } from './batches/end-batch.ts';

type Cancellation = { readonly code: BatchCode; readonly detail: string };

const notPermitted: Cancellation = {
  code: 'client-not-permitted',
  detail: 'the client is disabled, or no longer has the scope notifications:send',
};

/** Cancels the remaining rows of a batch; by default because its client may not send any more. */
export async function cancelBatch(
  { commit, clock, createId }: Pick<BatchJobDeps, 'commit' | 'clock' | 'createId'>,
  batch: NotificationBatch,
  reason: Cancellation = notPermitted,
): Promise<void> {
  const head = { id: createId('event'), at: clock.now(), actor: { process: 'delivery' } } as const;
  await commit(endBatch(head, batch, { from: batch.state, to: 'cancelled', ...reason }));
}
