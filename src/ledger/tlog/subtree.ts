import { emptyRoot, hashBytes, nodeHash } from './merkle.ts';

/** The leaves `start` to before `end` as one tree (draft-ietf-plants-merkle-tree-certs, section 4). */
export type Subtree = { readonly start: number; readonly end: number; readonly hash: Uint8Array };

/** Whether a range can be a subtree: `start` is a multiple of the smallest power of two that is at least its length. */
export function isSubtree(start: number, end: number): boolean {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || start > end) return false;
  let width = 1;
  while (width < end - start) width *= 2;
  return start % width === 0;
}

/** Whether the proof shows that the tree of that size and root contains the subtree. The empty subtree is in every tree. */
export function verifySubtreeConsistency(
  { start, end, hash }: Subtree,
  { size, root, proof }: { readonly size: number; readonly root: Uint8Array; readonly proof: readonly Uint8Array[] },
): boolean {
  if (!isSubtree(start, end) || !Number.isSafeInteger(size) || end > size) return false;
  if (start === end) return proof.length === 0 && Buffer.compare(hash, emptyRoot) === 0;
  if (end - start === size) return proof.length === 0 && Buffer.compare(hash, root) === 0;
  if (![hash, root, ...proof].every((one) => one.length === hashBytes)) return false;
  // The positions of the first and last leaf of the subtree, and of the last leaf of the tree, at the current level.
  let [first, last, top] = [start, end - 1, size - 1];
  const up = () => {
    [first, last, top] = [Math.floor(first / 2), Math.floor(last / 2), Math.floor(top / 2)];
  };
  while (first !== last && (last === top || last % 2 === 1)) up();
  const path = [...proof];
  const startHash = first === last ? hash : path.shift();
  if (startHash === undefined) return false;
  let [subtree, tree] = [startHash, startHash];
  for (const one of path) {
    if (top === 0) return false;
    if (last % 2 === 1 || last === top) {
      if (first < last) subtree = nodeHash(one, subtree);
      tree = nodeHash(one, tree);
      while (last % 2 === 0) up();
    } else tree = nodeHash(tree, one);
    up();
  }
  return top === 0 && Buffer.compare(subtree, hash) === 0 && Buffer.compare(tree, root) === 0;
}
