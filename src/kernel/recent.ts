/** What was used last, by key; what was not used for long is forgotten. */
export type Recent<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  /** Forgets what was not used since the last time. */
  forgetUnused(): void;
};

/**
 * Keeps at least the last `half` values that were used, and at most twice as many. In two halves, of which the older is
 * dropped as a whole: a Map from which the oldest is deleted one by one keeps the holes, and looks through all of them.
 */
export function createRecent<V>(half: number): Recent<V> {
  let young = new Map<string, V>();
  let old = new Map<string, V>();

  function set(key: string, value: V): void {
    young.set(key, value);
    if (young.size >= half) forgetUnused();
  }

  function forgetUnused(): void {
    old = young;
    young = new Map();
  }

  return {
    get: (key) => {
      const found = young.get(key);
      if (found !== undefined) return found;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
    forgetUnused,
    delete: (key) => {
      young.delete(key);
      old.delete(key);
    },
    clear: () => {
      young.clear();
      old.clear();
    },
  };
}

/** The function that makes a value of a key, made once for the keys that were used last; see `createRecent`. */
export function remembering<V>(half: number, make: (key: string) => V): (key: string) => V {
  const known = createRecent<V>(half);
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = make(key);
      known.set(key, value);
    }
    return value;
  };
}
