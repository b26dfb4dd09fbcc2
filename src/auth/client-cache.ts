import type { Read } from '../db/database.ts';
import { type Clock, elapsedMs } from '../kernel/clock.ts';
import type { Client } from './client.ts';
import { allClients } from './client-store.ts';

/** All clients in memory, so that a request costs no query; never older than a minute. */
export type ClientCache = {
  /** The client of that id, disabled or not, as read at most a minute ago. Call `refresh` where it is not `fresh`. */
  get(clientId: string): Client | undefined;
  isFresh(): boolean;
  /** Reads the clients again, unless they were read within `ifOlderThanMs`. */
  refresh(ifOlderThanMs?: number): Promise<void>;
  /** Makes the next look read them again: what this process changes counts at once. */
  invalidate(): void;
};

/** The bound within which a disabled client stops everywhere (CONTRACT, section 2). */
const maxAgeMs = 60_000;
/** From this age on the next look reads them again behind the request, so that none has to wait. */
const staleMs = 30_000;

/** The view of this process; several looks at once share one reading. */
export function createClientCache(read: Read, clock: Clock): ClientCache {
  let clients: ReadonlyMap<string, Client> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let generation = 0;
  let reading: Promise<void> | undefined;

  async function load(): Promise<void> {
    // What is forgotten while this reads may be missing from it: then it reads once more.
    for (let startedIn = -1; startedIn !== generation; ) {
      startedIn = generation;
      const startedAt = clock.now();
      const all = await allClients(read);
      clients = new Map(all.map((client) => [client.clientId, client]));
      readAt = startedAt;
    }
  }

  function refresh(ifOlderThanMs = -1): Promise<void> {
    if (elapsedMs(readAt, clock) <= ifOlderThanMs) return Promise.resolve();
    reading ??= load().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    get: (clientId) => clients.get(clientId),
    isFresh() {
      const age = elapsedMs(readAt, clock);
      if (age > staleMs && age <= maxAgeMs) {
        // A failure here is no loss: after a minute the reading is awaited, and its failure ends the request.
        refresh().catch(() => undefined);
      }
      return age <= maxAgeMs;
    },
    refresh,
    invalidate() {
      generation += 1;
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
}
