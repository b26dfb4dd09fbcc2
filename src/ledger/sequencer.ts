import { setImmediate as aTurn } from 'node:timers/promises';
import type { Random } from '../kernel/clock.ts';
import { type Db, WriteRefused } from '../store/db.ts';
import type { Anchor } from './anchor.ts';
import { type ChainEnds, createChainEnds, type MovingEnd } from './chain-ends.ts';
import type { CitizenKeys } from './citizen-keys.ts';
import { grow, rootOfEdge } from './edge.ts';
import { entryBytes, linkKeyOf, linkOf, type Place } from './entry.ts';
import { sealContent } from './event-content.ts';
import type { HouseKeys } from './house-keys.ts';
import {
  entryStatements,
  moveHead,
  type NumberedEntry,
  type PendingEvent,
  pendingEvents,
  tileStatement,
} from './ledger-store.ts';
import { leafHash } from './merkle.ts';
import { type OpenTree, openTree } from './open-tree.ts';
import { createSearchStart } from './search-start.ts';

/** What numbering events needs. */
export type SequencerParts = {
  readonly db: Pick<Db, 'read' | 'write'>;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'load'>;
  readonly houseKeys: HouseKeys;
  readonly random: Random;
  readonly anchor: Anchor;
  /** The name of the log where it is new; one that is there keeps its own. */
  readonly origin: string;
  /** The most events that are numbered in one unit. */
  readonly batchLimit: number;
  /** Milliseconds that never go back. */
  readonly stopwatch: () => number;
  /** The lease of this process; undefined while another one leads. */
  fence(): number | undefined;
};

/** Numbers events. One at a time leads; that two never make two histories is kept by the head, not by the lease. */
export type Sequencer = {
  /** Numbers a few batches; gives how many events wait no more, or undefined while another process leads. */
  step(): Promise<number | undefined>;
  /** The tree as it is stored; undefined before the first step, after a fault, and while another process leads. */
  tree(): OpenTree | undefined;
};

/** Batches of one step: the next is looked for and hashed while the one before is being stored. */
const batchesAStep = 8;
/** After so many entries the requests of this process have their turn: they wait for a millisecond, not for a batch. */
const entriesATurn = 64;

/** The sequencer of this process. A fault of a step leaves nothing behind in memory: the next one opens the tree anew. */
export function createSequencer(parts: SequencerParts): Sequencer {
  let held: Held | undefined;
  const start = createSearchStart(parts.stopwatch);

  async function step(): Promise<number | undefined> {
    const fence = parts.fence();
    const known = held;
    held = undefined;
    if (fence === undefined) return undefined;
    const { tree, chains } = known ?? (await open(fence));
    const { numbered, grown, least } = await numberBatches(parts, { tree, chains, fence, afterId: start.next() });
    start.done(least);
    held = { tree: grown, chains };
    return numbered;
  }

  async function open(fence: number): Promise<Held> {
    const tree = await openTree(parts.db, parts.anchor, { origin: parts.origin, fence });
    return { tree, chains: createChainEnds(parts.db.read, parts.houseKeys) };
  }

  return { step, tree: () => held?.tree };
}

/** What a step leaves to the next: the tree, and the ends of its chains. */
type Held = { readonly tree: OpenTree; readonly chains: ChainEnds };
type Step = Held & { readonly fence: number; readonly afterId: string };

/** Events that are numbered together, with the ends of their chains. */
type Coming = { readonly events: readonly PendingEvent[]; readonly ends: readonly MovingEnd[] };

async function numberBatches(parts: SequencerParts, { tree, chains, fence, ...from }: Step) {
  const { db, batchLimit } = parts;
  let grown = tree;
  let numbered = 0;
  let { afterId } = from;
  let least: string | undefined;
  let coming = lookFor(parts, chains, afterId);
  let storing: Promise<unknown> = Promise.resolve();
  try {
    for (let batch = 1; batch <= batchesAStep && parts.fence() === fence; batch += 1) {
      const { events, ends } = await coming;
      if (events.length === 0) break;
      numbered += events.length;
      least ??= events[0]?.id;
      afterId = events.at(-1)?.id ?? afterId;
      const isLast = events.length < batchLimit || batch === batchesAStep;
      if (!isLast) coming = owned(lookFor(parts, chains, afterId));
      const next = await append(parts, { before: grown, events, ends, chains });
      await storing.catch(asTold);
      storing = owned(db.write([moveHead(treeOf(grown), { ...treeOf(next.tree), fence }), ...next.statements]));
      grown = next.tree;
      if (isLast) break;
    }
  } finally {
    // Also where another process leads now: what is still being read would put an end that has moved on back to where it was.
    await Promise.allSettled([coming]);
    await storing.catch(asTold);
  }
  return { grown, numbered, least };
}

/** The same promise, which is awaited later; until then a rejection must not count as one that nobody looks at. */
function owned<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/**
 * The next batch, looked for while the one before is hashed and the one before that is being stored. That one may still be
 * in the inbox; what comes late with a smaller id is seen by a later step, which begins before it again.
 */
async function lookFor({ db, citizenKeys, batchLimit }: SequencerParts, chains: ChainEnds, afterId: string) {
  const events = await pendingEvents(db.read, afterId, batchLimit);
  const ends = await chains.endsOf(events);
  await aTurn();
  await citizenKeys.load([...new Set(events.flatMap(({ citizenId }) => citizenId ?? []))]);
  return { events, ends } satisfies Coming;
}

/** A fault as an operator reads it: a process that stood still and goes on finds that another leads. */
function asTold(fault: unknown): never {
  const isMoved = fault instanceof WriteRefused && fault.kind === 'rows' && fault.statement === 0;
  if (!isMoved) throw fault;
  throw new Error('another process has numbered events meanwhile; nothing of this one was stored, and it looks anew', {
    cause: fault,
  });
}

function treeOf({ edge: { size }, root }: OpenTree) {
  return { size, root };
}

type Batch = Coming & { readonly before: OpenTree; readonly chains: Pick<ChainEnds, 'chainOf'> };

/**
 * The tree with a batch more, and the statements that make it so: entries, tiles and head are one unit, so that a
 * crash leaves all of it or nothing. The unit is refused where the head is no longer the tree that this one grew from.
 */
async function append(parts: SequencerParts, { before, events, ends, chains }: Batch) {
  const first = before.edge.size;
  const entries: NumberedEntry[] = [];
  const leaves: Uint8Array[] = [];
  for (const [at, event] of events.entries()) {
    if (at % entriesATurn === 0) await aTurn();
    const end = ends[at] ?? noEnd();
    const chain = chains.chainOf(event);
    const number = end.number + 1;
    const entry = await entryOf(parts, event, { chain, number, previous: end.leafHash });
    const leaf = leafHash(entry);
    end.number = number;
    end.leafHash = leaf;
    entries.push({ index: first + at, event, chain, number, entry });
    leaves.push(leaf);
  }
  const { edge, tiles } = grow(before.edge, leaves);
  const statements = [...entryStatements(entries), ...tiles.map(tileStatement)];
  return { tree: { origin: before.origin, root: rootOfEdge(edge), edge }, statements };
}

function noEnd(): never {
  throw new Error('the chain of this event was not looked up');
}

async function entryOf({ citizenKeys, houseKeys, random }: SequencerParts, event: PendingEvent, place: Place) {
  const { id, at, citizenId } = event;
  const key = citizenId === null ? houseKeys.key : await citizenKeys.keyOf(citizenId);
  const content = citizenId === null ? sealContent(key, id, event.content, random) : event.content;
  const link = linkOf(linkKeyOf(key), id, place);
  return entryBytes({ kind: citizenId === null ? 'house' : 'citizen', at, id, link, content });
}
