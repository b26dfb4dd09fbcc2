import type { Read } from '../db/database.ts';
import { type Clock, elapsedMs } from '../kernel/clock.ts';
import type { Client } from './client.ts';
import { allClients } from './client-store.ts';
import { registrationCertificateExpiry } from './registration-certificate.ts';

/** All clients in memory, so that a request needs no query. */
export type ClientCache = {
  /** The client of that id, disabled or not, as last read. Call `refresh` first unless `isFresh`. */
  get(clientId: string): Client | undefined;
  /** The registration certificate of a purpose of that client; undefined if it has none, or an expired one. */
  registrationCertificateOf(clientId: string, purpose: string): string | undefined;
  isFresh(): boolean;
  /** Reads the clients again, unless they were read within `ifOlderThanMs`. */
  refresh(ifOlderThanMs?: number): Promise<void>;
  /** Makes the next request read the clients again, so that a change by this process takes effect at once. */
  invalidate(): void;
};

/** The time after which a disabled client is refused by every process. */
const maxAgeMs = 60_000;
/** From this age on a request starts a read in the background, so that no request waits for one. */
const staleMs = 30_000;

/** Creates the cache of one process. Concurrent refreshes share one read. */
export function createClientCache(read: Read, clock: Clock): ClientCache {
  let clients: ReadonlyMap<string, Client> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let generation = 0;
  let reading: Promise<void> | undefined;

  async function load(): Promise<void> {
    const [startedIn, startedAt] = [generation, clock.now()];
    const all = await allClients(read);
    clients = new Map(all.map((client) => [client.clientId, client]));
    readAt = startedAt;
    // The result may lack a change that this process made during the read.
    if (generation !== startedIn) await load();
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
    registrationCertificateOf: (clientId, purpose) => {
      const certificates = clients.get(clientId)?.registrationCertificates ?? {};
      // The purpose comes from a request, and may be the name of a member that every object inherits.
      const jwt = Object.hasOwn(certificates, purpose) ? certificates[purpose] : undefined;
      return jwt !== undefined && registrationCertificateExpiry(jwt) > clock.now() ? jwt : undefined;
    },
    isFresh() {
      const age = elapsedMs(readAt, clock);
      if (age > staleMs && age <= maxAgeMs) {
        // A failure is ignored here: after a minute, a request waits for a read and fails if the read fails.
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
