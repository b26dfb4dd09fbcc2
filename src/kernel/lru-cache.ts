/** A cache that keeps the most recently used values. `undefined` is not a value. */
type LruCache<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  /** Evicts what was not used since the last call. */
  evictUnused(): void;
};

/**
 * Keeps the last `halfCapacity` used values and up to twice as many. The older half is dropped at once: deleting single entries
 * from a large Map is slow. `lru-cache` has no `evictUnused`, which limits how long a key stays in memory.
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

/** A function that computes `make(key)` once for each recently used key; see `createLruCache`. */
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
