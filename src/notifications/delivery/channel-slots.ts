import type { Semaphore } from '../../jobs/semaphore.ts';

/** Makes a call when there is a place of its channel for it, and its lane has its turn. */
export type ChannelSlots = <T>(lane: string, call: () => Promise<T>) => Promise<T>;

/**
 * The places behind a gate, for the lanes in turn: a client that has much in hand takes no more of them at a time than one with a
 * single message. With `first` they are let in before all others.
 */
export function createChannelSlots(gate: Semaphore, isUrgent: boolean): ChannelSlots {
  const lanes = new Map<string, Array<() => Promise<void>>>();

  /** Whoever is let in makes the call whose turn it is, not that for which it came to the gate. */
  async function callNext(): Promise<void> {
    for (const [lane, calls] of lanes) {
      const call = calls.shift();
      lanes.delete(lane);
      if (calls.length > 0) lanes.set(lane, calls);
      return await call?.();
    }
  }

  return (lane, call) =>
    new Promise((resolve, reject) => {
      const calls = lanes.get(lane) ?? [];
      calls.push(() => call().then(resolve, reject));
      lanes.set(lane, calls);
      gate(callNext, isUrgent).catch(reject);
    });
}
