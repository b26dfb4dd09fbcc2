import { hkdfSync } from 'node:crypto';
import { hmacString } from '../kernel/hashing.ts';
import { keyBytes } from './chunked-encryption.ts';

/**
 * What goes with its root: what wraps keys that are stored, which a rotation wraps anew; what proves backups, which stay
 * under the root of their time; what seals the sessions of citizens, which are over with the root that sealed them; and what codes are
 * counted by, which begins anew then.
 */
export type RotatingPurpose =
  | 'wrap-citizen-keys'
  | 'wrap-signing-keys'
  | 'backup-manifest'
  | 'citizen-sessions'
  | 'contact-code-counts';

/** What stays the same for as long as the data lives: pseudonyms, tags and fingerprints that were stored or given out. */
export const longLivedPurposes = [
  'citizen-pseudonym',
  'stranger-content',
  'house-ledger',
  'client-secrets',
  'guess-budget',
  'pairwise-subject',
  'document-etag',
  'page-cursor',
  'webhook-secrets',
  'bounce-addresses',
  'receipt-links',
  'dpop-nonces',
  'request-prints',
] as const;
export type LongLivedPurpose = (typeof longLivedPurposes)[number];

/** What each key under the root is for; every purpose gets a key of its own, so that none can be used for another. */
export type SubkeyPurpose = RotatingPurpose | LongLivedPurpose;

/** The keys derived from the operator's root key; the root itself is not kept. `id` names it in wrapped records. */
export type RootKey = {
  readonly id: string;
  derive(purpose: SubkeyPurpose): Uint8Array;
  /**
   * The key for what was wrapped or proved under the root of that id: this root, or the one before it while a rotation is
   * under way. Throws `UnknownRootKey` for any other.
   */
  deriveForRoot(rootKeyId: string, purpose: RotatingPurpose): Uint8Array;
  /** Takes over what the file of the root key has become, as after the beginning of a rotation; without a file, nothing. */
  refresh(): void;
};

/** Something is wrapped by a root key that this server does not have. */
export class UnknownRootKey extends Error {
  constructor(rootKeyId: string, here: string) {
    super(
      `a key is wrapped by root key ${rootKeyId}, and this server has root key ${here}; see docs/operating.md#the-root-key`,
    );
    this.name = 'UnknownRootKey';
  }
}

/**
 * What a root key file holds. `previous` is there during a rotation; `lasting` after the first one: the keys that must
 * stay what they were, so that the old root itself can go.
 */
export type RootSecrets = {
  readonly current: Uint8Array;
  readonly previous?: Uint8Array | undefined;
  readonly longLived?: ReadonlyMap<LongLivedPurpose, Uint8Array> | undefined;
};

/** The keys under a root of 32 random bytes (HKDF-SHA-256, RFC 5869). */
export function rootKeyFromBytes(root: Uint8Array): RootKey {
  return rootKeyFromSecrets({ current: root });
}

/** The keys of a root key file. */
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
 * The keys of a root key file that may change under a running server: it is read again on `refresh`, and when something
 * turns up that another root has wrapped.
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

/** The id of a root, as its wrapped records name it. */
export function rootKeyIdOf(root: Uint8Array): string {
  return createSubkeys(root).id;
}

function createSubkeys(root: Uint8Array) {
  if (root.length !== keyBytes) throw new TypeError(`a root key has ${keyBytes} bytes, not ${root.length}`);
  const derived = new Map<string, Uint8Array>();
  const secret = Uint8Array.from(root);
  const derive = (purpose: string) => {
    let key = derived.get(purpose);
    if (key === undefined) {
      key = new Uint8Array(hkdfSync('sha256', secret, '', `citizen-services/${purpose}@v1`, keyBytes));
      derived.set(purpose, key);
    }
    return key;
  };
  const id = hmacString(derive('root-key-id'), '', 'hex').slice(0, 16);
  return { id, derive };
}
