/** Lets a limited number of calls in at once; the others wait in line, those that are `first` before all others. */
export type Gate = <T>(call: () => Promise<T>, first?: boolean) => Promise<T>;

/** Makes a gate that lets `places` calls in at once, first come, first served. */
export function createGate(places: number): Gate {
  const before: Array<() => void> = [];
  const line: Array<() => void> = [];
  let taken = 0;
  return async (call, first = false) => {
    if (taken < places) taken += 1;
    else await new Promise<void>((resolve) => (first ? before : line).push(resolve));
    try {
      return await call();
    } finally {
      const next = before.shift() ?? line.shift();
      if (next === undefined) taken -= 1;
      else next();
    }
  };
}
