import { hkdfSync } from 'node:crypto';
import { hmacText } from '../kernel/hashing.ts';
import { keyBytes } from './chunked-encryption.ts';

/**
 * What goes with its root: what wraps keys that are stored, which a rotation wraps anew; what proves backups, which stay
 * under the root of their time; what seals the sessions of citizens, which are over with the root that sealed them; and what codes are
 * counted by, which begins anew then.
 */
export type BoundPurpose =
  | 'wrap-citizen-keys'
  | 'wrap-signing-keys'
  | 'backup-manifest'
  | 'citizen-sessions'
  | 'contact-code-counts';

/** What stays the same for as long as the data lives: pseudonyms, tags and fingerprints that were stored or given out. */
export const lastingPurposes = [
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
export type LastingPurpose = (typeof lastingPurposes)[number];

/** What each key under the root is for; every purpose gets a key of its own, so that none can be used for another. */
export type RootPurpose = BoundPurpose | LastingPurpose;

/** The keys derived from the operator's root key; the root itself is not kept. `id` names it in wrapped records. */
export type RootKey = {
  readonly id: string;
  derive(purpose: RootPurpose): Uint8Array;
  /**
   * The key for what was wrapped or proved under the root of that id: this root, or the one before it while a rotation is
   * under way. Throws `UnknownRootKey` for any other.
   */
  ofRoot(rootKeyId: string, purpose: BoundPurpose): Uint8Array;
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
  readonly lasting?: ReadonlyMap<LastingPurpose, Uint8Array> | undefined;
};

/** The keys under a root of 32 random bytes (HKDF-SHA-256, RFC 5869). */
export function rootKeyFrom(root: Uint8Array): RootKey {
  return rootKeyOf({ current: root });
}

/** The keys of a root key file. */
export function rootKeyOf({ current, previous, lasting }: RootSecrets): RootKey {
  const now = derivation(current);
  const before = previous === undefined ? undefined : derivation(previous);
  return {
    id: now.id,
    derive: (purpose) => lasting?.get(purpose as LastingPurpose) ?? now.derive(purpose),
    ofRoot: (rootKeyId, purpose) => {
      if (rootKeyId === now.id) return now.derive(purpose);
      if (rootKeyId === before?.id) return before.derive(purpose);
      throw new UnknownRootKey(rootKeyId, now.id);
    },
    refresh: () => undefined,
  };
}

/**
 * The keys of a root key file that may change under a running server: it is read again on `refresh`, and when something
 * turns up that another root has wrapped.
 */
export function liveRootKey(read: () => RootSecrets): RootKey {
  let keys = rootKeyOf(read());
  const refresh = () => {
    keys = rootKeyOf(read());
  };
  return {
    get id() {
      return keys.id;
    },
    derive: (purpose) => keys.derive(purpose),
    ofRoot: (rootKeyId, purpose) => {
      try {
        return keys.ofRoot(rootKeyId, purpose);
      } catch (fault) {
        if (!(fault instanceof UnknownRootKey)) throw fault;
        refresh();
        return keys.ofRoot(rootKeyId, purpose);
      }
    },
    refresh,
  };
}

/** The id of a root, as its wrapped records name it. */
export function rootIdOf(root: Uint8Array): string {
  return derivation(root).id;
}

function derivation(root: Uint8Array) {
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
  const id = hmacText(derive('root-key-id'), '', 'hex').slice(0, 16);
  return { id, derive };
}
