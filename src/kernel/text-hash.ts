/**
 * A 32-bit FNV-1a hash with a final mix, so that any of its bits can be used. Another start and factor give an independent hash. It is fast
 * and not secure: an attacker who chooses the texts can make their hashes equal.
 */
export function textHash(text: string, from = 0x811c9dc5, factor = 0x01000193): number {
  let hash = from | 0;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), factor);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return hash ^ (hash >>> 16);
}
