import { isIP } from 'node:net';
import { createConcurrencyLimiter } from '../../auth/concurrency-limiter.ts';
import { startDeadline } from '../../jobs/deadline.ts';
import { systemTimer } from '../../jobs/timer.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { unbracketedHost } from '../../kernel/unbracketed-host.ts';
import { PrivateTarget, resolveAllowedAddresses, type TargetRules } from '../../net/public-target.ts';
import { maxWebhooks } from './webhook-store.ts';

/** Whether the host of a new webhook resolves to an address that is not public; a refusal when the client has too many lookups running. */
export type PrivateHostCheck = (url: URL, clientId: string) => Promise<boolean | Refusal>;

/** A name that does not resolve in this time is accepted: it may resolve later, and each call checks again. */
const lookupTimeoutMs = 5_000;

/** Creates the check of this process. It runs at most `maxWebhooks` lookups of one client at a time, because its name servers may be slow. */
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
