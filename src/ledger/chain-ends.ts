import { createRecent } from '../kernel/recent.ts';
import type { Read } from '../store/db.ts';
import { noPrevious, type Place } from './entry.ts';
import { type HouseKeys, houseChainOf } from './house-keys.ts';
import { type ChainEnd, type PendingEvent, readEnds } from './ledger-store.ts';

/** The ends of the chains that a tree goes on with: read once, then moved on in memory, those that were used last. */
export type ChainEnds = {
  /** Reads the ends that these events need and that are not known yet. */
  load(events: readonly PendingEvent[]): Promise<void>;
  /** The place of the next entry in the chain of that event. */
  next(event: PendingEvent): Place;
  /** Makes an entry the end of its chain. */
  set(event: PendingEvent, place: Place, leafHash: Uint8Array): void;
};

type Known = ChainEnd & { readonly chain: Uint8Array };

const beforeTheFirst: ChainEnd = { number: 0, leafHash: noPrevious };

/** More than one batch has, so that what was loaded for it is there until it is numbered. */
const kept = 4_096;

/** The ends as they are in one tree, and to be dropped with it: where another process has numbered, its unit is refused. */
export function createChainEnds(read: Read, houseKeys: HouseKeys): ChainEnds {
  const known = createRecent<Known>(kept);
  // By the pseudonym, and not by the id: what waited at the erasure of a person has another one (erase-citizen.ts).
  const nameOf = ({ tag, type }: PendingEvent) => {
    return tag === null ? houseChainOf(type) : Buffer.from(tag).toString('latin1');
  };
  const chainOf = (event: PendingEvent) => event.tag ?? houseKeys.chainOf(houseChainOf(event.type));

  function knownOf(event: PendingEvent): Known {
    const end = known.get(nameOf(event));
    if (end === undefined) throw new Error('the chain of this event was not loaded');
    return end;
  }

  return {
    load: async (events) => {
      const missing = new Map<string, Uint8Array>();
      for (const event of events)
        if (known.get(nameOf(event)) === undefined) missing.set(nameOf(event), chainOf(event));
      const ends = await readEnds(read, [...missing.values()]);
      for (const [at, [name, chain]] of [...missing].entries()) {
        known.set(name, { chain, ...(ends[at] ?? beforeTheFirst) });
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
