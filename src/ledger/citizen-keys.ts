import { createHmac } from 'node:crypto';
import type { Clock, Random } from '../kernel/clock.ts';
import { keyBytes } from '../keys/chunked-encryption.ts';
import type { RootKey } from '../keys/root-key.ts';
import { unwrapKey, wrapKey, wrapNonceBytes } from '../keys/wrap.ts';
import type { Read, Statement } from '../store/db.ts';
import { createMultiRow } from '../store/multi-row.ts';

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
  /** The statement that makes the key of a new citizen; harmless where the citizen has one. */
  creation(citizenId: string): Statement;
  /** The statements that make the keys of many new citizens; harmless for those who have one. No id may come twice. */
  creations(citizenIds: readonly string[]): Statement[];
  /** The statement that destroys a citizen's key; its unit is refused (`rows`) where there is none. Call `forget` then. */
  destruction(citizenId: string): Statement;
  /** Drops a key that this process has cached; other processes do so within a minute. */
  forget(citizenId: string): void;
  /** The pseudonym of 16 bytes under which the ledger groups a person's events. */
  pseudonymOf(citizenId: string): Uint8Array;
};

const cachedKeys = 20_000;
/** A destroyed key is used no longer than this, in processes other than the one that destroyed it. */
const cachedForMs = 60_000;

const insertKeys = createMultiRow(
  'insert into citizen_key (citizen_id, wrapped, root_key_id) values',
  3,
  'on conflict (citizen_id) do nothing',
);

/** Keys are cached for a minute of that clock, least recently used first out: a burst on one citizen unwraps once. */
export function createCitizenKeys(read: Read, root: RootKey, random: Random, clock?: Clock): CitizenKeys {
  const cache = new Map<string, { readonly key: Uint8Array; readonly readAt: number }>();
  const now = () => clock?.now() ?? 0;
  const hmac = (purpose: 'citizen-pseudonym' | 'stranger-content', citizenId: string) =>
    createHmac('sha256', root.derive(purpose)).update(citizenId).digest();

  async function keyOf(citizenId: string): Promise<Uint8Array> {
    const cached = cache.get(citizenId);
    if (cached !== undefined) {
      cache.delete(citizenId);
      if (now() - cached.readAt <= cachedForMs) {
        cache.set(citizenId, cached);
        return cached.key;
      }
    }
    const readAt = now();
    const [row] = await read('select wrapped, root_key_id from citizen_key where citizen_id = $1', [citizenId]);
    if (row === undefined || !(row['wrapped'] instanceof Uint8Array)) return hmac('stranger-content', citizenId);
    const wrapping = root.unwrapping('wrap-citizen-keys', String(row['root_key_id']));
    const key = unwrapKey(wrapping, row['wrapped'], `citizen ${citizenId}`);
    cache.set(citizenId, { key, readAt });
    if (cache.size > cachedKeys) {
      const [oldest] = cache.keys();
      if (oldest !== undefined) cache.delete(oldest);
    }
    return key;
  }

  const newKey = (citizenId: string, source: Random) => [
    citizenId,
    wrapKey(root.derive('wrap-citizen-keys'), source(keyBytes), `citizen ${citizenId}`, source),
    root.id,
  ];

  return {
    keyOf,
    forget: (citizenId) => void cache.delete(citizenId),
    destruction: (citizenId) => ({
      sql: 'delete from citizen_key where citizen_id = $1 returning citizen_id',
      args: [citizenId],
      rows: 1,
    }),
    pseudonymOf: (citizenId) => hmac('citizen-pseudonym', citizenId).subarray(0, 16),
    creation: (citizenId) => ({
      sql: 'insert into citizen_key (citizen_id, wrapped, root_key_id) values ($1, $2, $3) on conflict (citizen_id) do nothing',
      args: newKey(citizenId, random),
    }),
    creations: (citizenIds) => {
      const source = drawnAtOnce(random, citizenIds.length * (keyBytes + wrapNonceBytes));
      return insertKeys(citizenIds.map((citizenId) => newKey(citizenId, source)));
    },
  };
}

/** A source of so many random bytes that asks the given one once; many small requests cost more than all wrapping. */
function drawnAtOnce(random: Random, bytes: number): Random {
  const drawn = random(bytes);
  let used = 0;
  return (wanted) => {
    used += wanted;
    if (used > drawn.length) throw new RangeError('more random bytes were asked for than drawn');
    return drawn.subarray(used - wanted, used);
  };
}
