import { emptyRoot, hashBytes, nodeHash, rootOfHashes, splitHashes } from './merkle.ts';
import { fullTileBytes, tileWidth, tileWidthAt } from './tile.ts';
import type { ReadTile } from './tiled-tree.ts';

/**
 * The right edge of a tree: for each level the hashes of its last, not yet full tile. The edge is enough to append leaves to a
 * tree of any size: at most 8 kB for each level.
 */
export type TreeEdge = { readonly size: number; readonly levels: readonly Uint8Array[] };

/** A new or longer tile. */
export type ChangedTile = { readonly level: number; readonly index: number; readonly hashes: Uint8Array };

/** The edge of the empty tree. */
export const emptyTreeEdge: TreeEdge = { size: 0, levels: [] };

/** Reads the edge of the tree of that size. */
export async function readTreeEdge(size: number, readTile: ReadTile): Promise<TreeEdge> {
  const levels: Uint8Array[] = [];
  for (let level = 0; size >= tileWidth ** level; level += 1) {
    const index = Math.floor(size / tileWidth ** (level + 1));
    const width = tileWidthAt(size, level, index);
    levels.push(width === 0 ? new Uint8Array() : await readTile(level, index, width));
  }
  return { size, levels };
}

/** Appends leaf hashes; returns the new edge and the changed tiles. `edge` itself does not change. */
export function appendLeaves(
  edge: TreeEdge,
  leafHashes: readonly Uint8Array[],
): { readonly edge: TreeEdge; readonly tiles: ChangedTile[] } {
  const levels: Uint8Array[] = [...edge.levels];
  const tiles: ChangedTile[] = [];
  let incoming: readonly Uint8Array[] = leafHashes;
  for (let level = 0; incoming.length > 0; level += 1) {
    const appended = appendToLevel(edge, level, incoming);
    levels[level] = appended.rest;
    tiles.push(...appended.tiles);
    incoming = appended.above;
  }
  return { edge: { size: edge.size + leafHashes.length, levels }, tiles };
}

function appendToLevel(edge: TreeEdge, level: number, incoming: readonly Uint8Array[]) {
  const all = Buffer.concat([edge.levels[level] ?? new Uint8Array(), ...incoming]);
  const firstTile = Math.floor(edge.size / tileWidth ** (level + 1));
  const tiles: ChangedTile[] = [];
  const above: Uint8Array[] = [];
  let at = 0;
  for (; at + fullTileBytes <= all.length; at += fullTileBytes) {
    const hashes = all.subarray(at, at + fullTileBytes);
    tiles.push({ level, index: firstTile + tiles.length, hashes });
    above.push(rootOfHashes(splitHashes(hashes)));
  }
  const rest = all.subarray(at);
  if (rest.length > 0) tiles.push({ level, index: firstTile + tiles.length, hashes: rest });
  return { rest, tiles, above };
}

/** The root hash of the tree with that edge. */
export function treeEdgeRoot({ levels }: TreeEdge): Uint8Array {
  let root: Uint8Array | undefined;
  // The binary digits of the size, lowest first, are the perfect subtrees from right to left.
  for (const hashes of levels) {
    let end = hashes.length / hashBytes;
    for (let count = 1; end > 0; count *= 2) {
      if (Math.floor(end / count) % 2 === 0) continue;
      const tree = rootOfHashes(splitHashes(hashes.subarray((end - count) * hashBytes, end * hashBytes)));
      root = root === undefined ? tree : nodeHash(tree, root);
      end -= count;
    }
  }
  return root ?? emptyRoot;
}
