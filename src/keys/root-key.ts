import { createHmac, hkdfSync } from 'node:crypto';
import { keyBytes } from './chunked-encryption.ts';

/** What each key under the root is for; every purpose gets a key of its own, so that none can be used for another. */
export type RootPurpose =
  | 'wrap-citizen-keys'
  | 'wrap-signing-keys'
  | 'citizen-pseudonym'
  | 'stranger-content'
  | 'house-ledger'
  | 'client-secrets'
  | 'guess-budget'
  | 'pairwise-subject'
  | 'document-etag'
  | 'page-cursor'
  | 'webhook-secrets';

/** The keys derived from the operator's root key; the root itself is not kept. `id` names it in wrapped records. */
export type RootKey = { readonly id: string; derive(purpose: RootPurpose): Uint8Array };

/** The keys under a root of 32 random bytes (HKDF-SHA-256, RFC 5869). */
export function rootKeyFrom(root: Uint8Array): RootKey {
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
  const id = createHmac('sha256', derive('root-key-id')).digest('hex').slice(0, 16);
  return { id, derive };
}
