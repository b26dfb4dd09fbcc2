import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { RandomBytes } from '../kernel/clock.ts';
import { keyBytes, SealBroken, tagBytes } from './chunked-encryption.ts';

const nonceBytes = 12;
const algorithm = 'aes-256-gcm';
const tagOptions = { authTagLength: tagBytes };

/**
 * Wraps a 32-byte key with AES-256-GCM (NIST SP 800-38D) under a random 96-bit nonce. The associated data names the owner: a
 * wrapped key that is moved to another owner does not open. Shape: nonce[12] ‖ key[32] ‖ tag[16]. With random nonces one
 * wrapping key may wrap at most 2^32 keys (section 8.3).
 */
export function wrapKey(wrappingKey: Uint8Array, key: Uint8Array, associatedData: string, random: RandomBytes): Buffer {
  if (key.length !== keyBytes) throw new TypeError(`a wrapped key has ${keyBytes} bytes, not ${key.length}`);
  const nonce = random(nonceBytes);
  const cipher = createCipheriv(algorithm, wrappingKey, nonce, tagOptions).setAAD(Buffer.from(associatedData));
  return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

/** The key that `wrapKey` wrapped for this owner; throws `SealBroken` for another owner or wrapping key, or a changed byte. */
export function unwrapKey(wrappingKey: Uint8Array, wrapped: Uint8Array, associatedData: string): Buffer {
  if (wrapped.length !== nonceBytes + keyBytes + tagBytes) throw new SealBroken();
  const decipher = createDecipheriv(algorithm, wrappingKey, wrapped.subarray(0, nonceBytes), tagOptions);
  decipher.setAAD(Buffer.from(associatedData));
  decipher.setAuthTag(wrapped.subarray(nonceBytes + keyBytes));
  const key = decipher.update(wrapped.subarray(nonceBytes, nonceBytes + keyBytes));
  try {
    decipher.final();
  } catch (cause) {
    key.fill(0);
    throw new SealBroken({ cause });
  }
  return key;
}

/** Wraps a key of the same owner under another wrapping key, and wipes the plain key; throws `SealBroken` like `unwrapKey`. */
export function rewrapKey(
  { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
  wrapped: Uint8Array,
  associatedData: string,
  random: RandomBytes,
): Buffer {
  const key = unwrapKey(from, wrapped, associatedData);
  try {
    return wrapKey(to, key, associatedData, random);
  } finally {
    key.fill(0);
  }
}
