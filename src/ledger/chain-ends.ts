import type { Read } from '../db/database.ts';
import { createLruCache } from '../kernel/lru-cache.ts';
import { noPreviousHash } from './ledger-entry.ts';
import { type PendingEvent, readChainEnds } from './ledger-store.ts';
import { type SystemKeys, systemChainOf } from './system-keys.ts';

/** The last entry of a chain, moved on in memory by whoever appends to it. */
export type MutableChainEnd = { number: number; leafHash: Uint8Array };

/** The ends of the chains that a tree goes on with: read once, then moved on in memory, those that were used last. */
export type ChainEnds = {
  /** The end of the chain of each of these events, at the place of its event; events of one chain share it. */
  endsOf(events: readonly PendingEvent[]): Promise<MutableChainEnd[]>;
  /** The pseudonym of the chain of that event. */
  chainOf(event: PendingEvent): Uint8Array;
};

/** More than three batches have: one that is looked for, and the two before it that are not stored yet. */
const minCachedChains = 4_096;

/**
 * The ends as they are in one tree, and to be dropped with it: where another process has numbered, its unit is refused. They are
 * dropped as well where a read has failed: an end that was not found then stands there as if its chain were new.
 */
export function createChainEnds(read: Read, houseKeys: SystemKeys): ChainEnds {
  const cache = createLruCache<MutableChainEnd>(minCachedChains);

  return {
    endsOf: async (events) => {
      const missing: { readonly chain: Uint8Array; readonly end: MutableChainEnd }[] = [];
      const ends = events.map((event) => {
        const name = chainKeyOf(event);
        const found = cache.get(name);
        if (found !== undefined) return found;
        // Nothing of the event itself is kept: its bytes lie in memory that many share, and all of it would stay.
        const end: MutableChainEnd = { number: 0, leafHash: noPreviousHash };
        cache.set(name, end);
        missing.push({ chain: chainOf(event), end });
        return end;
      });
      const stored = await readChainEnds(
        read,
        missing.map(({ chain }) => chain),
      );
      for (const [at, { end }] of missing.entries()) Object.assign(end, stored[at]);
      return ends;
    },
    chainOf,
  };

  function chainOf({ tag, type }: PendingEvent): Uint8Array {
    return tag ?? houseKeys.chainOf(systemChainOf(type));
  }
}

/** By the pseudonym, and not by the id: what waited at the erasure of a person has another one (erase-citizen.ts). */
function chainKeyOf({ tag, type }: PendingEvent): string {
  return tag === null ? systemChainOf(type) : Buffer.from(tag.buffer, tag.byteOffset, tag.length).toString('latin1');
}
