import { setImmediate } from 'node:timers/promises';
import { type Edge, emptyEdge, grow, rootOfEdge } from './edge.ts';
import type { LogView } from './log-view.ts';
import { hashBytes, leafHash } from './merkle.ts';
import { parseNote } from './note.ts';
import { opensUnder, type Policy, type Trusted } from './policy.ts';
import { entriesIn, tileWidth } from './tile.ts';

/** What the monitor found at one look; `alarm` says in words what is wrong with the log. */
export type Look = { readonly verified: number; readonly alarm?: string };

/** The log's own watchman: it reads what is served, as a stranger would, and believes only the public key. */
export type Monitor = {
  /** Verifies a part of what it has not verified yet; gives how many entries are verified from the beginning. */
  look(): Promise<Look>;
};

const bundlesALook = 16;

/** The keys by which a monitor knows the log. */
export type KnownKeys = {
  policy(): Policy;
  /** Reads them anew: another process may have replaced one. */
  refresh(): Promise<void>;
};

/**
 * The monitor of this process. It begins with the first entry and keeps up from there, some thousand entries a look, so
 * that a large log is read anew at each start without a burst.
 */
export function createMonitor(log: Pick<LogView, 'published' | 'tile'>, keys: KnownKeys): Monitor {
  let edge: Edge = emptyEdge;
  let newest = 0;
  return {
    look: async () => {
      const published = await log.published();
      if (published === undefined) return { verified: edge.size };
      const trusted = await trustedUnder(keys, published.note);
      if ('fault' in trusted) return { verified: edge.size, alarm: trusted.fault };
      const { size, root } = trusted.checkpoint;
      if (size < newest) return { verified: edge.size, alarm: `the log shrank from ${newest} to ${size} entries` };
      newest = size;
      const limit = edge.size + bundlesALook * tileWidth;
      while (edge.size < size && edge.size < limit) {
        const next = await followBundle(log, edge, size);
        if (typeof next === 'string') return { verified: edge.size, alarm: next };
        edge = next;
        // Others have their turn between two bundles.
        await setImmediate();
      }
      if (edge.size === size && Buffer.compare(rootOfEdge(edge), root) !== 0) {
        const alarm = `the entries do not give the root that was signed at size ${size}`;
        edge = emptyEdge;
        return { verified: 0, alarm };
      }
      return { verified: edge.size };
    },
  };
}

async function trustedUnder(keys: KnownKeys, text: string): Promise<Trusted | { readonly fault: string }> {
  const note = parseNote(text);
  if (note === undefined) return { fault: 'the checkpoint is no note' };
  const trusted = opensUnder(keys.policy(), note);
  if ('checkpoint' in trusted) return trusted;
  await keys.refresh();
  return opensUnder(keys.policy(), note);
}

/** The edge with the rest of one bundle more, or what is wrong with it. */
async function followBundle(log: Pick<LogView, 'tile'>, edge: Edge, size: number): Promise<Edge | string> {
  const index = Math.floor(edge.size / tileWidth);
  const width = Math.min(tileWidth, size - index * tileWidth);
  const bundle = await log.tile({ level: 'entries', index, width });
  const tile = await log.tile({ level: 0, index, width });
  const entries = bundle === undefined ? undefined : entriesIn(bundle);
  if (entries?.length !== width || tile === undefined) return `the entries from ${index * tileWidth} on are missing`;
  const leaves = entries.map(leafHash);
  const wrong = leaves.findIndex((leaf, at) => {
    return Buffer.compare(leaf, tile.subarray(at * hashBytes, (at + 1) * hashBytes)) !== 0;
  });
  if (wrong >= 0) return `entry ${index * tileWidth + wrong} is not the one of its tile`;
  return grow(edge, leaves.slice(edge.size - index * tileWidth)).edge;
}
