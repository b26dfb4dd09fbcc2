/** Lets a limited number of calls in at once; the others wait in line, those that are `first` before all others. */
export type Gate = <T>(call: () => Promise<T>, first?: boolean) => Promise<T>;

/**
 * Makes a gate that lets `places` calls in at once, first come, first served. So many of the places as are `kept` are
 * for those that are `first` only: they need not wait until one of the others has ended.
 */
export function createGate(places: number, kept = 0): Gate {
  const before: Array<() => void> = [];
  const line: Array<() => void> = [];
  let taken = 0;
  const next = () => before.shift() ?? (taken < places - kept ? line.shift() : undefined);
  return async (call, first = false) => {
    if (taken < (first ? places : places - kept)) taken += 1;
    else await new Promise<void>((resolve) => (first ? before : line).push(resolve));
    try {
      return await call();
    } finally {
      taken -= 1;
      const admit = next();
      if (admit !== undefined) {
        taken += 1;
        admit();
      }
    }
  };
}
