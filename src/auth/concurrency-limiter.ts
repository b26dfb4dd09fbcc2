import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Caller } from './caller.ts';

/**
 * The places of clients among the requests that one process takes at once. A client that asks for what takes long, or takes long
 * itself to send or read, has a part of them, or it would have the interface answer 503 to all others.
 */
export type ConcurrencyLimiter = {
  /** Takes a place, and gives what leaves it again, once; or why this client may have no further one now. */
  acquire(caller: Pick<Caller, 'clientId'>): (() => void) | Refusal;
};

/** The places of one process, `most` for each client. */
export function createConcurrencyLimiter(maxPerClient: number): ConcurrencyLimiter {
  const active = new Map<string, number>();
  return {
    acquire({ clientId }) {
      const others = active.get(clientId) ?? 0;
      if (others >= maxPerClient) {
        const detail = `${maxPerClient} requests of this client are at work; nothing of this one was processed.`;
        return refuse('capacity-reduced', detail, { headers: { 'retry-after': '1' } });
      }
      active.set(clientId, others + 1);
      return () => {
        const left = (active.get(clientId) ?? 1) - 1;
        if (left === 0) active.delete(clientId);
        else active.set(clientId, left);
      };
    },
  };
}
