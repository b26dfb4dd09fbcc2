/** Lets a limited number of calls in at once; the others wait in line. */
export type Gate = <T>(call: () => Promise<T>) => Promise<T>;

/** Makes a gate that lets `places` calls in at once, first come, first served. */
export function createGate(places: number): Gate {
  const line: Array<() => void> = [];
  let taken = 0;
  return async (call) => {
    if (taken < places) taken += 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await call();
    } finally {
      const next = line.shift();
      if (next === undefined) taken -= 1;
      else next();
    }
  };
}
