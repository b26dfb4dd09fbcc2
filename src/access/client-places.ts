import { type Refusal, refuse } from '../kernel/problem.ts';
import type { Caller } from './caller.ts';

/**
 * The places of clients among the requests that one process takes at once. A client that asks for what takes long, or takes long
 * itself to send or read, has a part of them, or it would have the interface answer 503 to all others.
 */
export type ClientPlaces = {
  /** Takes a place, and gives what leaves it again, once; or why this client may have no further one now. */
  enter(caller: Pick<Caller, 'clientId'>): (() => void) | Refusal;
};

/** The places of one process, `most` for each client. */
export function createClientPlaces(most: number): ClientPlaces {
  const taken = new Map<string, number>();
  return {
    enter({ clientId }) {
      const others = taken.get(clientId) ?? 0;
      if (others >= most) {
        const detail = `${most} requests of this client are at work; nothing of this one was processed.`;
        return refuse('capacity-reduced', detail, { headers: { 'retry-after': '1' } });
      }
      taken.set(clientId, others + 1);
      return () => {
        const left = (taken.get(clientId) ?? 1) - 1;
        if (left === 0) taken.delete(clientId);
        else taken.set(clientId, left);
      };
    },
  };
}
