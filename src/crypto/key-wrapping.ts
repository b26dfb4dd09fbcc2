import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { RandomBytes } from '../kernel/clock.ts';
import { keyBytes, releaseMemory, SealBroken, tagBytes } from './chunked-encryption.ts';

/** How many random bytes `wrapKey` takes beside the key. */
export const wrapNonceBytes = 12;
const algorithm = 'aes-256-gcm';
const tagOptions = { authTagLength: tagBytes };

/**
 * Wraps a key of 32 bytes with AES-256-GCM; `bound` (who it belongs to) is authenticated, so that a wrapped key moved to
 * another owner does not open. Shape: nonce[12] ‖ key[32] ‖ tag[16]. Stay below 2^32 wraps a wrapping key.
 */
export function wrapKey(wrappingKey: Uint8Array, key: Uint8Array, associatedData: string, random: RandomBytes): Buffer {
  if (key.length !== keyBytes) throw new TypeError(`a wrapped key has ${keyBytes} bytes, not ${key.length}`);
  const nonce = random(wrapNonceBytes);
  const cipher = createCipheriv(algorithm, wrappingKey, nonce, tagOptions);
  cipher.setAAD(Buffer.from(associatedData));
  const wrapped = Buffer.allocUnsafe(wrapNonceBytes + keyBytes + tagBytes);
  wrapped.set(nonce);
  wrapped.set(cipher.update(key), wrapNonceBytes);
  cipher.final();
  wrapped.set(cipher.getAuthTag(), wrapNonceBytes + keyBytes);
  return wrapped;
}

/** The key that `wrapKey` wrapped for the same owner; throws `SealBroken` for any other owner, key or byte. */
export function unwrapKey(wrappingKey: Uint8Array, wrapped: Uint8Array, associatedData: string): Buffer {
  const plainKey = decryptKey(wrappingKey, wrapped, associatedData);
  // Keys are kept for a while: within the heap, where each costs the collector next to nothing.
  const key = Buffer.allocUnsafeSlow(keyBytes);
  key.set(plainKey);
  // Memory that is given back is not wiped.
  plainKey.fill(0);
  releaseMemory(plainKey);
  return key;
}

/** Wraps anew, under another wrapping key, what was wrapped for the same owner; throws `SealBroken` like `unwrapKey`. */
export function rewrapKey(
  { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
  wrapped: Uint8Array,
  associatedData: string,
  random: RandomBytes,
): Buffer {
  const key = decryptKey(from, wrapped, associatedData);
  try {
    return wrapKey(to, key, associatedData, random);
  } finally {
    key.fill(0);
  }
}

/** The key in memory of its own outside of the heap; who has no use for it any more wipes it. */
function decryptKey(wrappingKey: Uint8Array, wrapped: Uint8Array, associatedData: string): Buffer {
  if (wrapped.length !== wrapNonceBytes + keyBytes + tagBytes) throw new SealBroken();
  const decipher = createDecipheriv(algorithm, wrappingKey, wrapped.subarray(0, wrapNonceBytes), tagOptions);
  decipher.setAAD(Buffer.from(associatedData));
  decipher.setAuthTag(wrapped.subarray(wrapNonceBytes + keyBytes));
  const plainKey = decipher.update(wrapped.subarray(wrapNonceBytes, wrapNonceBytes + keyBytes));
  try {
    decipher.final();
  } catch (cause) {
    plainKey.fill(0);
    throw Object.assign(new SealBroken(), { cause });
  }
  return plainKey;
}

/** A source of so many random bytes that asks the given one once; many small requests cost more than all wrapping. */
export function prefetchRandom(random: RandomBytes, bytes: number): RandomBytes {
  const prefetched = random(bytes);
  let used = 0;
  return (wanted) => {
    used += wanted;
    if (used > prefetched.length) throw new RangeError('more random bytes were asked for than drawn');
    return prefetched.subarray(used - wanted, used);
  };
}
