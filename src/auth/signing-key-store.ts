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

/** The signing keys that are in force, as this process read them within the last minute or so. */
export type SigningKeys = {
  /** The key that signs now; throws `SigningKeyMissing` where the use has none. */
  current(use: SigningUse): SigningKey;
  /** All keys of a use that are in force, the newest first, each with the instant at which it retires. */
  inForce(use: SigningUse): readonly { readonly key: SigningKey; readonly retireAt: number | undefined }[];
  /** All keys that a use ever had, the newest first: for what was signed before one retired. */
  allKeys(use: SigningUse): readonly SigningKey[];
  /** The key that verifies what was signed for that use under that id; undefined when unknown or retired. */
  find(use: SigningUse, kid: string): SigningKey | undefined;
  /** What `/.well-known/jwks.json` lists: keys of tokens and results until they retire, those of evidence until they are withdrawn. */
  publicJwks(): { readonly keys: readonly PublicJwk[] };
  /** Reads the keys again, or waits for a reading under way; with `ifOlderThanMs` only where the last one is older. */
  reload(ifOlderThanMs?: number): Promise<void>;
};

/** What reading and making signing keys needs. */
export type SigningKeyDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly root: RootKey;
  readonly clock: Clock;
};

/** No key for that use is stored: the operator has to make it, since a server that makes keys by itself may split in two. */
export class SigningKeyMissing extends Error {
  constructor(use: SigningUse) {
    super(
      `this database has no signing key for ${use}. A new one gets its keys with: citizen-services keys create; else see that DATA_DIR and DATABASE_URL name the right one`,
    );
    this.name = 'SigningKeyMissing';
  }
}

/** A new key is published this long before it signs, so that who cached the key set has it in time. */
const publishLeadMs = 600_000;
/** How often a process reads the keys again, so that one that another process made or withdrew counts here too. */
const reloadIntervalMs = 60_000;
/** A replaced key verifies this long: longer than anything lives that it signed, but for evidence. */
const defaultOverlapMs = 86_400_000;

type StoredKey = {
  readonly key: SigningKey;
  readonly createdAt: number;
  readonly retireAt: number | undefined;
  /** Others may have it: nothing that it signed counts. */
  readonly isWithdrawn: boolean;
};

/** What is withdrawn is out of force whenever that was: the clock may have been ahead. */
function isInForce({ retireAt, isWithdrawn }: StoredKey, now: number): boolean {
  return !isWithdrawn && (retireAt === undefined || retireAt > now);
}

/** Reads all signing keys, and holds them. */
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
    storedKeys = await loadKeys(db.read, root, { now: readAt, made: unwrapped });
    unwrapped = new Map(storedKeys.map(({ key }) => [cacheKeyOf(key), key]));
  }

  function reload(ifOlderThanMs = -1): Promise<void> {
    if (reading === undefined && elapsedMs(readAt, clock) <= ifOlderThanMs) return Promise.resolve();
    reading ??= load().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  /** The keys as known, read again behind the request once a minute. */
  function currentKeys(): readonly StoredKey[] {
    // A failure here changes nothing: the keys that are known go on, and the next minute tries again.
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

/** Makes and stores a key for each use that has none in force, and answers those uses; only for the first start of a demo and `keys create`. */
export async function createMissingSigningKeys(deps: SigningKeyDeps, random: RandomBytes): Promise<SigningUse[]> {
  const now = deps.clock.now();
  const stored = await loadKeys(deps.db.read, deps.root, { now, made: new Map() });
  const missing = signingUses.filter((use) => !stored.some((one) => one.key.use === use && isInForce(one, now)));
  const unit = missing.flatMap((use) => insertKeyStatements(deps, use, random).statements);
  if (unit.length > 0) await rejectIfRetired(unit, deps.db.write(unit));
  return missing;
}

/** The uses whose keys `keys rotate` replaces; that of checkpoints is held by verifiers, and `ledger rotate-key` replaces it. */
export const rotatableUses = ['access-token', 'result', 'evidence'] as const satisfies readonly SigningUse[];

/** How the key of a use is replaced. */
export type KeyReplacement = {
  readonly use: SigningUse;
  /** For a key that others may have: it is withdrawn now, and the new one signs now. */
  readonly atOnce?: boolean;
  /** How long the old one goes on; a day where nothing is said. */
  readonly overlapMs?: number;
  /** Where the clock was before a leap from which it may come back: what was in force there is withdrawn too. */
  readonly leaptFrom?: number | undefined;
};

/**
 * The statements that replace the key of a use, and the new id: the new one is published at once and signs after ten
 * minutes, the old ones verify for a day, longer than any token lives. Processes that read the keys again meanwhile miss
 * nothing.
 */
export function replaceSigningKeyStatements(
  deps: Omit<SigningKeyDeps, 'db'>,
  { use, atOnce = false, overlapMs = defaultOverlapMs, leaptFrom }: KeyReplacement,
  random: RandomBytes,
): { readonly kid: string; readonly statements: readonly Statement[] } {
  const now = deps.clock.now();
  const endedBefore = atOnce ? certainlyRetiredAt(use, Math.min(now, leaptFrom ?? now)) : now;
  const retiring = {
    sql: `update signing_key set retire_at = $2, withdrawn = $3
      where use = $1 and (retire_at is null or retire_at > $4) and not withdrawn`,
    args: [use, atOnce ? now : now + overlapMs, atOnce, endedBefore],
  };
  const { kid, statements } = insertKeyStatements(deps, use, random);
  return { kid, statements: [retiring, ...statements] };
}

/**
 * What retired up to then is not withdrawn. A clock that is ahead takes for retired what is in force again once it is set right, and
 * withdrawn as well it misses nobody; but of evidence what has retired verifies still.
 */
function certainlyRetiredAt(use: SigningUse, at: number): number {
  return use === 'evidence' ? at : 0;
}

/** What the private part of a signing key is bound to where it is wrapped. */
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

/** Keys that were opened before, so that those of many years are not opened again each minute, which others would wait for. */
type UnwrappedKeys = ReadonlyMap<string, SigningKey>;
const cacheKeyOf = ({ use, kid }: Pick<SigningKey, 'use' | 'kid'>) => `${use} ${kid}`;

/** The keys in force, the oldest first, and the retired ones of the uses that outlive a key. */
async function loadKeys(
  read: Read,
  root: RootKey,
  { now, made: unwrapped }: { readonly now: number; readonly made: UnwrappedKeys },
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
