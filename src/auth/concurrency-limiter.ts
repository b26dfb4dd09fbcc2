import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Caller } from './caller.ts';

/** Creates a limiter of the concurrent requests of each client. `acquire` returns a function to call once at the end, or the refusal. */
export function createConcurrencyLimiter(maxPerClient: number) {
  const active = new Map<string, number>();
  return {
    acquire({ clientId }: Pick<Caller, 'clientId'>): (() => void) | Refusal {
      const others = active.get(clientId) ?? 0;
      if (others >= maxPerClient) {
        const detail = `${maxPerClient} requests of this client are in progress. The server did not process this one.`;
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
