import { hkdfSync } from 'node:crypto';
import { hmacString } from '../kernel/hashing.ts';
import { memoize } from '../kernel/lru-cache.ts';
import { keyBytes } from './chunked-encryption.ts';

/**
 * Subkeys that change with the root key. A rotation wraps stored keys again, ends sessions of citizens and staff, and restarts the counts
 * of contact codes. A backup is verified with the root key of its time.
 */
type RotatingPurpose =
  | 'wrap-citizen-keys'
  | 'wrap-signing-keys'
  | 'backup-manifest'
  | 'citizen-sessions'
  | 'staff-sessions'
  | 'contact-code-counts';

/** Subkeys that never change while the data exists: pseudonyms, tags and fingerprints are stored or were handed out. */
export const longLivedPurposes = [
  'citizen-pseudonym',
  'stranger-content',
  'house-ledger',
  'client-secrets',
  'guess-budget',
  'pairwise-subject',
  'wallet-links',
  'document-etag',
  'page-cursor',
  'webhook-secrets',
  'batch-uploads',
  'bounce-addresses',
  'receipt-links',
  'dpop-nonces',
  'request-prints',
  'staff-log',
  'presentations',
] as const;
/** One of `longLivedPurposes`. */
export type LongLivedPurpose = (typeof longLivedPurposes)[number];

/** The purpose of a subkey. Each purpose has its own key, so that a key of one purpose is useless for another. */
type SubkeyPurpose = RotatingPurpose | LongLivedPurpose;

/** The subkeys of the operator's root key. `id` identifies the root key in wrapped records. */
export type RootKey = {
  readonly id: string;
  derive(purpose: SubkeyPurpose): Uint8Array;
  /**
   * The subkey of the root key with that id: the current one, or the previous one during a rotation. Throws `UnknownRootKey`
   * for any other.
   */
  deriveForRoot(rootKeyId: string, purpose: RotatingPurpose): Uint8Array;
  /** Reads the root key file again, because a rotation may have changed it; without a file, does nothing. */
  refresh(): void;
};

/** Something is wrapped by a root key that this server does not have. */
export class UnknownRootKey extends Error {
  override readonly name = 'UnknownRootKey';

  constructor(rootKeyId: string, here: string) {
    super(
      `a key is wrapped by root key ${rootKeyId}, and this server has root key ${here}; see docs/operate/keys.md#the-root-key`,
    );
  }
}

/**
 * The contents of a root key file. `previous` exists during a rotation. `longLived` exists after the first one: the subkeys
 * that must stay the same although the root key is replaced.
 */
export type RootSecrets = {
  readonly current: Uint8Array;
  readonly previous?: Uint8Array | undefined;
  readonly longLived?: ReadonlyMap<LongLivedPurpose, Uint8Array> | undefined;
};

/** The subkeys of a root key of 32 random bytes. */
export function rootKeyFromBytes(root: Uint8Array): RootKey {
  return rootKeyFromSecrets({ current: root });
}

/** The subkeys of the contents of a root key file. */
export function rootKeyFromSecrets({ current, previous, longLived }: RootSecrets): RootKey {
  const currentSubkeys = createSubkeys(current);
  const previousSubkeys = previous === undefined ? undefined : createSubkeys(previous);
  return {
    id: currentSubkeys.id,
    derive: (purpose) => longLived?.get(purpose as LongLivedPurpose) ?? currentSubkeys.derive(purpose),
    deriveForRoot: (rootKeyId, purpose) => {
      if (rootKeyId === currentSubkeys.id) return currentSubkeys.derive(purpose);
      if (rootKeyId === previousSubkeys?.id) return previousSubkeys.derive(purpose);
      throw new UnknownRootKey(rootKeyId, currentSubkeys.id);
    },
    refresh: () => undefined,
  };
}

/**
 * The subkeys of a root key file that may change while the server runs. It is read again on `refresh`, and when a record is
 * wrapped by an unknown root key.
 */
export function reloadableRootKey(read: () => RootSecrets): RootKey {
  let keys = rootKeyFromSecrets(read());
  const refresh = () => {
    keys = rootKeyFromSecrets(read());
  };
  return {
    get id() {
      return keys.id;
    },
    derive: (purpose) => keys.derive(purpose),
    deriveForRoot: (rootKeyId, purpose) => {
      try {
        return keys.deriveForRoot(rootKeyId, purpose);
      } catch (fault) {
        if (!(fault instanceof UnknownRootKey)) throw fault;
        refresh();
        return keys.deriveForRoot(rootKeyId, purpose);
      }
    },
    refresh,
  };
}

/** The id of a root key in wrapped records: the first 64 bits of an HMAC under a subkey, in hex. */
export function rootKeyIdOf(root: Uint8Array): string {
  return createSubkeys(root).id;
}

/**
 * Derives subkeys with HKDF-SHA-256 (RFC 5869): the root key as input, no salt, `citizen-services/PURPOSE@v1` as info, 32
 * bytes.
 */
function createSubkeys(root: Uint8Array) {
  if (root.length !== keyBytes) throw new TypeError(`a root key has ${keyBytes} bytes, not ${root.length}`);
  const secret = Uint8Array.from(root);
  const derive = memoize(
    64,
    (purpose) => new Uint8Array(hkdfSync('sha256', secret, '', `citizen-services/${purpose}@v1`, keyBytes)),
  );
  const id = hmacString(derive('root-key-id'), '', 'hex').slice(0, 16);
  return { id, derive };
}
