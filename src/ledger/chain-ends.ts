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

const beforeTheFirst: ChainEnd = { number: 0, leafHash: noPrevious };

/** More than one batch has, so that what was loaded for it is there until it is numbered. */
const kept = 4_096;

/** The ends as they are in one tree, and to be dropped with it: where another process has numbered, its unit is refused. */
export function createChainEnds(read: Read, houseKeys: HouseKeys): ChainEnds {
  const known = createRecent<ChainEnd>(kept);
  // By the pseudonym, and not by the id: what waited at the erasure of a person has another one (erase-citizen.ts).
  const nameOf = ({ tag, type }: PendingEvent) => {
    return tag === null ? houseChainOf(type) : Buffer.from(tag).toString('latin1');
  };
  const chainOf = (event: PendingEvent) => event.tag ?? houseKeys.chainOf(houseChainOf(event.type));

  function endOf(event: PendingEvent): ChainEnd {
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
      for (const [at, name] of [...missing.keys()].entries()) known.set(name, ends[at] ?? beforeTheFirst);
    },
    next: (event) => {
      const { number, leafHash } = endOf(event);
      return { chain: chainOf(event), number: number + 1, previous: leafHash };
    },
    // Nothing of the event itself is kept: its bytes lie in memory that many share, and all of it would stay.
    set: (event, { number }, leafHash) => known.set(nameOf(event), { number, leafHash }),
  };
}
