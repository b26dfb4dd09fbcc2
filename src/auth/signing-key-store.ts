import { unwrapKey, wrapKey } from '../crypto/key-wrapping.ts';
import type { RootKey } from '../crypto/root-key.ts';
import {
  newSigningSeed,
  type PublicJwk,
  type SigningKey,
  type SigningUse,
  signingKeyFromSeed,
  signingUses,
} from '../crypto/signing-key.ts';
import type { Database, Read, Row, Statement } from '../db/database.ts';
import { rejectIfRetired, requireActiveRootKey } from '../db/root-key-store.ts';
import { bytesField, enumField, integerField, integerOrNull, textField } from '../db/row-fields.ts';
import { type Clock, elapsedMs, type RandomBytes } from '../kernel/clock.ts';

/** The signing keys in memory. Each minute they are read again in the background. */
export type SigningKeys = {
  /** The key that signs now; throws `SigningKeyMissing` if that use has no key. */
  current(use: SigningUse): SigningKey;
  /** The valid keys of a use, the newest first, each with the time at which it retires (epoch ms). */
  inForce(use: SigningUse): readonly { readonly key: SigningKey; readonly retireAt: number | undefined }[];
  /** All keys of a use that were read, the newest first, including the retired ones of `evidence` and `checkpoint`. */
  allKeys(use: SigningUse): readonly SigningKey[];
  /** The valid key with that use and id; undefined when unknown or retired. */
  find(use: SigningUse, kid: string): SigningKey | undefined;
  /** The content of `/.well-known/jwks.json`: keys of tokens and results until they retire, those of evidence until they are withdrawn. */
  publicJwks(): { readonly keys: readonly PublicJwk[] };
  /** Reads the keys again, or waits for the read that is running; with `ifOlderThanMs` only if the last read is older. */
  reload(ifOlderThanMs?: number): Promise<void>;
};

/** Dependencies of the signing key store. */
export type SigningKeyDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly root: RootKey;
  readonly clock: Clock;
};

/** No key of that use is stored. The operator creates it: two processes that create keys themselves would disagree. */
export class SigningKeyMissing extends Error {
  constructor(use: SigningUse) {
    super(
      `this database has no signing key for ${use}. For a new database, run: citizen-services keys create. Otherwise check that DATA_DIR and DATABASE_URL name the right database`,
    );
    this.name = 'SigningKeyMissing';
  }
}

/** A new key is published this long before it signs, so that cached key sets contain it in time. */
const publishLeadMs = 600_000;
/** How often a process reads the keys again, since another process may have created or withdrawn one. */
const reloadIntervalMs = 60_000;
/** A replaced key stays valid this long: longer than the life of everything that it signed, except evidence. */
const overlapMs = 86_400_000;

type StoredKey = {
  readonly key: SigningKey;
  readonly createdAt: number;
  readonly retireAt: number | undefined;
  /** The key may have leaked: nothing that it signed is valid. */
  readonly isWithdrawn: boolean;
};

/** A withdrawn key is invalid at any time, because the clock may have been ahead when it was withdrawn. */
function isInForce({ retireAt, isWithdrawn }: StoredKey, now: number): boolean {
  return !isWithdrawn && (retireAt === undefined || retireAt > now);
}

/** Reads the signing keys into memory. */
export async function openSigningKeys({
  db,
  root,
  clock,
}: Omit<SigningKeyDeps, 'db'> & { readonly db: Pick<Database, 'read'> }): Promise<SigningKeys> {
  let storedKeys: readonly StoredKey[] = [];
  let unwrapped: UnwrappedKeys = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const inForce = (one: StoredKey) => isInForce(one, clock.now());

  async function load(): Promise<void> {
    readAt = clock.now();
    storedKeys = await loadKeys(db.read, root, { now: readAt, unwrapped });
    unwrapped = new Map(storedKeys.map(({ key }) => [cacheKeyOf(key), key]));
  }

  function reload(ifOlderThanMs = -1): Promise<void> {
    if (reading === undefined && elapsedMs(readAt, clock) <= ifOlderThanMs) return Promise.resolve();
    reading ??= load().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  function currentKeys(): readonly StoredKey[] {
    // A failure is ignored: the keys in memory stay in use, and the next minute tries again.
    if (elapsedMs(readAt, clock) > reloadIntervalMs) reload().catch(() => undefined);
    return storedKeys;
  }
  await reload();

  return {
    reload,
    current(use) {
      const keys = currentKeys().filter((one) => one.key.use === use && inForce(one));
      const ready = keys.findLast(({ createdAt }) => createdAt + publishLeadMs <= clock.now()) ?? keys[0];
      if (ready === undefined) throw new SigningKeyMissing(use);
      return ready.key;
    },
    inForce: (use) =>
      currentKeys()
        .filter((one) => one.key.use === use && inForce(one))
        .toReversed(),
    allKeys: (use) =>
      currentKeys()
        .filter((one) => one.key.use === use)
        .map(({ key }) => key)
        .toReversed(),
    find: (use, kid) => currentKeys().find((one) => one.key.kid === kid && one.key.use === use && inForce(one))?.key,
    publicJwks() {
      const listed = currentKeys().filter((one) => {
        if (one.key.use === 'checkpoint') return false;
        return one.key.use === 'evidence' ? !one.isWithdrawn : inForce(one);
      });
      return { keys: listed.map(({ key }) => key.publicJwk) };
    },
  };
}

/** Creates and stores a key for each use without a valid one, and returns those uses; for the first start of a demo and `keys create`. */
export async function createMissingSigningKeys(deps: SigningKeyDeps, random: RandomBytes): Promise<SigningUse[]> {
  const now = deps.clock.now();
  const stored = await loadKeys(deps.db.read, deps.root, { now, unwrapped: new Map() });
  const missing = signingUses.filter((use) => !stored.some((one) => one.key.use === use && isInForce(one, now)));
  const unit = missing.flatMap((use) => insertKeyStatements(deps, use, random).statements);
  if (unit.length > 0) await rejectIfRetired(unit, deps.db.write(unit));
  return missing;
}

/** The uses of `keys rotate`, besides `keys rotate ledger`, which replaces the checkpoint key that verifiers have. */
export const rotatableUses = ['access-token', 'result', 'evidence'] as const satisfies readonly SigningUse[];

type KeyReplacement = {
  readonly use: SigningUse;
  /** For a key that may have leaked: it is withdrawn now, and the new one signs now. */
  readonly atOnce?: boolean;
  /** The time before the clock jumped ahead (epoch ms), if it may be corrected. Keys that were valid then are withdrawn too. */
  readonly leaptFrom?: number | undefined;
};

/**
 * The statements that replace the key of a use, and the id of the new key. It is published at once and signs after ten
 * minutes. The old keys stay valid for a day, longer than any token lives, so that no process misses one.
 */
export function replaceSigningKeyStatements(
  deps: Omit<SigningKeyDeps, 'db'>,
  { use, atOnce = false, leaptFrom }: KeyReplacement,
  random: RandomBytes,
): { readonly kid: string; readonly statements: readonly Statement[] } {
  const now = deps.clock.now();
  let retiredBefore = now;
  // If the clock is ahead, keys look retired that become valid again when it is corrected. An immediate replacement withdraws these
  // too. Retired keys of evidence still verify, so only those are withdrawn that were valid before the clock jumped.
  if (atOnce) retiredBefore = use === 'evidence' ? Math.min(now, leaptFrom ?? now) : 0;
  const retiring = {
    sql: `update signing_key set retire_at = $2, withdrawn = $3
      where use = $1 and (retire_at is null or retire_at > $4) and not withdrawn`,
    args: [use, atOnce ? now : now + overlapMs, atOnce, retiredBefore],
  };
  const { kid, statements } = insertKeyStatements(deps, use, random);
  return { kid, statements: [retiring, ...statements] };
}

/** The context (additional data) under which the private part of a signing key is wrapped. */
export const signingKeyWrapContext = (use: string, kid: string) => `signing key ${use} ${kid}`;

function insertKeyStatements({ root, clock }: Omit<SigningKeyDeps, 'db'>, use: SigningUse, random: RandomBytes) {
  root.refresh();
  const seed = newSigningSeed(use, random);
  const { kid, alg, publicJwk } = signingKeyFromSeed(use, seed);
  const sealed = wrapKey(root.derive('wrap-signing-keys'), seed, signingKeyWrapContext(use, kid), random);
  const statement: Statement = {
    sql: `insert into signing_key (kid, use, alg, public_jwk, sealed_private, root_key_id, created_at, retire_at)
      values ($1, $2, $3, $4, $5, $6, $7, null)`,
    args: [kid, use, alg, JSON.stringify(publicJwk), sealed, root.id, clock.now()],
  };
  return { kid, statements: [requireActiveRootKey(root.id), statement] };
}

/** Keys that were unwrapped by an earlier read. */
type UnwrappedKeys = ReadonlyMap<string, SigningKey>;
const cacheKeyOf = ({ use, kid }: Pick<SigningKey, 'use' | 'kid'>) => `${use} ${kid}`;

/** The valid keys, the oldest first, and the retired keys of evidence and checkpoints. */
async function loadKeys(
  read: Read,
  root: RootKey,
  { now, unwrapped }: { readonly now: number; readonly unwrapped: UnwrappedKeys },
): Promise<StoredKey[]> {
  const rows = await read(
    `select kid, use, sealed_private, root_key_id, created_at, retire_at, withdrawn from signing_key
      where retire_at is null or retire_at > $1 or use in ('evidence', 'checkpoint')
      order by created_at, retire_at nulls last, kid`,
    [now],
  );
  return rows.map((row) => parseStoredKey(row, root, unwrapped));
}

function parseStoredKey(row: Row, root: RootKey, unwrapped: UnwrappedKeys): StoredKey {
  const [use, kid] = [enumField(row, 'use', signingUses), textField(row, 'kid')];
  return {
    key: unwrapped.get(cacheKeyOf({ use, kid })) ?? unwrapSigningKey(row, root, { use, kid }),
    createdAt: integerField(row, 'created_at'),
    retireAt: integerOrNull(row, 'retire_at') ?? undefined,
    isWithdrawn: row['withdrawn'] === true,
  };
}

function unwrapSigningKey(row: Row, root: RootKey, { use, kid }: Pick<SigningKey, 'use' | 'kid'>): SigningKey {
  const wrapping = root.deriveForRoot(textField(row, 'root_key_id'), 'wrap-signing-keys');
  return signingKeyFromSeed(
    use,
    unwrapKey(wrapping, bytesField(row, 'sealed_private'), signingKeyWrapContext(use, kid)),
  );
}
