import type { Read } from '../../db/database.ts';
import type { WriteWithoutEvent } from '../../jobs/write-without-event.ts';
import { type Clock, elapsedMs } from '../../kernel/clock.ts';
import { createLruCache } from '../../kernel/lru-cache.ts';
import type { EntityCache } from './entity-cache.ts';
import { openStatusList, type StatusList, statusAt } from './status-list.ts';
import { type KindConfig, mayFetchStatusList } from './trust-file.ts';
import type { TrustedEntity } from './trusted-entity-list.ts';
import { findFetchedList, findFetchTime, rememberNamedList, type WalletListKey } from './wallet-list-store.ts';
import type { WalletTrust } from './wallet-trust.ts';

type StatusCacheDeps = {
  readonly configs: readonly KindConfig[];
  readonly entities: EntityCache;
  readonly read: Read;
  readonly claim: WriteWithoutEvent;
  readonly clock: Clock;
  /** A stored list that is not valid any more. */
  onFault(fault: unknown): void;
};

type CachedList = {
  readonly fetchedAt: number;
  readonly expiresAt: number;
  readonly list: StatusList;
};
type CacheEntry = { readonly checkedAt: number; readonly cached: CachedList | undefined };

/** At most 32 lists are in memory, in each thread: 4 MiB with 1 bit for 2^20 credentials, and 128 MiB if all have the maximum size. */
const halfCapacity = 16;
const maxAgeMs = 60_000;
const maxAgeWhileMissingMs = 2_000;

/** Creates `statusOf`, which reads the lists that the job has fetched. */
export function createStatusCache(deps: StatusCacheDeps): WalletTrust['statusOf'] {
  const { configs, entities, read, claim, clock } = deps;
  const entries = createLruCache<CacheEntry>(halfCapacity);
  /** Many presentations at the same time need the same list: it is read and inflated once. */
  const reading = new Map<string, Promise<CachedList | undefined>>();

  async function cachedList(key: WalletListKey, now: number): Promise<CachedList | undefined> {
    const name = `${key.credential} ${key.url}`;
    const known = entries.get(name);
    const maxAge = known?.cached === undefined ? maxAgeWhileMissingMs : maxAgeMs;
    if (known !== undefined && elapsedMs(known.checkedAt, clock) <= maxAge) return known.cached;
    const running = reading.get(name) ?? readList(key, known, now).finally(() => reading.delete(name));
    reading.set(name, running);
    return await running;
  }

  async function readList(
    key: WalletListKey,
    known: CacheEntry | undefined,
    now: number,
  ): Promise<CachedList | undefined> {
    const fetchedAt = await findFetchTime(read, key);
    if (fetchedAt === undefined) await claim(rememberNamedList(key, clock.now()));
    const isSame = known?.cached !== undefined && known.cached.fetchedAt === fetchedAt;
    const cached = isSame ? known.cached : await loadList(deps, key, now);
    entries.set(`${key.credential} ${key.url}`, { checkedAt: clock.now(), cached });
    return cached;
  }

  return async (kind, { uri, index }, now, issuer) => {
    const config = configs.find((one) => one.kind.name === kind.name);
    if (config === undefined || !mayFetchStatusList(config, uri)) return 'unknown';
    await entities.refresh();
    const cached = await cachedList({ credential: kind.name, url: uri }, now);
    if (cached === undefined || cached.expiresAt <= now || (cached.list.expiresAt ?? now + 1) <= now) return 'unknown';
    // Attack: another trusted issuer signs a list that says that a revoked credential is valid.
    // Several entities can have the anchor of this issuer, for example if a CA is in a file and in a list.
    const own = entities
      .entitiesOf(kind.name, now)
      .filter(({ issuing }) => issuing.some((anchor) => anchor.x509.fingerprint256 === issuer.anchor));
    const isOwn = own.flatMap(statusAnchorsOf).some(({ x509 }) => x509.raw.equals(cached.list.anchor.x509.raw));
    return isOwn ? statusAt(cached.list, index) : 'unknown';
  };
}

/** The anchors that sign the status lists of an entity. */
export function statusAnchorsOf({ issuing, revoking }: TrustedEntity): TrustedEntity['issuing'] {
  return revoking.length > 0 ? revoking : issuing;
}

async function loadList(
  { entities, read, onFault }: StatusCacheDeps,
  key: WalletListKey,
  now: number,
): Promise<CachedList | undefined> {
  const stored = await findFetchedList(read, key);
  if (stored === undefined || stored.expiresAt <= now) return undefined;
  // Another process may have fetched it together with a list of issuers that has a new signer.
  await entities.reload();
  const anchors = entities.entitiesOf(key.credential, now).flatMap(statusAnchorsOf);
  const text = Buffer.from(stored.content).toString('utf8');
  const list = await openStatusList(text, { uri: key.url, anchors, now }).catch(onFault);
  return list ? { fetchedAt: stored.fetchedAt, expiresAt: stored.expiresAt, list } : undefined;
}
