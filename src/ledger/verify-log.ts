import type { LogSource } from './log-source.ts';
import type { Checkpoint } from './tlog/checkpoint.ts';
import { hashBytes, leafHash } from './tlog/merkle.ts';
import { findWrongLeaf, parseBundle, tilePath, tileWidth } from './tlog/tile.ts';
import { TileMissing } from './tlog/tiled-tree.ts';
import { type CheckpointVerdict, type TlogPolicy, verifyCheckpointNote } from './tlog/tlog-policy.ts';
import { appendLeaves, type ChangedTile, emptyTreeEdge, type TreeEdge, treeEdgeRoot } from './tlog/tree-edge.ts';

type VerifyLogOptions = {
  readonly policy: TlogPolicy;
  /** Notes of earlier checkpoints; the log must begin with each of their trees. */
  readonly earlier?: readonly string[];
  /** Called for each entry in order, after its bundle was compared with its tile. */
  readonly onEntry?: (entry: Uint8Array, index: number) => void;
  /** Called after each bundle with the number of verified entries. */
  readonly onProgress?: (done: number, total: number) => void;
};

/**
 * Verifies a whole log from public data, trusting only the keys of the policy: each entry against its tile, each tile against
 * the one above, all of them against the signed root, and that against each earlier checkpoint. Memory does not grow with the
 * log.
 */
export async function verifyLog(source: LogSource, options: VerifyLogOptions): Promise<CheckpointVerdict> {
  const trusted = verifyCheckpointNote(options.policy, await source.checkpoint());
  if ('fault' in trusted) return trusted;
  const { checkpoint } = trusted;
  const earlier = earlierCheckpoints(options, checkpoint);
  if ('fault' in earlier) return earlier;
  try {
    const fault = await verifyEntries(source, options, { checkpoint, earlier: earlier.checkpoints });
    return fault === undefined ? trusted : { fault };
  } catch (fault) {
    if (fault instanceof TileMissing) return { fault: fault.message };
    throw fault;
  }
}

function earlierCheckpoints(
  { policy, earlier = [] }: VerifyLogOptions,
  now: Checkpoint,
): { readonly checkpoints: readonly Checkpoint[] } | { readonly fault: string } {
  const checkpoints: Checkpoint[] = [];
  for (const text of earlier) {
    // Witnesses may have changed since; the signature of the log must still be valid.
    const opened = verifyCheckpointNote({ ...policy, isQuorum: () => true }, text);
    if ('fault' in opened) return { fault: `an earlier checkpoint: ${opened.fault}` };
    const { origin, size } = opened.checkpoint;
    if (origin !== now.origin) return { fault: 'an earlier checkpoint is of another log' };
    if (size > now.size) return { fault: `the log was rolled back: it has ${now.size} entries, and had ${size}` };
    checkpoints.push(opened.checkpoint);
  }
  return { checkpoints: checkpoints.sort((left, right) => left.size - right.size) };
}

type SignedTrees = { readonly checkpoint: Checkpoint; readonly earlier: readonly Checkpoint[] };

async function verifyEntries(
  source: LogSource,
  { onEntry, onProgress }: VerifyLogOptions,
  goal: SignedTrees,
): Promise<string | undefined> {
  const { size } = goal.checkpoint;
  const stops = [...goal.earlier, goal.checkpoint];
  let edge = emptyTreeEdge;
  for (let index = 0; index * tileWidth < size; index += 1) {
    const first = index * tileWidth;
    const end = Math.min(first + tileWidth, size);
    const read = await readBundle(source, index, end - first);
    if ('fault' in read) return read.fault;
    // Appends in steps, to compare the tree at each size that was signed.
    const within = stops.map((stop) => stop.size).filter((stop) => stop > first && stop < end);
    for (const stop of [...new Set(within), end]) {
      const grown = appendLeaves(edge, read.leaves.slice(edge.size - first, stop - first));
      edge = grown.edge;
      const fault = (await checkTiles(source, grown.tiles, size)) ?? checkRoot(edge, stops);
      if (fault !== undefined) return fault;
    }
    for (const [at, entry] of read.entries.entries()) onEntry?.(entry, first + at);
    onProgress?.(end, size);
  }
  return checkRoot(edge, stops);
}

/** Why the tree so far differs from a tree that was signed at its size. */
function checkRoot(edge: TreeEdge, stops: readonly Checkpoint[]): string | undefined {
  for (const { size, root } of stops) {
    if (size === edge.size && Buffer.compare(treeEdgeRoot(edge), root) !== 0) {
      return `the entries do not give the root that was signed at size ${size}: a second history, or a change before it`;
    }
  }
  return undefined;
}

type ReadBundle = { readonly entries: readonly Uint8Array[]; readonly leaves: readonly Uint8Array[] };

async function readBundle(
  source: LogSource,
  index: number,
  width: number,
): Promise<ReadBundle | { readonly fault: string }> {
  const name = { level: 'entries', index, width } as const;
  const entries = parseBundle(await source.tile(name));
  if (entries?.length !== width) return { fault: `${tilePath(name)} is no bundle of ${width} entries` };
  const leaves = entries.map(leafHash);
  const tile = await source.tile({ ...name, level: 0 });
  const wrong = findWrongLeaf(leaves, tile);
  if (wrong >= 0) return { fault: `entry ${index * tileWidth + wrong} differs from its tile` };
  if (tile.length !== width * hashBytes) {
    return { fault: `${tilePath({ ...name, level: 0 })} has more than ${width} hashes` };
  }
  return { entries, leaves };
}

/** Why a tile above the leaves differs from the entries; a partial tile is compared only at its width in the signed tree. */
async function checkTiles(source: LogSource, tiles: readonly ChangedTile[], size: number): Promise<string | undefined> {
  for (const { level, index, hashes } of tiles) {
    const width = Math.min(tileWidth, Math.floor(size / tileWidth ** level) - index * tileWidth);
    if (level === 0 || hashes.length !== width * hashBytes) continue;
    const name = { level, index, width };
    if (Buffer.compare(await source.tile(name), hashes) !== 0) return `${tilePath(name)} is not what the entries give`;
  }
  return undefined;
}
