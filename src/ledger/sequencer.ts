import { setImmediate as aTurn } from 'node:timers/promises';
import { type Database, WriteRefused } from '../db/database.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import type { Anchor } from './anchor.ts';
import { type ChainEnds, createChainEnds, type MutableChainEnd } from './chain-ends.ts';
import type { CitizenKeys } from './citizen-keys.ts';
import { sealEventContent } from './event-content.ts';
import { type ChainPosition, computeChainLink, deriveLinkKey, encodeEntry } from './ledger-entry.ts';
import {
  advanceTreeHead,
  type NumberedEntry,
  type PendingEvent,
  readPendingEvents,
  storeEntries,
  storeTile,
} from './ledger-store.ts';
import { type OpenTree, openTree } from './open-tree.ts';
import { createScanCursor } from './scan-cursor.ts';
import type { SystemKeys } from './system-keys.ts';
import { leafHash } from './tlog/merkle.ts';
import { appendLeaves, treeEdgeRoot } from './tlog/tree-edge.ts';

/** What numbering events needs. */
export type SequencerDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'preload'>;
  readonly systemKeys: SystemKeys;
  readonly random: RandomBytes;
  readonly anchor: Anchor;
  /** The name of the log where it is new; one that is there keeps its own. */
  readonly origin: string;
  /** The most events that are numbered in one unit. */
  readonly maxBatchEvents: number;
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
const batchesPerStep = 8;
/** After so many entries the requests of this process have their turn: they wait for a millisecond, not for a batch. */
const entriesPerTick = 64;

/** The sequencer of this process. A fault of a step leaves nothing behind in memory: the next one opens the tree anew. */
export function createSequencer(deps: SequencerDeps): Sequencer {
  let state: SequencerState | undefined;
  const scanCursor = createScanCursor(deps.stopwatch);

  async function step(): Promise<number | undefined> {
    const fence = deps.fence();
    const known = state;
    state = undefined;
    if (fence === undefined) return undefined;
    const { tree, chains } = known ?? (await open(fence));
    const { numbered, grown, least } = await numberBatches(deps, {
      tree,
      chains,
      fence,
      afterId: scanCursor.nextAfterId(),
    });
    scanCursor.recordScan(least);
    state = { tree: grown, chains };
    return numbered;
  }

  async function open(fence: number): Promise<SequencerState> {
    const tree = await openTree(deps.db, deps.anchor, { origin: deps.origin, fence });
    return { tree, chains: createChainEnds(deps.db.read, deps.systemKeys) };
  }

  return { step, tree: () => state?.tree };
}

/** What a step leaves to the next: the tree, and the ends of its chains. */
type SequencerState = { readonly tree: OpenTree; readonly chains: ChainEnds };
type StepInput = SequencerState & { readonly fence: number; readonly afterId: string };

/** Events that are numbered together, with the ends of their chains. */
type EventBatch = { readonly events: readonly PendingEvent[]; readonly ends: readonly MutableChainEnd[] };

async function numberBatches(deps: SequencerDeps, { tree, chains, fence, ...from }: StepInput) {
  const { db, maxBatchEvents } = deps;
  let grown = tree;
  let numbered = 0;
  let { afterId } = from;
  let least: string | undefined;
  let coming = fetchBatch(deps, chains, afterId);
  let storing: Promise<unknown> = Promise.resolve();
  try {
    for (let batch = 1; batch <= batchesPerStep && deps.fence() === fence; batch += 1) {
      const { events, ends } = await coming;
      if (events.length === 0) break;
      numbered += events.length;
      least ??= events[0]?.id;
      afterId = events.at(-1)?.id ?? afterId;
      const isLast = events.length < maxBatchEvents || batch === batchesPerStep;
      if (!isLast) coming = markHandled(fetchBatch(deps, chains, afterId));
      const next = await appendBatch(deps, { before: grown, events, ends, chains });
      await storing.catch(explainMovedHead);
      storing = markHandled(
        db.write([advanceTreeHead(headOf(grown), { ...headOf(next.tree), fence }), ...next.statements]),
      );
      grown = next.tree;
      if (isLast) break;
    }
  } finally {
    // Also where another process leads now: what is still being read would put an end that has moved on back to where it was.
    await Promise.allSettled([coming]);
    await storing.catch(explainMovedHead);
  }
  return { grown, numbered, least };
}

/** The same promise, which is awaited later; until then a rejection must not count as one that nobody looks at. */
function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/**
 * The next batch, looked for while the one before is hashed and the one before that is being stored. That one may still be
 * in the inbox; what comes late with a smaller id is seen by a later step, which begins before it again.
 */
async function fetchBatch({ db, citizenKeys, maxBatchEvents }: SequencerDeps, chains: ChainEnds, afterId: string) {
  const events = await readPendingEvents(db.read, afterId, maxBatchEvents);
  const ends = await chains.endsOf(events);
  await aTurn();
  await citizenKeys.preload([...new Set(events.flatMap(({ citizenId }) => citizenId ?? []))]);
  return { events, ends } satisfies EventBatch;
}

/** A fault as an operator reads it: a process that stood still and goes on finds that another leads. */
function explainMovedHead(fault: unknown): never {
  const isMoved = fault instanceof WriteRefused && fault.kind === 'rows' && fault.statement === 0;
  if (!isMoved) throw fault;
  throw new Error('another process has numbered events meanwhile; nothing of this one was stored, and it looks anew', {
    cause: fault,
  });
}

function headOf({ edge: { size }, root }: OpenTree) {
  return { size, root };
}

type AppendInput = EventBatch & { readonly before: OpenTree; readonly chains: Pick<ChainEnds, 'chainOf'> };

/**
 * The tree with a batch more, and the statements that make it so: entries, tiles and head are one unit, so that a
 * crash leaves all of it or nothing. The unit is refused where the head is no longer the tree that this one grew from.
 */
async function appendBatch(deps: SequencerDeps, { before, events, ends, chains }: AppendInput) {
  const first = before.edge.size;
  const entries: NumberedEntry[] = [];
  const leaves: Uint8Array[] = [];
  for (const [at, event] of events.entries()) {
    if (at % entriesPerTick === 0) await aTurn();
    const end = ends[at] ?? missingChainEnd();
    const chain = chains.chainOf(event);
    const number = end.number + 1;
    const entry = await buildEntry(deps, event, { chain, number, previous: end.leafHash });
    const leaf = leafHash(entry);
    end.number = number;
    end.leafHash = leaf;
    entries.push({ index: first + at, event, chain, number, entry });
    leaves.push(leaf);
  }
  const { edge, tiles } = appendLeaves(before.edge, leaves);
  const statements = [...storeEntries(entries), ...tiles.map(storeTile)];
  return { tree: { origin: before.origin, root: treeEdgeRoot(edge), edge }, statements };
}

function missingChainEnd(): never {
  throw new Error('the chain of this event was not looked up');
}

async function buildEntry(
  { citizenKeys, systemKeys, random }: SequencerDeps,
  event: PendingEvent,
  place: ChainPosition,
) {
  const { id, at, citizenId } = event;
  const key = citizenId === null ? systemKeys.key : await citizenKeys.keyOf(citizenId);
  const content = citizenId === null ? sealEventContent(key, id, event.content, random) : event.content;
  const link = computeChainLink(deriveLinkKey(key), id, place);
  return encodeEntry({ kind: citizenId === null ? 'house' : 'citizen', at, id, link, content });
}
