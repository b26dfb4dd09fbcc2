import { hmac } from '../kernel/hashing.ts';
import type { RootKey } from '../keys/root-key.ts';

/** The chains of what is about no single citizen: the register of endpoints, and everything else. */
export type HouseChain = 'endpoints' | 'house';

/** The key under which the house's own events are sealed, and the pseudonyms of its chains. */
export type HouseKeys = { readonly key: Uint8Array; chainOf(chain: HouseChain): Uint8Array };

/** The house keys of this root. */
export function createHouseKeys(root: RootKey): HouseKeys {
  const key = root.derive('house-ledger');
  const chain = (name: HouseChain) => hmac('sha256', key, `chain ${name}`).subarray(0, 16);
  const chains = { endpoints: chain('endpoints'), house: chain('house') };
  return { key, chainOf: (name) => chains[name] };
}

/** The chain of a house event of that type. */
export function houseChainOf(type: string): HouseChain {
  return type === 'endpoint.registered' ? 'endpoints' : 'house';
}
