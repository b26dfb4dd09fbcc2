import type { WebhookId } from '../../kernel/id.ts';
import type { WaitingWebhook } from './webhook-call-store.ts';

/** So many calls of one webhook at once; of one whose last call failed fewer, since each may hold its place for its whole time-out. */
const maxCallsPerWebhook = 32;
const maxCallsWhileFailing = 2;

/** Whose calls are made next, and how many: one receiver that does not answer must not hold all places. */
type WebhookScheduler = {
  /** Takes note of what waits; gives when the next call falls due that may be made. */
  update(waiting: readonly WaitingWebhook[]): number | undefined;
  /**
   * The webhooks whose turn it is, and how many calls of each may be claimed. As many as there is room for: each look goes past
   * all that wait, and is worth more than a call of one.
   */
  next(now: number, limit: number): readonly { readonly webhook: WebhookId; readonly limit: number }[];
  callStarted(webhook: WebhookId): void;
  /** A call has ended, well or not; tells whether its webhook had no room before. */
  callEnded(webhook: WebhookId, well: boolean): boolean;
};

export function createWebhookScheduler(): WebhookScheduler {
  const running = new Map<WebhookId, number>();
  const failing = new Set<WebhookId>();
  let callable: readonly WaitingWebhook[] = [];
  let lastServed = '';
  const freeSlotsOf = (id: WebhookId) =>
    (failing.has(id) ? maxCallsWhileFailing : maxCallsPerWebhook) - (running.get(id) ?? 0);

  return {
    update: (waiting) => {
      callable = waiting.filter(({ id }) => freeSlotsOf(id) > 0);
      // What nothing waits for is forgotten: webhooks come and go.
      const known = new Set<string>(waiting.map(({ id }) => id));
      for (const id of failing) if (!known.has(id) && !running.has(id)) failing.delete(id);
      return callable.length === 0 ? undefined : Math.min(...callable.map(({ runAt }) => runAt));
    },
    next: (now, limit) => {
      const due = callable.filter(({ runAt }) => runAt <= now).map(({ id }) => id);
      const [before, after] = [due.filter((id) => id <= lastServed), due.filter((id) => id > lastServed)];
      const chosen = [...after, ...before].slice(0, limit);
      lastServed = chosen.at(-1) ?? lastServed;
      return chosen.map((webhook) => ({
        webhook,
        limit: Math.min(Math.floor(limit / chosen.length), freeSlotsOf(webhook)),
      }));
    },
    callStarted: (webhook) => {
      running.set(webhook, (running.get(webhook) ?? 0) + 1);
    },
    callEnded: (webhook, isDelivered) => {
      const wasFull = freeSlotsOf(webhook) <= 0;
      const left = (running.get(webhook) ?? 1) - 1;
      if (left > 0) running.set(webhook, left);
      else running.delete(webhook);
      if (isDelivered) failing.delete(webhook);
      else failing.add(webhook);
      return wasFull && freeSlotsOf(webhook) > 0;
    },
  };
}
