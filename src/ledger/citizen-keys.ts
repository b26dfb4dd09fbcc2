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
import { erasedIdOf, pseudonymInErasedId } from './erased-id.ts';

/**
 * The key of each citizen (32 random bytes). It encrypts everything about that citizen: ledger content, message texts, document
 * keys. Destroying it erases all of that. It is created at the import of a citizen, and stored in `citizen_key`, wrapped under
 * the root key (AES-256-GCM, see `wrapKey`).
 */
export type CitizenKeys = {
  /**
   * The key of a citizen. The id of an erased citizen has a successor key: an erasure creates it, and the next erasure destroys
   * it. An id without any key gets a decoy key derived from the root key, so that it costs the same as a known id. A decoy key
   * cannot be destroyed. Therefore an erasure ends its use for that id.
   */
  keyOf(citizenId: string): Promise<Uint8Array>;
  /** The key of an id before the citizen was imported, or imported again: the successor key, otherwise the decoy key. */
  earlierKeyOf(citizenId: string): Promise<Uint8Array>;
  /** Reads the key of a citizen from the database, for data that must not outlive it; undefined if there is none. */
  guardedKeyOf(citizenId: string): Promise<GuardedKey | undefined>;
  /** Reads the keys of many citizens into the cache. No id may repeat. */
  preload(citizenIds: readonly string[]): Promise<void>;
  /**
   * The statements that create the keys of new citizens; no effect for existing keys. No id may repeat. The unit is refused
   * (`RootKeyRetired`) if a root key rotation has finished meanwhile: then create the statements again.
   */
  creationStatements(citizenIds: readonly string[]): Statement[];
  /**
   * The statements that destroy the keys of a citizen, and create a successor key for what is stored about the id later. Call
   * `evict` afterwards. The unit is refused as that of `creationStatements` is.
   */
  destructionStatements(citizenId: string): Statement[];
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

const replaceKeys = createMultiRowBuilder(
  'insert into citizen_key (citizen_id, wrapped, root_key_id) values',
  3,
  'on conflict (citizen_id) do update set wrapped = excluded.wrapped, root_key_id = excluded.root_key_id',
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
  const pseudonymOf = memoize(
    minCachedKeys,
    (citizenId) =>
      pseudonymInErasedId(citizenId) ??
      citizenHmac(rootKey, 'citizen-pseudonym', citizenId).subarray(0, pseudonymBytes),
  );
  const successorIdOf = (citizenId: string) => erasedIdOf(pseudonymOf(citizenId));
  const cache = createKeyCache(read, rootKey, { now, successorIdOf });
  const unknownIds = createUnknownIds(random, clock);
  const decoyKeyOf = (citizenId: string) => citizenHmac(rootKey, 'stranger-content', citizenId);

  async function keysOf(citizenId: string): Promise<StoredKeys> {
    const cached = cache.get(citizenId);
    if (cached !== undefined) return cached;
    const readAt = now();
    if (unknownIds.has(citizenId, readAt)) return {};
    const { keys } = await cache.load(citizenId);
    if (keys.own === undefined && keys.successor === undefined) unknownIds.add(citizenId, readAt);
    return keys;
  }

  async function guardedKeyOf(citizenId: string): Promise<GuardedKey | undefined> {
    const { keys, wrapped } = await cache.load(citizenId);
    if (keys.own === undefined || wrapped === undefined) return undefined;
    // An update, because it locks the row on both engines; it changes nothing.
    const sql = 'update citizen_key set wrapped = wrapped where citizen_id = $1 and wrapped = $2 returning citizen_id';
    return { key: keys.own, precondition: { sql, args: [citizenId, wrapped], rows: 1 } };
  }

  return {
    keyOf: async (citizenId) => {
      const { own, successor } = await keysOf(citizenId);
      return own ?? successor ?? decoyKeyOf(citizenId);
    },
    earlierKeyOf: async (citizenId) => (await keysOf(citizenId)).successor ?? decoyKeyOf(citizenId),
    guardedKeyOf,
    preload: cache.preload,
    evict: (citizenId) => {
      for (const id of [citizenId, successorIdOf(citizenId)]) {
        cache.evict(id);
        unknownIds.delete(id);
      }
    },
    evictUnused: () => {
      cache.evictUnused();
      unknownIds.evictUnused();
    },
    pseudonymOf,
    creationStatements: (citizenIds) => {
      for (const citizenId of citizenIds) {
        unknownIds.delete(citizenId);
        // What is cached without an own key is a successor key.
        if (cache.get(citizenId)?.own === undefined) cache.evict(citizenId);
      }
      const keys = wrapNewKeys(rootKey, citizenIds, random);
      return [requireActiveRootKey(rootKey.id), ...insertKeys(keys)];
    },
    destructionStatements: (citizenId) => {
      const successorId = successorIdOf(citizenId);
      const keys = wrapNewKeys(rootKey, [successorId], random);
      const destroy = { sql: 'delete from citizen_key where citizen_id in ($1, $2)', args: [citizenId, successorId] };
      return [{ ...destroy, erase: true }, requireActiveRootKey(rootKey.id), ...replaceKeys(keys)];
    },
  };
}

/** The keys of an id that are stored: its own, and the successor key of its last erasure. */
type StoredKeys = { readonly own?: Uint8Array; readonly successor?: Uint8Array };

type KeyCacheOptions = { readonly now: () => number; readonly successorIdOf: (citizenId: string) => string };

/** Unwrapped keys by citizen id, each for `keyCacheMs` after it was read. */
function createKeyCache(read: Read, rootKey: RootKey, { now, successorIdOf }: KeyCacheOptions) {
  const cache = createLruCache<{ readonly keys: StoredKeys; readonly readAt: number }>(minCachedKeys);

  function get(citizenId: string): StoredKeys | undefined {
    const found = cache.get(citizenId);
    return found !== undefined && Math.abs(now() - found.readAt) <= keyCacheMs ? found.keys : undefined;
  }

  function unwrapRow(row: Row): Uint8Array {
    const wrappingKey = rootKey.deriveForRoot(textField(row, 'root_key_id'), 'wrap-citizen-keys');
    return unwrapKey(wrappingKey, bytesField(row, 'wrapped'), wrapContext(textField(row, 'citizen_id')));
  }

  function keep(citizenId: string, rows: { readonly own?: Row; readonly successor?: Row }, readAt: number): StoredKeys {
    const keys: StoredKeys = {
      ...(rows.own && { own: unwrapRow(rows.own) }),
      ...(rows.successor && { successor: unwrapRow(rows.successor) }),
    };
    // Without a row the key was destroyed: an expired copy must not stay.
    if (rows.own === undefined && rows.successor === undefined) cache.delete(citizenId);
    else cache.set(citizenId, { keys, readAt });
    return keys;
  }

  return {
    get,
    load: async (citizenId: string) => {
      const readAt = now();
      // Both rows are read for every id, so that known, erased and unknown ids cost the same.
      const [[own], [successor]] = await Promise.all([
        findWrappedKey(read, citizenId),
        findWrappedKey(read, successorIdOf(citizenId)),
      ]);
      const keys = keep(citizenId, { ...(own && { own }), ...(successor && { successor }) }, readAt);
      return { keys, wrapped: own && bytesField(own, 'wrapped') };
    },
    preload: async (citizenIds: readonly string[]) => {
      const missing = citizenIds.filter((citizenId) => get(citizenId) === undefined);
      const wanted = new Set(missing.flatMap((citizenId) => [citizenId, successorIdOf(citizenId)]));
      const rows = new Map<string, Row>();
      const readAt = now();
      for (const { sql, args } of selectKeys([...wanted].map((id) => [id])))
        for (const row of await read(sql, args)) rows.set(textField(row, 'citizen_id'), row);
      for (const citizenId of missing) {
        const [own, successor] = [rows.get(citizenId), rows.get(successorIdOf(citizenId))];
        keep(citizenId, { ...(own && { own }), ...(successor && { successor }) }, readAt);
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
