import { setImmediate } from 'node:timers/promises';
import type { Anchor } from './anchor.ts';
import type { LogView } from './log-view.ts';
import type { Checkpoint } from './tlog/checkpoint.ts';
import { leafHash } from './tlog/merkle.ts';
import { findWrongLeaf, parseBundle, tileWidth } from './tlog/tile.ts';
import { type CheckpointVerdict, type TlogPolicy, verifyCheckpointNote } from './tlog/tlog-policy.ts';
import { appendLeaves, emptyTreeEdge, type TreeEdge, treeEdgeRoot } from './tlog/tree-edge.ts';

/** See `createMonitor`. */
export type Monitor = ReturnType<typeof createMonitor>;

const bundlesPerCheck = 16;

/** The trusted keys of the log. */
export type MonitorKeys = {
  policy(): TlogPolicy;
  /** Reads the keys again, because another process may have replaced one. */
  refresh(): Promise<void>;
};

/** The result of a check: `verified` counts entries from the first one, and `alarm` says what is wrong with the log. */
type MonitorCheck = { readonly verified: number; readonly alarm?: string };

/**
 * Creates the monitor of this process. It verifies the log like an external auditor: it reads what is published, and trusts only
 * the public keys and the checkpoint file of this process. After a start it verifies from the first entry, a few thousand entries
 * in each check. It stores the newest checkpoint whose tree it has verified in the checkpoint file.
 */
export function createMonitor(
  log: Pick<LogView, 'publishedCheckpoint' | 'readTile'>,
  keys: MonitorKeys,
  anchor?: Pick<Anchor, 'read' | 'keepNewer'>,
) {
  let edge: TreeEdge = emptyTreeEdge;
  let newest = 0;
  let kept: Promise<Checkpoint | undefined> | undefined;

  /** Reads the checkpoint file once, before this process changes it. A file that cannot be read is read again. */
  function readKept(): Promise<Checkpoint | undefined> {
    kept ??= (anchor?.read() ?? Promise.resolve(undefined)).catch((fault: unknown) => {
      kept = undefined;
      throw fault;
    });
    return kept;
  }

  /** Verifies some more entries, up to `size`; returns what is wrong. */
  async function verifyEntries(size: number, earlier: Checkpoint | undefined): Promise<string | undefined> {
    const limit = edge.size + bundlesPerCheck * tileWidth;
    while (edge.size < size && edge.size < limit) {
      // The edge stops at the size of the kept checkpoint, where both roots can be compared.
      const isBeforeKept = earlier !== undefined && edge.size < earlier.size && earlier.size < size;
      const next = await appendBundle(log, edge, isBeforeKept ? earlier.size : size);
      if (typeof next === 'string') return next;
      edge = next;
      if (edge.size === earlier?.size && !hasRoot(edge, earlier.root)) {
        edge = emptyTreeEdge;
        return `the log does not start with the tree that was signed at size ${earlier.size}`;
      }
      // Other work runs between two bundles.
      await setImmediate();
    }
    return undefined;
  }

  return {
    /** Verifies some more entries. */
    check: async (): Promise<MonitorCheck> => {
      const published = await log.publishedCheckpoint();
      if (published === undefined) return { verified: edge.size };
      const trusted = await verifyWithRefreshedKeys(keys, published.note);
      if ('fault' in trusted) return { verified: edge.size, alarm: trusted.fault };
      const { size, root } = trusted.checkpoint;
      if (size < newest) return { verified: edge.size, alarm: `the log shrank from ${newest} to ${size} entries` };
      newest = size;
      const alarm = await verifyEntries(size, await readKept());
      if (alarm !== undefined) return { verified: edge.size, alarm };
      if (edge.size < size) return { verified: edge.size };
      if (!hasRoot(edge, root)) {
        edge = emptyTreeEdge;
        return { verified: 0, alarm: `the entries do not have the root hash that was signed at size ${size}` };
      }
      await anchor?.keepNewer(published.note);
      return { verified: edge.size };
    },
  };
}

function hasRoot(edge: TreeEdge, root: Uint8Array): boolean {
  return Buffer.compare(treeEdgeRoot(edge), root) === 0;
}

async function verifyWithRefreshedKeys(keys: MonitorKeys, note: string): Promise<CheckpointVerdict> {
  const verdict = verifyCheckpointNote(keys.policy(), note);
  if ('checkpoint' in verdict) return verdict;
  await keys.refresh();
  return verifyCheckpointNote(keys.policy(), note);
}

/** The edge after the rest of one bundle, or what is wrong with the bundle. */
async function appendBundle(log: Pick<LogView, 'readTile'>, edge: TreeEdge, size: number): Promise<TreeEdge | string> {
  const index = Math.floor(edge.size / tileWidth);
  const width = Math.min(tileWidth, size - index * tileWidth);
  const bundle = await log.readTile({ level: 'entries', index, width });
  const tile = await log.readTile({ level: 0, index, width });
  const entries = bundle === undefined ? undefined : parseBundle(bundle);
  if (entries?.length !== width || tile === undefined) return `the entries from ${index * tileWidth} on are missing`;
  const leaves = entries.map(leafHash);
  const wrong = findWrongLeaf(leaves, tile);
  if (wrong >= 0) return `entry ${index * tileWidth + wrong} differs from its tile`;
  return appendLeaves(edge, leaves.slice(edge.size - index * tileWidth)).edge;
}
