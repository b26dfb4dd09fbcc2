import type { CallPriority, Semaphore } from '../../jobs/semaphore.ts';

/** Makes a call of a channel when a slot is free and it is the turn of its lane. */
export type ChannelSlots = <T>(lane: string, call: () => Promise<T>) => Promise<T>;

/**
 * Creates the slots of a channel over its semaphore. Lanes take turns, so a client with a large backlog gets no more slots
 * at a time than one with a single message. Calls of other slots with a lower priority number go before them.
 */
export function createChannelSlots(semaphore: Semaphore, priority: CallPriority): ChannelSlots {
  const lanes = new Map<string, Array<() => Promise<void>>>();

  /** Runs the next call in turn, which need not be the one that acquired the semaphore. */
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
      semaphore(callNext, priority).catch(reject);
    });
}
