import type { Read } from '../store/db.ts';
import { noPrevious, type Place } from './entry.ts';
import { type HouseKeys, houseChainOf } from './house-keys.ts';
import { type ChainEnd, type PendingEvent, readEnds } from './ledger-store.ts';

/** The ends of the chains that a step goes on with: read once, then moved on in memory from batch to batch. */
export type ChainEnds = {
  /** Reads the ends that these events need and that are not known yet. */
  load(events: readonly PendingEvent[]): Promise<void>;
  /** The place of the next entry in the chain of that event. */
  next(event: PendingEvent): Place;
  /** Makes an entry the end of its chain. */
  set(event: PendingEvent, place: Place, leafHash: Uint8Array): void;
};

/** The chains of one step; nothing is kept from an earlier one, which another process may have overtaken. */
export function createChainEnds(read: Read, houseKeys: HouseKeys): ChainEnds {
  const known = new Map<string, ChainEnd>();
  // A person is known by id within a step; the house's chains by a name that no citizen's id can be.
  const nameOf = (event: PendingEvent) => event.citizenId ?? `\0${houseChainOf(event.type)}`;
  const chainOf = (event: PendingEvent) => event.tag ?? houseKeys.chainOf(houseChainOf(event.type));

  function knownOf(event: PendingEvent): ChainEnd {
    const end = known.get(nameOf(event));
    if (end === undefined) throw new Error('the chain of this event was not loaded');
    return end;
  }

  return {
    load: async (events) => {
      const missing = new Map<string, Uint8Array>();
      for (const event of events) if (!known.has(nameOf(event))) missing.set(nameOf(event), chainOf(event));
      const ends = new Map<string, ChainEnd>();
      for (const end of await readEnds(read, [...missing.values()])) ends.set(latin1(end.chain), end);
      for (const [name, chain] of missing) {
        const end = ends.get(latin1(chain));
        known.set(name, { chain, number: end?.number ?? 0, leafHash: end?.leafHash ?? noPrevious });
      }
    },
    next: (event) => {
      const { chain, number, leafHash } = knownOf(event);
      return { chain, number: number + 1, previous: leafHash };
    },
    set: (event, { chain, number }, leafHash) => {
      known.set(nameOf(event), { chain, number, leafHash });
    },
  };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
