import { hashBytes, hashesIn, nodeHash, rootOfHashes, splitPoint } from './merkle.ts';
import { tileWidth, widthIn } from './tile.ts';

/** Gives the hashes of a tile, concatenated; `width` is how many the tree has there, 256 or less. */
export type ReadTile = (level: number, index: number, width: number) => Promise<Uint8Array>;

/** A tree of `size` leaves, of which nothing is known but its tiles. */
export type Tree = { readonly size: number; readonly readTile: ReadTile };

/** A tile that is not there, or not as wide as its tree needs it. */
export class TileMissing extends Error {
  constructor(level: number | 'entries', index: number) {
    super(`tile ${index} of level ${level} is missing or too short`);
    this.name = 'TileMissing';
  }
}

/** The root of the tree, from its rightmost tiles alone: one for each level. */
export async function rootOf(tree: Tree): Promise<Uint8Array> {
  return tree.size === 0 ? rootOfHashes([]) : await rangeHash(remembering(tree), 0, tree.size);
}

/** The hashes that lead from leaf `index` up to the root, the leaf's sibling first (RFC 6962, section 2.1.1). */
export async function inclusionProof(tree: Tree, index: number): Promise<Uint8Array[]> {
  if (!(index >= 0 && index < tree.size)) throw new RangeError('this tree has no such leaf');
  const memory = remembering(tree);
  const proof: Uint8Array[] = [];
  let [from, to] = [0, tree.size];
  while (to - from > 1) {
    const middle = from + splitPoint(to - from);
    if (index < middle) {
      proof.unshift(await rangeHash(memory, middle, to));
      to = middle;
    } else {
      proof.unshift(await rangeHash(memory, from, middle));
      from = middle;
    }
  }
  return proof;
}

/** The hashes that show that the tree begins with one of `oldSize` leaves (RFC 6962, section 2.1.2); none for 0. */
export async function consistencyProof(tree: Tree, oldSize: number): Promise<Uint8Array[]> {
  if (!(oldSize >= 0 && oldSize <= tree.size)) throw new RangeError('the older tree is the larger one');
  if (oldSize === 0 || oldSize === tree.size) return [];
  const memory = remembering(tree);
  const proof: Uint8Array[] = [];
  let [from, to] = [0, tree.size];
  while (oldSize !== to) {
    const middle = from + splitPoint(to - from);
    if (oldSize <= middle) {
      proof.unshift(await rangeHash(memory, middle, to));
      to = middle;
    } else {
      proof.unshift(await rangeHash(memory, from, middle));
      from = middle;
    }
  }
  // From the first leaf on, the old tree is a whole subtree, whose hash the verifier knows: it is the old root.
  if (from > 0) proof.unshift(await rangeHash(memory, from, to));
  return proof;
}

function remembering(tree: Tree): Tree {
  const tiles = new Map<string, Promise<Uint8Array>>();
  return {
    size: tree.size,
    readTile: (level, index, width) => {
      const name = `${level}/${index}`;
      const tile = tiles.get(name) ?? tree.readTile(level, index, width);
      tiles.set(name, tile);
      return tile;
    },
  };
}

/** The hash over the leaves from `from` to `to`, without `to`; `from` is a multiple of the largest power of two within. */
async function rangeHash(tree: Tree, from: number, to: number): Promise<Uint8Array> {
  const count = to - from;
  if (count === 1) return await perfectHash(tree, 0, from);
  const half = splitPoint(count);
  if (half * 2 === count) return await perfectHash(tree, Math.log2(count), from / count);
  return nodeHash(await rangeHash(tree, from, from + half), await rangeHash(tree, from + half, to));
}

/** The root of the perfect tree of 2^height leaves that is the `index`-th of its kind. */
async function perfectHash(tree: Tree, height: number, index: number): Promise<Uint8Array> {
  const level = Math.floor(height / 8);
  const spread = 2 ** (height - level * 8);
  const first = index * spread;
  const tile = Math.floor(first / tileWidth);
  const width = widthIn(tree.size, level, tile);
  const bytes = await tree.readTile(level, tile, width);
  if (bytes.length !== width * hashBytes) throw new TileMissing(level, tile);
  const at = (first - tile * tileWidth) * hashBytes;
  return rootOfHashes(hashesIn(bytes.subarray(at, at + spread * hashBytes)));
}
