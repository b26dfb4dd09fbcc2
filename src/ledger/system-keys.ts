import type { RootKey } from '../crypto/root-key.ts';
import { hmac } from '../kernel/hashing.ts';

/** The chains of what is about no single citizen: the register of endpoints, and everything else. */
export type SystemChain = 'endpoints' | 'house';

/** The key under which the house's own events are sealed, and the pseudonyms of its chains. */
export type SystemKeys = { readonly key: Uint8Array; chainOf(chain: SystemChain): Uint8Array };

/** The house keys of this root. */
export function createSystemKeys(root: RootKey): SystemKeys {
  const key = root.derive('house-ledger');
  const chain = (name: SystemChain) => hmac('sha256', key, `chain ${name}`).subarray(0, 16);
  const chains = { endpoints: chain('endpoints'), house: chain('house') };
  return { key, chainOf: (name) => chains[name] };
}

/** The chain of a house event of that type. */
export function systemChainOf(type: string): SystemChain {
  return type === 'endpoint.registered' ? 'endpoints' : 'house';
}
