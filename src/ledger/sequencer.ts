import { setImmediate as nextTick } from 'node:timers/promises';
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

type SequencerDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'preload'>;
  readonly systemKeys: SystemKeys;
  readonly random: RandomBytes;
  readonly anchor: Anchor;
  /** The origin of a new log; an existing log keeps its own. */
  readonly origin: string;
  readonly maxBatchEvents: number;
  /** A monotonic clock in milliseconds. */
  readonly stopwatch: () => number;
  /** The fencing token of this process; undefined while another process leads. */
  fence(): number | undefined;
};

/** See `createSequencer`. */
export type Sequencer = ReturnType<typeof createSequencer>;

/** The most batches of one step. The next batch is read and hashed while the previous one is stored. */
const batchesPerStep = 8;
/** After this many entries the event loop runs other work, so that requests wait for a millisecond, not for a batch. */
const entriesPerTick = 64;

/**
 * Creates the sequencer of this process, which moves events from the inbox into the tree. It promises one history: each unit moves
 * the head by compare and swap, so two sequencers never number differently, even if both believe that they lead. A crash leaves a
 * batch completely stored or not at all; its events then wait in the inbox. After a fault it keeps nothing in memory: the next
 * step opens the tree again.
 */
export function createSequencer(deps: SequencerDeps) {
  let state: SequencerState | undefined;
  const scanCursor = createScanCursor(deps.stopwatch);

  /** Numbers a few batches; returns the number of events, or undefined while another process leads. */
  async function step(): Promise<number | undefined> {
    const fence = deps.fence();
    const known = state;
    state = undefined;
    if (fence === undefined) return undefined;
    const { tree, chains } = known ?? (await open(fence));
    const afterId = scanCursor.nextAfterId();
    const { numbered, grown, least } = await numberBatches(deps, { tree, chains, fence, afterId });
    scanCursor.recordScan(least);
    state = { tree: grown, chains };
    return numbered;
  }

  async function open(fence: number): Promise<SequencerState> {
    const tree = await openTree(deps.db, deps.anchor, { origin: deps.origin, fence });
    return { tree, chains: createChainEnds(deps.db.read, deps.systemKeys) };
  }

  return {
    step,
    /** The stored tree; undefined before the first step, after a fault, and while another process leads. */
    tree: () => state?.tree,
  };
}

type SequencerState = { readonly tree: OpenTree; readonly chains: ChainEnds };
type StepInput = SequencerState & { readonly fence: number; readonly afterId: string };

type EventBatch = { readonly events: readonly PendingEvent[]; readonly ends: readonly MutableChainEnd[] };

async function numberBatches(deps: SequencerDeps, input: StepInput) {
  const { db, maxBatchEvents } = deps;
  const { chains, fence } = input;
  let grown = input.tree;
  let numbered = 0;
  let { afterId } = input;
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
    // Waits in any case: a read that ends later would set a chain end back to an earlier entry.
    await Promise.allSettled([coming]);
    await storing.catch(explainMovedHead);
  }
  return { grown, numbered, least };
}

/** Marks a rejection as handled, because the promise is awaited later. */
function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/**
 * Reads the next batch, while the previous one is hashed and the one before that is stored. That one may still be in the
 * inbox, so the scan starts after its last id. A later step finds events that are stored late with a smaller id.
 */
async function fetchBatch(
  { db, citizenKeys, maxBatchEvents }: SequencerDeps,
  chains: ChainEnds,
  afterId: string,
): Promise<EventBatch> {
  const events = await readPendingEvents(db.read, afterId, maxBatchEvents);
  const ends = await chains.endsOf(events);
  await nextTick();
  await citizenKeys.preload([...new Set(events.flatMap(({ citizenId }) => citizenId ?? []))]);
  return { events, ends };
}

/** Another process has moved the head: this unit was refused, and the next step reads the tree again. */
class HeadMoved extends Error {
  override readonly name = 'HeadMoved';
}

/** Explains a refused unit to the operator: a process that was suspended finds that another one leads. */
function explainMovedHead(cause: unknown): never {
  if (!(cause instanceof WriteRefused && cause.kind === 'rows' && cause.statement === 0)) throw cause;
  throw new HeadMoved(
    'another process has numbered events meanwhile; this unit was not stored, and the tree is read again',
    {
      cause,
    },
  );
}

function headOf({ edge: { size }, root }: OpenTree) {
  return { size, root };
}

type AppendInput = EventBatch & { readonly before: OpenTree; readonly chains: Pick<ChainEnds, 'chainOf'> };

/**
 * The tree after a batch, and the statements that store it. Entries, tiles and head are one unit, so that a crash leaves all
 * of it or nothing. The unit is refused if the head is no longer the tree before the batch.
 */
async function appendBatch(deps: SequencerDeps, { before, events, ends, chains }: AppendInput) {
  const first = before.edge.size;
  const entries: NumberedEntry[] = [];
  const leaves: Uint8Array[] = [];
  for (const [at, event] of events.entries()) {
    if (at % entriesPerTick === 0) await nextTick();
    const end = ends[at];
    if (end === undefined) throw new TypeError('the chain of an event was not read');
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

async function buildEntry(
  { citizenKeys, systemKeys, random }: SequencerDeps,
  event: PendingEvent,
  position: ChainPosition,
) {
  const { id, at, citizenId } = event;
  const key = citizenId === null ? systemKeys.key : await citizenKeys.keyOf(citizenId);
  const content = citizenId === null ? sealEventContent(key, id, event.content, random) : event.content;
  const link = computeChainLink(deriveLinkKey(key), id, position);
  return encodeEntry({ kind: citizenId === null ? 'system' : 'citizen', at, id, link, content });
}
