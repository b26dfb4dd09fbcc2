import { sha256 } from '../../kernel/hashing.ts';

/** The length of a hash (SHA-256) in bytes. This file has the tree hashes of RFC 6962 and the proof checks of RFC 9162. */
export const hashBytes = 32;

/** The root hash of the empty tree (RFC 6962, section 2.1). */
export const emptyRoot: Buffer = sha256(new Uint8Array());

const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

/** The hash of a leaf (RFC 6962, section 2.1): SHA-256(0x00 ‖ entry). */
export function leafHash(entry: Uint8Array): Buffer {
  return sha256(Buffer.concat([leafPrefix, entry]));
}

/** The hash of a node (RFC 6962, section 2.1): SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  if (left.length !== hashBytes || right.length !== hashBytes) throw new TypeError('a hash has 32 bytes');
  return sha256(Buffer.concat([nodePrefix, left, right]));
}

/** Splits the concatenated hashes of a tile. */
export function splitHashes(bytes: Uint8Array): Uint8Array[] {
  const hashes: Uint8Array[] = [];
  for (let at = 0; at + hashBytes <= bytes.length; at += hashBytes) hashes.push(bytes.subarray(at, at + hashBytes));
  return hashes;
}

/** The root hash over these leaf hashes, or over the roots of perfect subtrees of one size. */
export function rootOfHashes(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return emptyRoot;
  let row = [...hashes];
  while (row.length > 1) {
    const above: Uint8Array[] = [];
    for (let at = 0; at + 1 < row.length; at += 2) above.push(nodeHash(row[at] ?? emptyRoot, row[at + 1] ?? emptyRoot));
    // An odd last hash moves up unchanged: this is the split at the largest power of two below the size.
    const last = row.length % 2 === 1 ? row.at(-1) : undefined;
    if (last !== undefined) above.push(last);
    row = above;
  }
  return row[0] ?? emptyRoot;
}

/** The largest power of two below `n` (at least 2): the size of the left subtree of `n` leaves. */
export function splitPoint(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/**
 * A proof that `leaf` is leaf `index` of the tree of `size` leaves with that root; `proof` starts with the sibling of the leaf.
 */
type InclusionProof = {
  readonly index: number;
  readonly size: number;
  readonly leaf: Uint8Array;
  readonly proof: readonly Uint8Array[];
  readonly root: Uint8Array;
};

/** Whether an inclusion proof holds (RFC 9162, section 2.1.3.2). */
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

/** A proof that the tree of `newSize` leaves begins with the tree of `oldSize` leaves. */
type ConsistencyProof = {
  readonly oldSize: number;
  readonly newSize: number;
  readonly oldRoot: Uint8Array;
  readonly newRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
};

/**
 * Whether a consistency proof holds (RFC 9162, section 2.1.4.2). False for an old size of 0, which needs no proof: callers
 * handle the empty tree themselves.
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
