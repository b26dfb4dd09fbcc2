/** 0 goes before 1, and 1 before 2. */
export type CallPriority = 0 | 1 | 2;

/** Limits how many calls run at once; the others wait in the order of their priority, and then of their arrival. */
export type Semaphore = <T>(call: () => Promise<T>, priority?: CallPriority) => Promise<T>;

/**
 * Creates a semaphore of `permits`. Only calls with the priority 0 use the last `reservedPermits`, so they need not wait for a call of
 * the others to end.
 */
export function createSemaphore(permits: number, reservedPermits = 0): Semaphore {
  const waiters: Readonly<Record<CallPriority, Array<() => void>>> = { 0: [], 1: [], 2: [] };
  let inUse = 0;
  const nextWaiter = () =>
    waiters[0].shift() ?? (inUse < permits - reservedPermits ? (waiters[1].shift() ?? waiters[2].shift()) : undefined);
  return async (call, priority = 1) => {
    if (inUse < (priority === 0 ? permits : permits - reservedPermits)) inUse += 1;
    else await new Promise<void>((resolve) => waiters[priority].push(resolve));
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
