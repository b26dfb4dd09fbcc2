import { emptyRoot, hashBytes, hashesIn, nodeHash, rootOfHashes } from './merkle.ts';
import { fullTileBytes, tileWidth, widthIn } from './tile.ts';
import type { ReadTile } from './tree.ts';

/**
 * The right edge of a tree: for each level the hashes of its last tile, while that is not full. It is all that growing a
 * tree needs, whatever its size: at most 8 kB a level.
 */
export type Edge = { readonly size: number; readonly levels: readonly Uint8Array[] };

/** A tile that was begun, widened or filled. */
export type GrownTile = { readonly level: number; readonly index: number; readonly hashes: Uint8Array };

/** The edge of a tree without leaves. */
export const emptyEdge: Edge = { size: 0, levels: [] };

/** Reads the edge of the tree of that size. */
export async function readEdge(size: number, readTile: ReadTile): Promise<Edge> {
  const levels: Uint8Array[] = [];
  for (let level = 0; size >= tileWidth ** level; level += 1) {
    const index = Math.floor(size / tileWidth ** (level + 1));
    const width = widthIn(size, level, index);
    levels.push(width === 0 ? new Uint8Array() : await readTile(level, index, width));
  }
  return { size, levels };
}

/** The edge and the tiles of the tree that has these leaf hashes more. The edge before it is left as it was. */
export function grow(
  edge: Edge,
  leafHashes: readonly Uint8Array[],
): { readonly edge: Edge; readonly tiles: GrownTile[] } {
  const levels: Uint8Array[] = [...edge.levels];
  const tiles: GrownTile[] = [];
  let coming: readonly Uint8Array[] = leafHashes;
  for (let level = 0; coming.length > 0; level += 1) {
    const grown = growLevel(edge, level, coming);
    levels[level] = grown.rest;
    tiles.push(...grown.tiles);
    coming = grown.above;
  }
  return { edge: { size: edge.size + leafHashes.length, levels }, tiles };
}

function growLevel(edge: Edge, level: number, coming: readonly Uint8Array[]) {
  const all = Buffer.concat([edge.levels[level] ?? new Uint8Array(), ...coming]);
  const firstTile = Math.floor(edge.size / tileWidth ** (level + 1));
  const tiles: GrownTile[] = [];
  const above: Uint8Array[] = [];
  let at = 0;
  for (; at + fullTileBytes <= all.length; at += fullTileBytes) {
    const hashes = all.subarray(at, at + fullTileBytes);
    tiles.push({ level, index: firstTile + tiles.length, hashes });
    above.push(rootOfHashes(hashesIn(hashes)));
  }
  const rest = all.subarray(at);
  if (rest.length > 0) tiles.push({ level, index: firstTile + tiles.length, hashes: rest });
  return { rest, tiles, above };
}

/** The root of the tree with that edge. */
export function rootOfEdge({ levels }: Edge): Uint8Array {
  let root: Uint8Array | undefined;
  // The binary digits of the size, the lowest first, are the perfect trees that stand side by side, the last one first.
  for (const hashes of levels) {
    let end = hashes.length / hashBytes;
    for (let count = 1; end > 0; count *= 2) {
      if (Math.floor(end / count) % 2 === 0) continue;
      const tree = rootOfHashes(hashesIn(hashes.subarray((end - count) * hashBytes, end * hashBytes)));
      root = root === undefined ? tree : nodeHash(tree, root);
      end -= count;
    }
  }
  return root ?? emptyRoot;
}
