import { computeChainLink, noPreviousHash, parseEntry } from './ledger-entry.ts';
import { leafHash } from './tlog/merkle.ts';

/** A disclosed chain: the leaves of one owner in order, and the key of their links. */
type DisclosedChain = {
  readonly chain: Uint8Array;
  readonly linkKey: Uint8Array;
  /** The link key of events from before the import of the citizen. */
  readonly earlierLinkKey?: Uint8Array | undefined;
  /** The number of the first leaf, and the leaf hash of the entry before it; absent for the whole chain. */
  readonly from?: { readonly number: number; readonly previous: Uint8Array } | undefined;
  readonly leaves: readonly Uint8Array[];
};

/** Why a chain has a gap or a wrong order; undefined if each entry follows the previous one. */
export function verifyChain({
  chain,
  linkKey,
  earlierLinkKey = linkKey,
  from,
  leaves,
}: DisclosedChain): string | undefined {
  let number = from?.number ?? 1;
  let previous = from?.previous ?? noPreviousHash;
  for (const leaf of leaves) {
    const entry = parseEntry(leaf);
    if (entry === undefined) return `entry ${number} of the chain is not in the format of this log`;
    const follows = [linkKey, earlierLinkKey].some((key) => {
      return Buffer.compare(computeChainLink(key, entry.id, { chain, number, previous }), entry.link) === 0;
    });
    if (!follows) {
      return `entry ${number} of the chain does not follow on the one before: one was left out, changed or moved`;
    }
    previous = leafHash(leaf);
    number += 1;
  }
  return undefined;
}
