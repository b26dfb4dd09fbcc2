import type { WebhookId } from '../../kernel/id.ts';
import type { WaitingWebhook } from './webhook-call-store.ts';

/** So many calls of one webhook at once; of one whose last call failed fewer, since each may hold its place for its whole time-out. */
const mostAtOnce = 32;
const mostWhileFailing = 2;

/** Whose calls are made next, and how many: one receiver that does not answer must not hold all places. */
type WebhookTurns = {
  /** Takes note of what waits; gives when the next call falls due that may be made. */
  look(waiting: readonly WaitingWebhook[]): number | undefined;
  /**
   * The webhooks whose turn it is, and how many calls of each may be claimed. As many as there is room for: each look goes past
   * all that wait, and is worth more than a call of one.
   */
  next(now: number, limit: number): readonly { readonly webhook: WebhookId; readonly limit: number }[];
  began(webhook: WebhookId): void;
  /** A call has ended, well or not; tells whether its webhook had no room before. */
  ended(webhook: WebhookId, well: boolean): boolean;
};

export function createWebhookTurns(): WebhookTurns {
  const atWork = new Map<WebhookId, number>();
  const failing = new Set<WebhookId>();
  let callable: readonly WaitingWebhook[] = [];
  let served = '';
  const roomOf = (id: WebhookId) => (failing.has(id) ? mostWhileFailing : mostAtOnce) - (atWork.get(id) ?? 0);

  return {
    look: (waiting) => {
      callable = waiting.filter(({ id }) => roomOf(id) > 0);
      // What nothing waits for is forgotten: webhooks come and go.
      const known = new Set<string>(waiting.map(({ id }) => id));
      for (const id of failing) if (!known.has(id) && !atWork.has(id)) failing.delete(id);
      return callable.length === 0 ? undefined : Math.min(...callable.map(({ runAt }) => runAt));
    },
    next: (now, limit) => {
      const due = callable.filter(({ runAt }) => runAt <= now).map(({ id }) => id);
      const [before, behind] = [due.filter((id) => id <= served), due.filter((id) => id > served)];
      const turn = [...behind, ...before].slice(0, limit);
      served = turn.at(-1) ?? served;
      return turn.map((webhook) => ({ webhook, limit: Math.min(Math.floor(limit / turn.length), roomOf(webhook)) }));
    },
    began: (webhook) => {
      atWork.set(webhook, (atWork.get(webhook) ?? 0) + 1);
    },
    ended: (webhook, well) => {
      const wasFull = roomOf(webhook) <= 0;
      const left = (atWork.get(webhook) ?? 1) - 1;
      if (left > 0) atWork.set(webhook, left);
      else atWork.delete(webhook);
      if (well) failing.delete(webhook);
      else failing.add(webhook);
      return wasFull && roomOf(webhook) > 0;
    },
  };
}
