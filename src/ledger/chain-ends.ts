import type { Read } from '../db/database.ts';
import { createLruCache } from '../kernel/lru-cache.ts';
import { noPreviousHash } from './ledger-entry.ts';
import { type PendingEvent, readChainEnds } from './ledger-store.ts';
import { type SystemKeys, systemChainOf } from './system-keys.ts';

/** The last entry of a chain. The sequencer updates it in place when it appends an entry. */
export type MutableChainEnd = { number: number; leafHash: Uint8Array };

/** See `createChainEnds`. */
export type ChainEnds = ReturnType<typeof createChainEnds>;

/** More than the chains of three batches: one that is being read, and two that are not stored yet. */
const minCachedChains = 4_096;

/**
 * The ends of the chains of one tree. Each is read once, and then updated in memory. Drop them when the unit of a batch is refused, because
 * another process has numbered events. Drop them also when a read fails: an end that was not read would make its chain look new.
 */
export function createChainEnds(read: Read, systemKeys: SystemKeys) {
  const cache = createLruCache<MutableChainEnd>(minCachedChains);

  return {
    /** The end of the chain of each event, in their order; events of one chain share one object. */
    endsOf: async (events: readonly PendingEvent[]) => {
      const missing: { readonly chain: Uint8Array; readonly end: MutableChainEnd }[] = [];
      const ends = events.map((event) => {
        const name = chainKeyOf(event);
        const found = cache.get(name);
        if (found !== undefined) return found;
        // A copy of fields only: the bytes of the event would keep the memory of a whole result alive.
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

  /** The pseudonym of the chain of an event. */
  function chainOf({ tag, type }: PendingEvent): Uint8Array {
    return tag ?? systemKeys.chainOf(systemChainOf(type));
  }
}

/** By pseudonym, not by citizen id: erasure renames waiting events (erase-citizen.ts). */
function chainKeyOf({ tag, type }: PendingEvent): string {
  return tag === null ? systemChainOf(type) : Buffer.from(tag.buffer, tag.byteOffset, tag.length).toString('latin1');
}
