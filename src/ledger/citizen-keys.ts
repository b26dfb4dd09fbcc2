import { keyBytes } from '../crypto/chunked-encryption.ts';
import { unwrapKey, wrapKey } from '../crypto/key-wrapping.ts';
import type { RootKey } from '../crypto/root-key.ts';
import { lookupByKey } from '../db/batch-statements.ts';
import type { Read, Row, Statement } from '../db/database.ts';
import { createMultiRowBuilder } from '../db/multi-row-statement.ts';
import { requireActiveRootKey } from '../db/root-key-store.ts';
import { bytesField, textField } from '../db/row-fields.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { hmac } from '../kernel/hashing.ts';
import { createLruCache, memoize } from '../kernel/lru-cache.ts';

/**
 * The key of each citizen (32 random bytes). It encrypts everything about that citizen: ledger content, message texts, document
 * keys. Destroying it erases all of that. It is created at the import of a citizen, and stored in `citizen_key`, wrapped under
 * the root key (AES-256-GCM, see `wrapKey`).
 */
export type CitizenKeys = {
  /**
   * The key of a citizen. An unknown id gets a decoy key derived from the root key, so that it costs the same as a known id.
   * Data under a decoy key cannot be erased by destroying a key.
   */
  keyOf(citizenId: string): Promise<Uint8Array>;
  /** The decoy key of an id: also opens what was encrypted before the citizen was imported. */
  decoyKeyOf(citizenId: string): Uint8Array;
  /** Reads the key of a citizen from the database, for data that must not outlive it; undefined if there is none. */
  guardedKeyOf(citizenId: string): Promise<GuardedKey | undefined>;
  /** Reads the keys of many citizens into the cache. No id may repeat. */
  preload(citizenIds: readonly string[]): Promise<void>;
  /**
   * The statements that create the keys of new citizens; no effect for existing keys. No id may repeat. The unit is refused
   * (`RootKeyRetired`) if a root key rotation has finished meanwhile: then create the statements again.
   */
  creationStatements(citizenIds: readonly string[]): Statement[];
  /** Destroys the key of a citizen; the unit is refused (`rows`) if there is none. Call `evict` afterwards. */
  destructionStatement(citizenId: string): Statement;
  /** Removes a key from the cache of this thread. Other threads and processes stop using it within a minute. */
  evict(citizenId: string): void;
  /** Evicts keys that were not used since the last call. Call it each minute: a destroyed key leaves memory after three. */
  evictUnused(): void;
  /** The pseudonym of a citizen in the ledger: the first 16 bytes of an HMAC-SHA-256 of the id under a root subkey. */
  pseudonymOf(citizenId: string): Uint8Array;
};

/**
 * A key as it is stored. Put `precondition` first in a unit: the unit is refused (`rows`) if the key was destroyed or wrapped
 * again. A concurrent destruction waits until the unit is stored, and then sees its rows.
 */
type GuardedKey = { readonly key: Uint8Array; readonly precondition: Statement };

const pseudonymBytes = 16;
/** The cache keeps at least this many keys, and at most twice as many. */
const minCachedKeys = 10_000;
/** How long other processes may use a destroyed key. */
export const keyCacheMs = 60_000;
/**
 * How long an id is remembered as unknown: the length of a request. A request looks up its id several times, and an unknown id
 * must not cost more reads than a known one, whose key is cached. Longer would be wrong, because the citizen may be imported.
 */
const unknownIdCacheMs = 1_000;

const insertKeys = createMultiRowBuilder(
  'insert into citizen_key (citizen_id, wrapped, root_key_id) values',
  3,
  'on conflict (citizen_id) do nothing',
);

const findWrappedKey = lookupByKey('citizen_key', 'citizen_id', 'citizen_id, wrapped, root_key_id');

const selectKeys = createMultiRowBuilder(
  'select citizen_id, wrapped, root_key_id from citizen_key where citizen_id in (',
  1,
  ')',
);

/** Opens the citizen keys of a database. Without a clock cached keys never expire: only for commands and tests. */
export function createCitizenKeys(read: Read, rootKey: RootKey, random: RandomBytes, clock?: Clock): CitizenKeys {
  const now = () => clock?.now() ?? 0;
  const cache = createKeyCache(read, rootKey, now);
  const unknownIds = createUnknownIds(random, clock);
  const decoyKeyOf = (citizenId: string) => citizenHmac(rootKey, 'stranger-content', citizenId);

  async function keyOf(citizenId: string): Promise<Uint8Array> {
    const cached = cache.get(citizenId);
    if (cached !== undefined) return cached;
    const readAt = now();
    if (unknownIds.has(citizenId, readAt)) return decoyKeyOf(citizenId);
    const found = await cache.load(citizenId);
    if (found !== undefined) return found.key;
    unknownIds.add(citizenId, readAt);
    return decoyKeyOf(citizenId);
  }

  async function guardedKeyOf(citizenId: string): Promise<GuardedKey | undefined> {
    const found = await cache.load(citizenId);
    if (found === undefined) return undefined;
    // An update, because it locks the row on both engines; it changes nothing.
    const sql = 'update citizen_key set wrapped = wrapped where citizen_id = $1 and wrapped = $2 returning citizen_id';
    return { key: found.key, precondition: { sql, args: [citizenId, found.wrapped], rows: 1 } };
  }

  return {
    keyOf,
    decoyKeyOf,
    guardedKeyOf,
    preload: cache.preload,
    evict: cache.evict,
    evictUnused: () => {
      cache.evictUnused();
      unknownIds.evictUnused();
    },
    destructionStatement,
    pseudonymOf: memoize(minCachedKeys, (citizenId) =>
      citizenHmac(rootKey, 'citizen-pseudonym', citizenId).subarray(0, pseudonymBytes),
    ),
    creationStatements: (citizenIds) => {
      for (const citizenId of citizenIds) unknownIds.delete(citizenId);
      const keys = wrapNewKeys(rootKey, citizenIds, random);
      return [requireActiveRootKey(rootKey.id), ...insertKeys(keys)];
    },
  };
}

/** Unwrapped keys by citizen id, each for `keyCacheMs` after it was read. */
function createKeyCache(read: Read, rootKey: RootKey, now: () => number) {
  const cache = createLruCache<{ readonly key: Uint8Array; readonly readAt: number }>(minCachedKeys);

  function get(citizenId: string): Uint8Array | undefined {
    const found = cache.get(citizenId);
    return found !== undefined && Math.abs(now() - found.readAt) <= keyCacheMs ? found.key : undefined;
  }

  function unwrapRow(row: Row, citizenId: string, readAt: number): Uint8Array {
    const wrappingKey = rootKey.deriveForRoot(textField(row, 'root_key_id'), 'wrap-citizen-keys');
    const key = unwrapKey(wrappingKey, bytesField(row, 'wrapped'), wrapContext(citizenId));
    cache.set(citizenId, { key, readAt });
    return key;
  }

  return {
    get,
    load: async (citizenId: string) => {
      const readAt = now();
      const [row] = await findWrappedKey(read, citizenId);
      // Without a row the key was destroyed: an expired copy must not stay.
      if (row === undefined) cache.delete(citizenId);
      return row && { key: unwrapRow(row, citizenId, readAt), wrapped: bytesField(row, 'wrapped') };
    },
    preload: async (citizenIds: readonly string[]) => {
      const missing = citizenIds.filter((citizenId) => get(citizenId) === undefined);
      for (const { sql, args } of selectKeys(missing.map((citizenId) => [citizenId]))) {
        const readAt = now();
        for (const row of await read(sql, args)) unwrapRow(row, textField(row, 'citizen_id'), readAt);
      }
    },
    evict: cache.delete,
    evictUnused: cache.evictUnused,
  };
}

/**
 * Ids that had no key at their last look-up. They hide from a caller's timing whether an id is known: an unknown id costs as
 * many reads and as many unwraps as a known one (citizen-keys.test.ts, test/attacks/unknown-id-decoy.test.ts).
 */
function createUnknownIds(random: RandomBytes, clock: Clock | undefined) {
  const seen = createLruCache<{ readonly readAt: number; readonly unwrappedAt: number }>(minCachedKeys);
  const wrappingKey = random(keyBytes);
  const decoy = wrapKey(wrappingKey, random(keyBytes), wrapContext('decoy'), random);
  return {
    has: (citizenId: string, now: number) => {
      const found = seen.get(citizenId);
      return found !== undefined && Math.abs(now - found.readAt) < unknownIdCacheMs;
    },
    add: (citizenId: string, readAt: number) => {
      // A known key stays cached for `keyCacheMs` after its unwrap: the decoy is unwrapped as often.
      const unwrappedAt = seen.get(citizenId)?.unwrappedAt ?? Number.NEGATIVE_INFINITY;
      const isCached = Math.abs(readAt - unwrappedAt) <= keyCacheMs;
      if (!isCached) unwrapKey(wrappingKey, decoy, wrapContext('decoy'));
      if (clock !== undefined) seen.set(citizenId, { readAt, unwrappedAt: isCached ? unwrappedAt : readAt });
    },
    delete: seen.delete,
    evictUnused: seen.evictUnused,
  };
}

function destructionStatement(citizenId: string): Statement {
  return {
    sql: 'delete from citizen_key where citizen_id = $1 returning citizen_id',
    args: [citizenId],
    rows: 1,
    erase: true,
  };
}

/** Rows of new keys. The root key file is read again first: keys under a retired root key would not open after a rotation. */
function wrapNewKeys(root: RootKey, citizenIds: readonly string[], random: RandomBytes) {
  root.refresh();
  const wrappingKey = root.derive('wrap-citizen-keys');
  return citizenIds.map((citizenId) => [
    citizenId,
    wrapKey(wrappingKey, random(keyBytes), wrapContext(citizenId), random),
    root.id,
  ]);
}

/** The associated data that binds a wrapped key to its citizen. */
const wrapContext = (citizenId: string) => `citizen ${citizenId}`;

function citizenHmac(root: RootKey, purpose: 'citizen-pseudonym' | 'stranger-content', citizenId: string): Buffer {
  return hmac('sha256', root.derive(purpose), citizenId);
}
