import type { Read } from '../../db/database.ts';
import type { WriteWithoutEvent } from '../../jobs/write-without-event.ts';
import { lostCallAfterMs, retryDelaysMs } from './start-webhooks.ts';
import { findWaitingWebhooks, rescheduleCalls } from './webhook-call-store.ts';
import { callsPerUnit } from './webhook-store.ts';

/**
 * Has no call wait for longer than a pause behind its last attempt takes: a clock that was ahead has left some until it comes
 * there again. What is in hand keeps the time after which it counts as lost.
 */
export async function rescheduleWaitingCalls(
  { read, claim }: { readonly read: Read; readonly claim: WriteWithoutEvent },
  now: number,
): Promise<void> {
  for (const { id: webhook } of await findWaitingWebhooks(read)) {
    for (const [attempts, pauseMs] of [0, ...retryDelaysMs, 0].entries()) {
      const until = now + (attempts === 0 ? 0 : Math.max(lostCallAfterMs, pauseMs * maxDelayFactor));
      while ((await claim(rescheduleCalls({ webhook, attempts, until }))).length === callsPerUnit);
    }
  }
}

/** A pause is spread over a tenth more. */
const maxDelayFactor = 1.1;
