/** Lets a limited number of calls in at once; the others wait in line, those that are `first` before all others. */
export type Semaphore = <T>(call: () => Promise<T>, first?: boolean) => Promise<T>;

/**
 * Makes a gate that lets `places` calls in at once, first come, first served. So many of the places as are `kept` are
 * for those that are `first` only: they need not wait until one of the others has ended.
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
