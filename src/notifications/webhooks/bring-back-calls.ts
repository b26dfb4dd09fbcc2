import type { Claim } from '../../jobs/claim.ts';
import type { Read } from '../../store/db.ts';
import { lostAfterMs, pausesMs } from './start-webhooks.ts';
import { bringBackCalls, waitingWebhooks } from './webhook-call-store.ts';
import { movedAtOnce } from './webhook-store.ts';

/**
 * Has no call wait for longer than a pause behind its last attempt takes: a clock that was ahead has left some until it comes
 * there again. What is in hand keeps the time after which it counts as lost.
 */
export async function bringBackWaitingCalls(
  { read, claim }: { readonly read: Read; readonly claim: Claim },
  now: number,
): Promise<void> {
  for (const { id: webhook } of await waitingWebhooks(read)) {
    for (const [attempts, pauseMs] of [0, ...pausesMs, 0].entries()) {
      const until = now + (attempts === 0 ? 0 : Math.max(lostAfterMs, pauseMs * mostOfPause));
      while ((await claim(bringBackCalls({ webhook, attempts, until }))).length === movedAtOnce);
    }
  }
}

/** A pause is spread over a tenth more. */
const mostOfPause = 1.1;
