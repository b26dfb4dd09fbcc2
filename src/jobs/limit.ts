import type { Timer } from './timer.ts';

/** What a limited call gives when it took too long. */
export const late = Symbol('late');

/** How long calls may take whose own time limits are in other hands. */
export type Limit = {
  readonly ms: number;
  /** What a call gives, or `late` when it has not settled by then; the call itself goes on. */
  hold<T>(call: Promise<T>): Promise<T | typeof late>;
  /** Waits for no call any more, so that its timers do not keep the process alive. */
  end(): void;
};

/** Makes a limit of so many milliseconds. */
export function createLimit(timer: Timer, ms: number): Limit {
  const cancels = new Set<() => void>();
  return {
    ms,
    hold: async (call) => {
      const over = Promise.withResolvers<typeof late>();
      const cancel = timer(ms, () => over.resolve(late));
      cancels.add(cancel);
      try {
        return await Promise.race([call, over.promise]);
      } finally {
        cancel();
        cancels.delete(cancel);
      }
    },
    end: () => {
      for (const cancel of cancels) cancel();
    },
  };
}
