import { sha256 } from '../../kernel/hashing.ts';

/** The bytes of one hash (SHA-256). */
export const hashBytes = 32;

/** The root of a tree without leaves (RFC 6962, section 2.1). */
export const emptyRoot: Buffer = sha256(new Uint8Array());

/** Where an entry of the usual length is put behind its prefix of 0. */
const sharedLeafBuffer = Buffer.alloc(2_048);

/** The hash of a leaf (RFC 6962, section 2.1): SHA-256(0x00 ‖ entry). */
export function leafHash(entry: Uint8Array): Buffer {
  const leaf =
    entry.length < sharedLeafBuffer.length
      ? sharedLeafBuffer.subarray(0, 1 + entry.length)
      : Buffer.alloc(1 + entry.length);
  leaf.set(entry, 1);
  return sha256(leaf);
}

const nodeBuffer = Buffer.alloc(1 + 2 * hashBytes, 1);

/** The hash of a node over two others (RFC 6962, section 2.1): SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  if (left.length !== hashBytes || right.length !== hashBytes) throw new TypeError('a hash has 32 bytes');
  nodeBuffer.set(left, 1);
  nodeBuffer.set(right, 1 + hashBytes);
  return sha256(nodeBuffer);
}

/** Cuts concatenated hashes, as a tile has them, apart. */
export function splitHashes(bytes: Uint8Array): Uint8Array[] {
  const hashes: Uint8Array[] = [];
  for (let at = 0; at + hashBytes <= bytes.length; at += hashBytes) hashes.push(bytes.subarray(at, at + hashBytes));
  return hashes;
}

/** The root over these leaf hashes, or over the roots of perfect trees of one size. */
export function rootOfHashes(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return emptyRoot;
  let row = [...hashes];
  while (row.length > 1) {
    const above: Uint8Array[] = [];
    for (let at = 0; at + 1 < row.length; at += 2) above.push(nodeHash(row[at] ?? emptyRoot, row[at + 1] ?? emptyRoot));
    // The last one of an odd row goes up as it is: that is the split at the largest power of two below.
    const last = row.length % 2 === 1 ? row.at(-1) : undefined;
    if (last !== undefined) above.push(last);
    row = above;
  }
  return row[0] ?? emptyRoot;
}

/** The largest power of two below `n`, for `n` of 2 and more: where a tree of `n` leaves is split. */
export function splitPoint(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

export type InclusionProof = {
  readonly index: number;
  readonly size: number;
  readonly leaf: Uint8Array;
  readonly proof: readonly Uint8Array[];
  readonly root: Uint8Array;
};

/** Whether the proof shows that leaf `index` of the tree with that root is `leaf` (RFC 9162, section 2.1.3.2). */
export function verifyInclusion({ index, size, leaf, proof, root }: InclusionProof): boolean {
  if (!isNaturalNumber(index) || !isNaturalNumber(size) || index >= size || !areHashes([leaf, root, ...proof]))
    return false;
  let fn = index;
  let sn = size - 1;
  let r = leaf;
  for (const p of proof) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      r = nodeHash(p, r);
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2);
        sn = Math.floor(sn / 2);
      }
    } else r = nodeHash(r, p);
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  return sn === 0 && Buffer.compare(r, root) === 0;
}

export type ConsistencyProof = {
  readonly oldSize: number;
  readonly newSize: number;
  readonly oldRoot: Uint8Array;
  readonly newRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
};

/**
 * Whether the proof shows that the tree of `newSize` begins with that of `oldSize` (RFC 9162, section 2.1.4.2). An old
 * size of 0 is refused: the empty tree begins every other, so there is nothing to prove, and callers say so themselves.
 */
export function verifyConsistency({ oldSize, newSize, oldRoot, newRoot, proof }: ConsistencyProof): boolean {
  if (!isNaturalNumber(oldSize) || !isNaturalNumber(newSize) || oldSize === 0 || oldSize > newSize) return false;
  if (oldSize === newSize) return proof.length === 0 && Buffer.compare(oldRoot, newRoot) === 0;
  if (proof.length === 0 || !areHashes([oldRoot, newRoot, ...proof])) return false;
  const path = isPowerOfTwo(oldSize) ? [oldRoot, ...proof] : proof;
  let fn = oldSize - 1;
  let sn = newSize - 1;
  while (fn % 2 === 1) {
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  let fr = path[0] ?? emptyRoot;
  let sr = fr;
  for (const c of path.slice(1)) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      fr = nodeHash(c, fr);
      sr = nodeHash(c, sr);
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2);
        sn = Math.floor(sn / 2);
      }
    } else sr = nodeHash(sr, c);
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  return sn === 0 && Buffer.compare(fr, oldRoot) === 0 && Buffer.compare(sr, newRoot) === 0;
}

function isNaturalNumber(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function areHashes(hashes: readonly Uint8Array[]): boolean {
  return hashes.every((one) => one.length === hashBytes);
}

function isPowerOfTwo(n: number): boolean {
  let k = 1;
  while (k < n) k *= 2;
  return k === n;
}
