/** What was used last, by key; what was not used for long is forgotten. */
export type LruCache<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  /** Forgets what was not used since the last time. */
  evictUnused(): void;
};

/**
 * Keeps at least the last `half` values that were used, and at most twice as many. In two halves, of which the older is
 * dropped as a whole: a Map from which the oldest is deleted one by one keeps the holes, and looks through all of them.
 */
export function createLruCache<V>(halfCapacity: number): LruCache<V> {
  let recentHalf = new Map<string, V>();
  let olderHalf = new Map<string, V>();

  function set(key: string, value: V): void {
    recentHalf.set(key, value);
    if (recentHalf.size >= halfCapacity) evictUnused();
  }

  function evictUnused(): void {
    olderHalf = recentHalf;
    recentHalf = new Map();
  }

  return {
    get: (key) => {
      const found = recentHalf.get(key);
      if (found !== undefined) return found;
      const older = olderHalf.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
    evictUnused,
    delete: (key) => {
      recentHalf.delete(key);
      olderHalf.delete(key);
    },
    clear: () => {
      recentHalf.clear();
      olderHalf.clear();
    },
  };
}

/** The function that makes a value of a key, made once for the keys that were used last; see `createRecent`. */
export function memoize<V>(halfCapacity: number, make: (key: string) => V): (key: string) => V {
  const cache = createLruCache<V>(halfCapacity);
  return (key) => {
    let value = cache.get(key);
    if (value === undefined) {
      value = make(key);
      cache.set(key, value);
    }
    return value;
  };
}
