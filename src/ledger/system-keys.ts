import type { RootKey } from '../crypto/root-key.ts';
import { hmac } from '../kernel/hashing.ts';

/** The chains of events about no single citizen: the register of endpoints, and all others. */
type SystemChain = 'endpoints' | 'system';

/** The key that encrypts system events, and the pseudonyms of their chains. */
export type SystemKeys = { readonly key: Uint8Array; chainOf(chain: SystemChain): Uint8Array };

/** The system keys of a root key. The derivation strings are fixed by existing ledgers. */
export function createSystemKeys(root: RootKey): SystemKeys {
  const key = root.derive('house-ledger');
  const pseudonym = (label: string) => hmac('sha256', key, `chain ${label}`).subarray(0, 16);
  const chains = { endpoints: pseudonym('endpoints'), system: pseudonym('house') };
  return { key, chainOf: (name) => chains[name] };
}

/** The chain of a system event of that type. */
export function systemChainOf(type: string): SystemChain {
  return type === 'endpoint.registered' ? 'endpoints' : 'system';
}
