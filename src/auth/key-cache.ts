import { type Clock, elapsedMs } from '../kernel/clock.ts';

/** The pause after a failed fetch, and between two fetches for unknown key ids, which anybody can make up. */
const cooldownMs = 30_000;
const keysLifeMs = 600_000;

type KeyCacheDeps<Keys, Fault extends Error> = {
  /** Fetches the keys. `earlier` are the keys of the last fetch; undefined if there are none, or a fetch failed after they expired. */
  fetchKeys(earlier: Keys | undefined): Promise<Keys>;
  /** The error that callers get when there are no valid keys. */
  unavailable(cause?: unknown): Fault;
  /** Must be monotonic. */
  readonly clock: Clock;
  /** Receives the fault when no valid keys are left. */
  onFault(fault: Fault): void;
};

/**
 * Published keys of one issuer or client, in memory. `createRemoteJWKSet` of jose is not used, since it counts by the clock of the
 * machine, which may be corrected, and fetches again for each unknown key id while the other server fails.
 */
export function createKeyCache<Keys, Fault extends Error>(deps: KeyCacheDeps<Keys, Fault>) {
  const { clock } = deps;
  let keys: { readonly value: Keys; readonly fetchedAt: number } | undefined;
  let loading: Promise<Keys> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  const isPaused = () => elapsedMs(failedAt, clock) < cooldownMs;
  const isUsable = ({ fetchedAt }: { readonly fetchedAt: number }) => elapsedMs(fetchedAt, clock) <= keysLifeMs;

  function load(): Promise<Keys> {
    loading ??= fetchKeys().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function fetchKeys(): Promise<Keys> {
    const fetchedAt = clock.now();
    try {
      const value = await deps.fetchKeys(keys?.value);
      keys = { value, fetchedAt };
      return value;
    } catch (cause) {
      failedAt = clock.now();
      const fault = deps.unavailable(cause);
      // A failed load for an unknown key id leaves the known keys valid. Expired keys are dropped, so that the next fetch starts with
      // discovery: the issuer may have moved its keys.
      if (keys === undefined || !isUsable(keys)) {
        keys = undefined;
        deps.onFault(fault);
      }
      throw fault;
    }
  }

  return {
    isLoading: () => loading !== undefined,
    current: async (): Promise<Keys> => {
      if (keys !== undefined && isUsable(keys)) return keys.value;
      if (keys === undefined && loading === undefined && isPaused()) throw deps.unavailable();
      return await load();
    },
    /** Loads the keys for an unknown key id; undefined if they were loaded within the last 30 seconds. */
    newerKeys: async (): Promise<Keys | undefined> => {
      if (keys !== undefined && elapsedMs(keys.fetchedAt, clock) < cooldownMs) return undefined;
      if (loading === undefined && isPaused()) throw deps.unavailable();
      return await load();
    },
  };
}
