import type { WebhookId } from '../../kernel/id.ts';
import type { WaitingWebhook } from './webhook-call-store.ts';

/** Concurrent calls of one webhook. A webhook whose last call failed gets fewer, because each call can hold its slot until its timeout. */
const maxCallsPerWebhook = 32;
const maxCallsWhileFailing = 2;

/** Chooses the webhooks whose calls are made next, and how many: a receiver that does not answer must not hold all slots. */
type WebhookScheduler = {
  /** Stores which webhooks have waiting calls. Returns when the next call that can be made is due. */
  update(waiting: readonly WaitingWebhook[]): number | undefined;
  /**
   * The next webhooks in round-robin order, and how many calls of each can be claimed. It returns as many webhooks as there are
   * slots, because each query reads all waiting webhooks.
   */
  next(now: number, limit: number): readonly { readonly webhook: WebhookId; readonly limit: number }[];
  callStarted(webhook: WebhookId): void;
  /** Records the end of a call. Returns true when its webhook had no free slot before. */
  callEnded(webhook: WebhookId, isDelivered: boolean): boolean;
};

/** Creates the scheduler of one process; it keeps its state in memory. */
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
      // Forgets webhooks without waiting calls, so that the set does not grow.
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
