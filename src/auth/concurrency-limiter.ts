import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Caller } from './caller.ts';

/** Limits the concurrent requests of each client, so that slow requests of one client do not use up the process for all others. */
export type ConcurrencyLimiter = {
  /** Takes a slot and returns its release function, which must be called once; or the refusal where the client has none left. */
  acquire(caller: Pick<Caller, 'clientId'>): (() => void) | Refusal;
};

/** Creates the limiter of one process. */
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
