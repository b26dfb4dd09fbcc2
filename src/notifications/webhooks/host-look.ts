import { isIP } from 'node:net';
import { createClientPlaces } from '../../access/client-places.ts';
import { startDeadline } from '../../jobs/deadline.ts';
import { systemTimer } from '../../jobs/timer.ts';
import type { Refusal } from '../../kernel/problem.ts';
import { hostOf } from '../../kernel/url-host.ts';
import { addressesOf, PrivateTarget, type TargetRules } from './target.ts';
import { mostWebhooks } from './webhook-store.ts';

/** Whether the host of a new webhook leads to an address that is not public, or why that client cannot be told now. */
export type HostLook = (url: URL, clientId: string) => Promise<boolean | Refusal>;

/** Who asks for a webhook waits so long for a name: one that does not resolve now may do so later, and each call looks again. */
const withinMs = 5_000;

/** Looks hosts up for this process: of a client no more at a time than it may have webhooks, since its name servers may be slow. */
export function createHostLook(rules: TargetRules, timeoutMs: number = withinMs): HostLook {
  const places = createClientPlaces(mostWebhooks);
  return async (url, clientId) => {
    const leave = isIP(hostOf(url)) === 0 ? places.enter({ clientId }) : () => undefined;
    if (typeof leave !== 'function') return leave;
    using deadline = startDeadline(systemTimer, timeoutMs);
    try {
      await addressesOf(url, rules, deadline.signal);
      return false;
    } catch (fault) {
      return fault instanceof PrivateTarget;
    } finally {
      leave();
    }
  };
}
