import type { Clock, Random } from '../kernel/clock.ts';
import { hmac } from '../kernel/hashing.ts';
import { createRecent, remembering } from '../kernel/recent.ts';
import { keyBytes } from '../keys/chunked-encryption.ts';
import type { RootKey } from '../keys/root-key.ts';
import { drawnAtOnce, unwrapKey, wrapKey, wrapNonceBytes } from '../keys/wrap.ts';
import type { Read, Row, Statement } from '../store/db.ts';
import { createMultiRow } from '../store/multi-row.ts';
import { rootStands } from '../store/root-key-store.ts';
import { bytesField, textField } from '../store/row-fields.ts';

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
  strangerKeyOf(citizenId: string): Uint8Array;
  /** Reads the key of a citizen anew, for what must not outlive it; undefined where the citizen has none. */
  standingKeyOf(citizenId: string): Promise<StandingKey | undefined>;
  /** Reads the keys of many citizens at once, so that `keyOf` has them at hand. No id may come twice. */
  load(citizenIds: readonly string[]): Promise<void>;
  /**
   * The statements that make the keys of many new citizens; harmless for those who have one. No id may come twice. Refused (`RootKeyRetired`)
   * where a rotation has overtaken them: made anew they are wrapped by the new root.
   */
  creations(citizenIds: readonly string[]): Statement[];
  /** The statement that destroys a citizen's key; its unit is refused (`rows`) where there is none. Call `forget` then. */
  destruction(citizenId: string): Statement;
  /** Drops a key that this thread has cached; other threads and processes use it no more within a minute. */
  forget(citizenId: string): void;
  /** Drops from memory what was not used since the last call. To be called each minute: then a destroyed key is gone after three. */
  forgetUnused(): void;
  /** The pseudonym of 16 bytes under which the ledger groups a person's events. */
  pseudonymOf(citizenId: string): Uint8Array;
};

/**
 * A key as it stands in the database. A unit with `stands` before what it stores is refused (`rows`) once the key was
 * destroyed or wrapped anew; and a destruction waits until that unit is stored, and then sees what it stored.
 */
export type StandingKey = { readonly key: Uint8Array; readonly stands: Statement };

const pseudonymBytes = 16;
/** At least so many keys are kept in memory, and at most twice as many. */
const cachedKeys = 10_000;
/** A destroyed key is used no longer than this, in processes other than the one that destroyed it. */
export const cachedForMs = 60_000;
/**
 * That an id has no key is remembered for the length of a request: asked three times in it, an unknown id would otherwise
 * read three times what is at hand for a known one. No longer, or what is sealed about somebody new could not be opened; and not without a clock, or it would be for ever.
 */
const strangerForMs = 1_000;

const insertKeys = createMultiRow(
  'insert into citizen_key (citizen_id, wrapped, root_key_id) values',
  3,
  'on conflict (citizen_id) do nothing',
);

const selectKeys = createMultiRow(
  'select citizen_id, wrapped, root_key_id from citizen_key where citizen_id in (',
  1,
  ')',
);

/** Keys are cached for a minute of that clock, those that were used last: a burst on one citizen unwraps once. */
export function createCitizenKeys(read: Read, root: RootKey, random: Random, clock?: Clock): CitizenKeys {
  const cache = createRecent<{ readonly key: Uint8Array; readonly readAt: number }>(cachedKeys);
  const strangers = createRecent<{ readonly lookedAt: number; readonly openedAt: number }>(cachedKeys);
  const now = () => clock?.now() ?? 0;
  const strangerKeyOf = (citizenId: string) => hmacUnder(root, 'stranger-content', citizenId);
  const unwrapDecoy = decoyUnder(random);

  function cached(citizenId: string): Uint8Array | undefined {
    const found = cache.get(citizenId);
    return found !== undefined && Math.abs(now() - found.readAt) <= cachedForMs ? found.key : undefined;
  }

  function keyIn(row: Row, citizenId: string, readAt: number): Uint8Array {
    const wrapping = root.ofRoot(textField(row, 'root_key_id'), 'wrap-citizen-keys');
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
    const stranger = strangers.get(citizenId);
    if (stranger !== undefined && Math.abs(readAt - stranger.lookedAt) < strangerForMs) return strangerKeyOf(citizenId);
    const row = await rowOf(citizenId);
    if (row !== undefined) return keyIn(row, citizenId, readAt);
    // What is too old stands there still, and was just looked at.
    cache.delete(citizenId);
    // As often as that of a known one, which is at hand meanwhile.
    const isOpened = stranger !== undefined && Math.abs(readAt - stranger.openedAt) <= cachedForMs;
    if (!isOpened) unwrapDecoy();
    if (clock !== undefined)
      strangers.set(citizenId, { lookedAt: readAt, openedAt: isOpened ? stranger.openedAt : readAt });
    return strangerKeyOf(citizenId);
  }

  async function standingKeyOf(citizenId: string): Promise<StandingKey | undefined> {
    const readAt = now();
    const row = await rowOf(citizenId);
    if (row === undefined) {
      cache.delete(citizenId);
      return undefined;
    }
    // An update, because it locks the row on every engine; it changes nothing.
    const sql = 'update citizen_key set wrapped = wrapped where citizen_id = $1 and wrapped = $2 returning citizen_id';
    const key = keyIn(row, citizenId, readAt);
    return { key, stands: { sql, args: [citizenId, bytesField(row, 'wrapped')], rows: 1 } };
  }

  async function load(citizenIds: readonly string[]): Promise<void> {
    const missing = citizenIds.filter((citizenId) => cached(citizenId) === undefined);
    for (const { sql, args } of selectKeys(missing.map((citizenId) => [citizenId]))) {
      const readAt = now();
      for (const row of await read(sql, args)) keyIn(row, textField(row, 'citizen_id'), readAt);
    }
  }

  return {
    keyOf,
    strangerKeyOf,
    standingKeyOf,
    load,
    forget: cache.delete,
    forgetUnused: () => {
      cache.forgetUnused();
      strangers.forgetUnused();
    },
    destruction,
    pseudonymOf: pseudonymsUnder(root),
    creations: (citizenIds) => {
      for (const citizenId of citizenIds) strangers.delete(citizenId);
      const source = drawnAtOnce(random, citizenIds.length * (keyBytes + wrapNonceBytes));
      const keys = wrappedKeys(root, citizenIds, source);
      return [rootStands(root.id), ...insertKeys(keys)];
    },
  };
}

function destruction(citizenId: string): Statement {
  return {
    sql: 'delete from citizen_key where citizen_id = $1 returning citizen_id /* wipe */',
    args: [citizenId],
    rows: 1,
  };
}

/** Opens a key that nobody has: what is done for an unknown id takes as long as for a known one. */
function decoyUnder(random: Random): () => void {
  const [wrapping, bound] = [random(keyBytes), 'citizen decoy'];
  const wrapped = wrapKey(wrapping, random(keyBytes), bound, random);
  return () => void unwrapKey(wrapping, wrapped, bound);
}

/** By the root that the file has now: what the one before it wraps opens no more when a rotation has ended. */
function wrappedKeys(root: RootKey, citizenIds: readonly string[], source: Random) {
  root.refresh();
  const by = root.derive('wrap-citizen-keys');
  return citizenIds.map((citizenId) => [
    citizenId,
    wrapKey(by, source(keyBytes), `citizen ${citizenId}`, source),
    root.id,
  ]);
}

function hmacUnder(root: RootKey, purpose: 'citizen-pseudonym' | 'stranger-content', citizenId: string): Buffer {
  return hmac('sha256', root.derive(purpose), citizenId);
}

/** A pseudonym never changes, and one use of a citizen's data asks for it several times: those used last are kept. */
function pseudonymsUnder(root: RootKey): CitizenKeys['pseudonymOf'] {
  return remembering(cachedKeys, (citizenId) => {
    const mac = hmacUnder(root, 'citizen-pseudonym', citizenId);
    // A part of it by `subarray` would be memory outside of the heap.
    const pseudonym = Buffer.allocUnsafeSlow(pseudonymBytes);
    for (let at = 0; at < pseudonymBytes; at += 1) pseudonym[at] = mac[at] ?? 0;
    return pseudonym;
  });
}
