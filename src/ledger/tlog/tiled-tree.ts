import { hashBytes, nodeHash, rootOfHashes, splitHashes, splitPoint } from './merkle.ts';
import { tileWidth, tileWidthAt } from './tile.ts';

/** Reads the concatenated hashes of a tile; `width` is their number, 1 to 256. */
export type ReadTile = (level: number, index: number, width: number) => Promise<Uint8Array>;

/** A tree of `size` leaves that is known only by its tiles (c2sp.org/tlog-tiles). */
export type TiledTree = { readonly size: number; readonly readTile: ReadTile };

/** A tile is missing, or has fewer hashes than its tree needs. */
export class TileMissing extends Error {
  override readonly name = 'TileMissing';

  constructor(level: number | 'entries', index: number) {
    super(`tile ${index} of level ${level} is missing or too short`);
  }
}

/** The root hash of the tree, from its rightmost tiles: one for each level. */
export async function treeRoot(tree: TiledTree): Promise<Uint8Array> {
  return tree.size === 0 ? rootOfHashes([]) : await withCache(tree).rangeHash(0, tree.size);
}

/**
 * Creates inclusion proofs in one tree (RFC 6962, section 2.1.1): the hashes from the sibling of the leaf up to the root. Each
 * tile is read once and each range hashed once, because proofs share their upper halves. It caches all it has read, so use it
 * for one page of proofs.
 */
export function createInclusionProver(tree: TiledTree): (index: number) => Promise<Uint8Array[]> {
  const cachedTree = withCache(tree);
  return async (index) => {
    if (!(index >= 0 && index < tree.size)) throw new RangeError(`a tree of ${tree.size} leaves has no leaf ${index}`);
    const proof: Uint8Array[] = [];
    let [from, to] = [0, tree.size];
    while (to - from > 1) {
      const middle = from + splitPoint(to - from);
      if (index < middle) {
        proof.unshift(await cachedTree.rangeHash(middle, to));
        to = middle;
      } else {
        proof.unshift(await cachedTree.rangeHash(from, middle));
        from = middle;
      }
    }
    return proof;
  };
}

/** The consistency proof from a tree of `oldSize` leaves (RFC 6962, section 2.1.2); empty for 0. */
export async function consistencyProof(tree: TiledTree, oldSize: number): Promise<Uint8Array[]> {
  if (!(oldSize >= 0 && oldSize <= tree.size))
    throw new RangeError(`an older tree of ${oldSize} leaves exceeds the tree of ${tree.size}`);
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
  // If the path starts at the first leaf, the verifier knows its hash: it is the old root.
  if (from > 0) proof.unshift(await cachedTree.rangeHash(from, to));
  return proof;
}

type CachedTree = TiledTree & { rangeHash(from: number, to: number): Promise<Uint8Array> };

function withCache({ size, readTile }: TiledTree): CachedTree {
  const once = <T>(known: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> => {
    const found = known.get(name) ?? make();
    known.set(name, found);
    return found;
  };
  const [tiles, ranges] = [new Map<string, Promise<Uint8Array>>(), new Map<string, Promise<Uint8Array>>()];
  const cachedTree: CachedTree = {
    size,
    readTile: (level, index, width) => once(tiles, `${level}/${index}`, () => readTile(level, index, width)),
    rangeHash: (from, to) => once(ranges, `${from}-${to}`, () => rangeHash(cachedTree, from, to)),
  };
  return cachedTree;
}

/** The hash over the leaves `from` to before `to`; `from` must be a multiple of the largest power of two in the range. */
async function rangeHash(tree: CachedTree, from: number, to: number): Promise<Uint8Array> {
  const count = to - from;
  if (count === 1) return await perfectSubtreeHash(tree, 0, from);
  const half = splitPoint(count);
  if (half * 2 === count) return await perfectSubtreeHash(tree, Math.log2(count), from / count);
  return nodeHash(await tree.rangeHash(from, from + half), await tree.rangeHash(from + half, to));
}

/** The root of the perfect subtree of 2^height leaves with that index among those of its height. */
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
