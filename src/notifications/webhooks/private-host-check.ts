import { isIP } from 'node:net';
import { createConcurrencyLimiter } from '../../auth/concurrency-limiter.ts';
import { startDeadline } from '../../jobs/deadline.ts';
import { systemTimer } from '../../jobs/timer.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { unbracketedHost } from '../../kernel/unbracketed-host.ts';
import { maxWebhooks } from './webhook-store.ts';
import { PrivateTarget, resolveAllowedAddresses, type TargetRules } from './webhook-target.ts';

/** Whether the host of a new webhook leads to an address that is not public, or why that client cannot be told now. */
export type PrivateHostCheck = (url: URL, clientId: string) => Promise<boolean | Refusal>;

/** Who asks for a webhook waits so long for a name: one that does not resolve now may do so later, and each call looks again. */
const lookupTimeoutMs = 5_000;

/** Looks hosts up for this process: of a client no more at a time than it may have webhooks, since its name servers may be slow. */
export function createPrivateHostCheck(rules: TargetRules, timeoutMs: number = lookupTimeoutMs): PrivateHostCheck {
  const slots = createConcurrencyLimiter(maxWebhooks);
  return async (url, clientId) => {
    const release = isIP(unbracketedHost(url)) === 0 ? slots.acquire({ clientId }) : () => undefined;
    if (typeof release !== 'function') return release;
    using deadline = startDeadline(systemTimer, timeoutMs);
    try {
      await resolveAllowedAddresses(url, rules, deadline.signal);
      return false;
    } catch (fault) {
      return fault instanceof PrivateTarget;
    } finally {
      release();
    }
  };
}
