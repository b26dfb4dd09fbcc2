import { setImmediate } from 'node:timers/promises';
import type { LogView } from './log-view.ts';
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

/**
 * Creates the monitor of this process. It verifies the log like an external auditor: it reads what is published, and trusts only
 * the public keys. After a start it verifies from the first entry, a few thousand entries in each check.
 */
export function createMonitor(log: Pick<LogView, 'publishedCheckpoint' | 'readTile'>, keys: MonitorKeys) {
  let edge: TreeEdge = emptyTreeEdge;
  let newest = 0;
  return {
    /** Verifies some more entries; `verified` counts from the first one, and `alarm` says what is wrong with the log. */
    check: async (): Promise<{ readonly verified: number; readonly alarm?: string }> => {
      const published = await log.publishedCheckpoint();
      if (published === undefined) return { verified: edge.size };
      const trusted = await verifyWithRefreshedKeys(keys, published.note);
      if ('fault' in trusted) return { verified: edge.size, alarm: trusted.fault };
      const { size, root } = trusted.checkpoint;
      if (size < newest) return { verified: edge.size, alarm: `the log shrank from ${newest} to ${size} entries` };
      newest = size;
      const limit = edge.size + bundlesPerCheck * tileWidth;
      while (edge.size < size && edge.size < limit) {
        const next = await appendBundle(log, edge, size);
        if (typeof next === 'string') return { verified: edge.size, alarm: next };
        edge = next;
        // Other work runs between two bundles.
        await setImmediate();
      }
      if (edge.size === size && Buffer.compare(treeEdgeRoot(edge), root) !== 0) {
        const alarm = `the entries do not give the root that was signed at size ${size}`;
        edge = emptyTreeEdge;
        return { verified: 0, alarm };
      }
      return { verified: edge.size };
    },
  };
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
