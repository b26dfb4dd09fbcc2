import { keyBytes } from '../crypto/chunked-encryption.ts';
import { unwrapKey, wrapKey } from '../crypto/key-wrapping.ts';
import type { RootKey } from '../crypto/root-key.ts';
import type { Read, Row, Statement } from '../db/database.ts';
import { createMultiRowBuilder } from '../db/multi-row-statement.ts';
import { requireActiveRootKey } from '../db/root-key-store.ts';
import { bytesField, textField } from '../db/row-fields.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { hmac } from '../kernel/hashing.ts';
import { createLruCache, memoize } from '../kernel/lru-cache.ts';

/**
 * The key of each citizen, under which everything about that person is sealed: ledger content, message texts, document
 * keys. Destroying it erases all of that. Kept wrapped by the root key in `citizen_key`, made when a citizen is imported.
 */
export type CitizenKeys = {
  /**
   * The key of 32 bytes that seals what is about this person. An id that the register does not know gets a key derived
   * from the root, so that an unknown id costs what a known one does; nothing under it can be erased one by one.
   */
  keyOf(citizenId: string): Promise<Uint8Array>;
  /** The derived key of an id: also of a citizen now, for what was sealed before the register had that id. */
  decoyKeyOf(citizenId: string): Uint8Array;
  /** Reads the key of a citizen anew, for what must not outlive it; undefined where the citizen has none. */
  guardedKeyOf(citizenId: string): Promise<GuardedKey | undefined>;
  /** Reads the keys of many citizens at once, so that `keyOf` has them at hand. No id may come twice. */
  preload(citizenIds: readonly string[]): Promise<void>;
  /**
   * The statements that make the keys of many new citizens; harmless for those who have one. No id may come twice. Refused (`RootKeyRetired`)
   * where a rotation has overtaken them: made anew they are wrapped by the new root.
   */
  creationStatements(citizenIds: readonly string[]): Statement[];
  /** The statement that destroys a citizen's key; its unit is refused (`rows`) where there is none. Call `forget` then. */
  destructionStatement(citizenId: string): Statement;
  /** Drops a key that this thread has cached; other threads and processes use it no more within a minute. */
  evict(citizenId: string): void;
  /** Drops from memory what was not used since the last call. To be called each minute: then a destroyed key is gone after three. */
  evictUnused(): void;
  /** The pseudonym of 16 bytes under which the ledger groups a person's events. */
  pseudonymOf(citizenId: string): Uint8Array;
};

/**
 * A key as it stands in the database. A unit with `stands` before what it stores is refused (`rows`) once the key was
 * destroyed or wrapped anew; and a destruction waits until that unit is stored, and then sees what it stored.
 */
export type GuardedKey = { readonly key: Uint8Array; readonly precondition: Statement };

const pseudonymBytes = 16;
/** At least so many keys are kept in memory, and at most twice as many. */
const minCachedKeys = 10_000;
/** A destroyed key is used no longer than this, in processes other than the one that destroyed it. */
export const keyCacheMs = 60_000;
/**
 * That an id has no key is remembered for the length of a request: asked three times in it, an unknown id would otherwise
 * read three times what is at hand for a known one. No longer, or what is sealed about somebody new could not be opened; and not without a clock, or it would be for ever.
 */
const unknownIdCacheMs = 1_000;

const insertKeys = createMultiRowBuilder(
  'insert into citizen_key (citizen_id, wrapped, root_key_id) values',
  3,
  'on conflict (citizen_id) do nothing',
);

const selectKeys = createMultiRowBuilder(
  'select citizen_id, wrapped, root_key_id from citizen_key where citizen_id in (',
  1,
  ')',
);

/** Keys are cached for a minute of that clock, those that were used last: a burst on one citizen unwraps once. */
export function createCitizenKeys(read: Read, rootKey: RootKey, random: RandomBytes, clock?: Clock): CitizenKeys {
  const cache = createLruCache<{ readonly key: Uint8Array; readonly readAt: number }>(minCachedKeys);
  const unknownIds = createLruCache<{ readonly lookedAt: number; readonly openedAt: number }>(minCachedKeys);
  const now = () => clock?.now() ?? 0;
  const decoyKeyOf = (citizenId: string) => citizenHmac(rootKey, 'stranger-content', citizenId);
  const unwrapDecoy = createDecoyUnwrap(random);

  function cached(citizenId: string): Uint8Array | undefined {
    const found = cache.get(citizenId);
    return found !== undefined && Math.abs(now() - found.readAt) <= keyCacheMs ? found.key : undefined;
  }

  function unwrapRow(row: Row, citizenId: string, readAt: number): Uint8Array {
    const wrapping = rootKey.deriveForRoot(textField(row, 'root_key_id'), 'wrap-citizen-keys');
    const key = unwrapKey(wrapping, bytesField(row, 'wrapped'), `citizen ${citizenId}`);
    cache.set(citizenId, { key, readAt });
    return key;
  }

  const rowOf = async (citizenId: string) =>
    (await read('select wrapped, root_key_id from citizen_key where citizen_id = $1', [citizenId]))[0];

  async function keyOf(citizenId: string): Promise<Uint8Array> {
    const known = cached(citizenId);
    if (known !== undefined) return known;
    const readAt = now();
    const knownUnknown = unknownIds.get(citizenId);
    if (knownUnknown !== undefined && Math.abs(readAt - knownUnknown.lookedAt) < unknownIdCacheMs)
      return decoyKeyOf(citizenId);
    const row = await rowOf(citizenId);
    if (row !== undefined) return unwrapRow(row, citizenId, readAt);
    // What is too old stands there still, and was just looked at.
    cache.delete(citizenId);
    // As often as that of a known one, which is at hand meanwhile.
    const isRecentlyUnwrapped = knownUnknown !== undefined && Math.abs(readAt - knownUnknown.openedAt) <= keyCacheMs;
    if (!isRecentlyUnwrapped) unwrapDecoy();
    if (clock !== undefined)
      unknownIds.set(citizenId, { lookedAt: readAt, openedAt: isRecentlyUnwrapped ? knownUnknown.openedAt : readAt });
    return decoyKeyOf(citizenId);
  }

  async function guardedKeyOf(citizenId: string): Promise<GuardedKey | undefined> {
    const readAt = now();
    const row = await rowOf(citizenId);
    if (row === undefined) {
      cache.delete(citizenId);
      return undefined;
    }
    // An update, because it locks the row on every engine; it changes nothing.
    const sql = 'update citizen_key set wrapped = wrapped where citizen_id = $1 and wrapped = $2 returning citizen_id';
    const key = unwrapRow(row, citizenId, readAt);
    return { key, precondition: { sql, args: [citizenId, bytesField(row, 'wrapped')], rows: 1 } };
  }

  async function preload(citizenIds: readonly string[]): Promise<void> {
    const missing = citizenIds.filter((citizenId) => cached(citizenId) === undefined);
    for (const { sql, args } of selectKeys(missing.map((citizenId) => [citizenId]))) {
      const readAt = now();
      for (const row of await read(sql, args)) unwrapRow(row, textField(row, 'citizen_id'), readAt);
    }
  }

  return {
    keyOf,
    decoyKeyOf,
    guardedKeyOf,
    preload,
    evict: cache.delete,
    evictUnused: () => {
      cache.evictUnused();
      unknownIds.evictUnused();
    },
    destructionStatement,
    pseudonymOf: createPseudonyms(rootKey),
    creationStatements: (citizenIds) => {
      for (const citizenId of citizenIds) unknownIds.delete(citizenId);

      const keys = wrappedKeys(rootKey, citizenIds, random);
      return [requireActiveRootKey(rootKey.id), ...insertKeys(keys)];
    },
  };
}

function destructionStatement(citizenId: string): Statement {
  return {
    sql: 'delete from citizen_key where citizen_id = $1 returning citizen_id /* wipe */',
    args: [citizenId],
    rows: 1,
  };
}

/** Opens a key that nobody has: what is done for an unknown id takes as long as for a known one. */
function createDecoyUnwrap(random: RandomBytes): () => void {
  const [wrapping, bound] = [random(keyBytes), 'citizen decoy'];
  const wrapped = wrapKey(wrapping, random(keyBytes), bound, random);
  return () => void unwrapKey(wrapping, wrapped, bound);
}

/** By the root that the file has now: what the one before it wraps opens no more when a rotation has ended. */
function wrappedKeys(root: RootKey, citizenIds: readonly string[], source: RandomBytes) {
  root.refresh();
  const by = root.derive('wrap-citizen-keys');
  return citizenIds.map((citizenId) => [
    citizenId,
    wrapKey(by, source(keyBytes), `citizen ${citizenId}`, source),
    root.id,
  ]);
}

function citizenHmac(root: RootKey, purpose: 'citizen-pseudonym' | 'stranger-content', citizenId: string): Buffer {
  return hmac('sha256', root.derive(purpose), citizenId);
}

/** A pseudonym never changes, and one use of a citizen's data asks for it several times: those used last are kept. */
function createPseudonyms(root: RootKey): CitizenKeys['pseudonymOf'] {
  return memoize(minCachedKeys, (citizenId) => {
    const mac = citizenHmac(root, 'citizen-pseudonym', citizenId);
    // A part of it by `subarray` would be memory outside of the heap.
    const pseudonym = Buffer.allocUnsafeSlow(pseudonymBytes);
    for (let at = 0; at < pseudonymBytes; at += 1) pseudonym[at] = mac[at] ?? 0;
    return pseudonym;
  });
}
