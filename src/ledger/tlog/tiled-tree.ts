import { hashBytes, nodeHash, rootOfHashes, splitHashes, splitPoint } from './merkle.ts';
import { tileWidth, tileWidthAt } from './tile.ts';

/** Gives the hashes of a tile, concatenated; `width` is how many the tree has there, 256 or less. */
export type ReadTile = (level: number, index: number, width: number) => Promise<Uint8Array>;

/** A tree of `size` leaves, of which nothing is known but its tiles. */
export type TiledTree = { readonly size: number; readonly readTile: ReadTile };

/** A tile that is not there, or not as wide as its tree needs it. */
export class TileMissing extends Error {
  constructor(level: number | 'entries', index: number) {
    super(`tile ${index} of level ${level} is missing or too short`);
    this.name = 'TileMissing';
  }
}

/** The root of the tree, from its rightmost tiles alone: one for each level. */
export async function treeRoot(tree: TiledTree): Promise<Uint8Array> {
  return tree.size === 0 ? rootOfHashes([]) : await withCache(tree).rangeHash(0, tree.size);
}

/**
 * Makes inclusion proofs in one tree: the hashes that lead from a leaf up to the root, the leaf's sibling first (RFC 6962,
 * section 2.1.1). Each tile that several of them need is read once, and each hash over a range made once:
 * of two proofs the upper half is the same. It keeps all it has read, so it is for a page of proofs.
 */
export function createInclusionProver(tree: TiledTree): (index: number) => Promise<Uint8Array[]> {
  const memory = withCache(tree);
  return (index) => inclusionProof(memory, index);
}

async function inclusionProof(tree: CachedTree, index: number): Promise<Uint8Array[]> {
  if (!(index >= 0 && index < tree.size)) throw new RangeError('this tree has no such leaf');
  const proof: Uint8Array[] = [];
  let [from, to] = [0, tree.size];
  while (to - from > 1) {
    const middle = from + splitPoint(to - from);
    if (index < middle) {
      proof.unshift(await tree.rangeHash(middle, to));
      to = middle;
    } else {
      proof.unshift(await tree.rangeHash(from, middle));
      from = middle;
    }
  }
  return proof;
}

/** The hashes that show that the tree begins with one of `oldSize` leaves (RFC 6962, section 2.1.2); none for 0. */
export async function consistencyProof(tree: TiledTree, oldSize: number): Promise<Uint8Array[]> {
  if (!(oldSize >= 0 && oldSize <= tree.size)) throw new RangeError('the older tree is the larger one');
  if (oldSize === 0 || oldSize === tree.size) return [];
  const cachedTree = withCache(tree);
  const proof: Uint8Array[] = [];
  let [from, to] = [0, tree.size];
  while (oldSize !== to) {
    const middle = from + splitPoint(to - from);
    if (oldSize <= middle) {
      proof.unshift(await cachedTree.rangeHash(middle, to));
      to = middle;
    } else {
      proof.unshift(await cachedTree.rangeHash(from, middle));
      from = middle;
    }
  }
  // From the first leaf on, the old tree is a whole subtree, whose hash the verifier knows: it is the old root.
  if (from > 0) proof.unshift(await cachedTree.rangeHash(from, to));
  return proof;
}

/** A tree with all that was read of it. */
type CachedTree = TiledTree & { rangeHash(from: number, to: number): Promise<Uint8Array> };

function withCache({ size, readTile }: TiledTree): CachedTree {
  const once = <T>(known: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> => {
    const found = known.get(name) ?? make();
    known.set(name, found);
    return found;
  };
  const [tiles, ranges] = [new Map<string, Promise<Uint8Array>>(), new Map<string, Promise<Uint8Array>>()];
  const memory: CachedTree = {
    size,
    readTile: (level, index, width) => once(tiles, `${level}/${index}`, () => readTile(level, index, width)),
    rangeHash: (from, to) => once(ranges, `${from}-${to}`, () => rangeHash(memory, from, to)),
  };
  return memory;
}

/** The hash over the leaves from `from` to `to`, without `to`; `from` is a multiple of the largest power of two within. */
async function rangeHash(tree: CachedTree, from: number, to: number): Promise<Uint8Array> {
  const count = to - from;
  if (count === 1) return await perfectSubtreeHash(tree, 0, from);
  const half = splitPoint(count);
  if (half * 2 === count) return await perfectSubtreeHash(tree, Math.log2(count), from / count);
  return nodeHash(await tree.rangeHash(from, from + half), await tree.rangeHash(from + half, to));
}

/** The root of the perfect tree of 2^height leaves that is the `index`-th of its kind. */
async function perfectSubtreeHash(tree: TiledTree, height: number, index: number): Promise<Uint8Array> {
  const level = Math.floor(height / 8);
  const spread = 2 ** (height - level * 8);
  const first = index * spread;
  const tile = Math.floor(first / tileWidth);
  const width = tileWidthAt(tree.size, level, tile);
  const bytes = await tree.readTile(level, tile, width);
  if (bytes.length !== width * hashBytes) throw new TileMissing(level, tile);
  const at = (first - tile * tileWidth) * hashBytes;
  return rootOfHashes(splitHashes(bytes.subarray(at, at + spread * hashBytes)));
}
