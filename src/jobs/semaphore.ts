/** Limits how many calls run at once; the others wait in order. Calls with `first` wait before all others. */
export type Semaphore = <T>(call: () => Promise<T>, first?: boolean) => Promise<T>;

/**
 * Creates a semaphore of `permits`. Only calls with `first` use the last `reservedPermits`, so they need not wait for a call of
 * the others to end.
 */
export function createSemaphore(permits: number, reservedPermits = 0): Semaphore {
  const priorityWaiters: Array<() => void> = [];
  const waiters: Array<() => void> = [];
  let inUse = 0;
  const nextWaiter = () => priorityWaiters.shift() ?? (inUse < permits - reservedPermits ? waiters.shift() : undefined);
  return async (call, first = false) => {
    if (inUse < (first ? permits : permits - reservedPermits)) inUse += 1;
    else await new Promise<void>((resolve) => (first ? priorityWaiters : waiters).push(resolve));
    try {
      return await call();
    } finally {
      inUse -= 1;
      const resume = nextWaiter();
      if (resume !== undefined) {
        inUse += 1;
        resume();
      }
    }
  };
}
