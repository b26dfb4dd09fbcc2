import type { Read } from '../../db/database.ts';
import type { WriteWithoutEvent } from '../../jobs/write-without-event.ts';
import { lostCallAfterMs, retryDelaysMs } from './start-webhooks.ts';
import { findWaitingWebhooks, rescheduleCalls } from './webhook-call-store.ts';
import { callsPerUnit } from './webhook-store.ts';

/**
 * Moves calls forward that are due later than the longest delay after their last attempt: a clock that was ahead has scheduled them.
 * A claimed call keeps the time after which it counts as lost.
 */
export async function rescheduleWaitingCalls(
  { read, claim }: { readonly read: Read; readonly claim: WriteWithoutEvent },
  now: number,
): Promise<void> {
  for (const { id: webhook } of await findWaitingWebhooks(read)) {
    for (const [attempts, delayMs] of [0, ...retryDelaysMs, 0].entries()) {
      const until = now + (attempts === 0 ? 0 : Math.max(lostCallAfterMs, delayMs * maxDelayFactor));
      while ((await claim(rescheduleCalls({ webhook, attempts, until }))).length === callsPerUnit);
    }
  }
}

/** Delays are spread by up to 10 %. */
const maxDelayFactor = 1.1;
