import type { Timer } from './timer.ts';

/** The result of a call that exceeded its time limit. */
export const timedOut = Symbol('late');

/** A time limit for calls that have none of their own. */
export type CallTimeout = {
  readonly ms: number;
  /** The result of a call, or `timedOut` if it has not settled in time. The call itself goes on. */
  waitFor<T>(call: Promise<T>): Promise<T | typeof timedOut>;
  /** Clears all timers, so that they do not keep the process alive. */
  cancelAll(): void;
};

/** Creates a time limit of `ms` milliseconds. */
export function createCallTimeout(timer: Timer, ms: number): CallTimeout {
  const cancels = new Set<() => void>();
  return {
    ms,
    waitFor: async (call) => {
      const timeout = Promise.withResolvers<typeof timedOut>();
      const cancel = timer(ms, () => timeout.resolve(timedOut));
      cancels.add(cancel);
      try {
        return await Promise.race([call, timeout.promise]);
      } finally {
        cancel();
        cancels.delete(cancel);
      }
    },
    cancelAll: () => {
      for (const cancel of cancels) cancel();
    },
  };
}
