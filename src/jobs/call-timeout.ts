import type { Timer } from './timer.ts';

/** What a limited call gives when it took too long. */
export const timedOut = Symbol('late');

/** How long calls may take whose own time limits are in other hands. */
export type CallTimeout = {
  readonly ms: number;
  /** What a call gives, or `late` when it has not settled by then; the call itself goes on. */
  waitFor<T>(call: Promise<T>): Promise<T | typeof timedOut>;
  /** Waits for no call any more, so that its timers do not keep the process alive. */
  cancelAll(): void;
};

/** Makes a limit of so many milliseconds. */
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
