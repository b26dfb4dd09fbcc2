import { createHmac, hash } from 'node:crypto';

// The library gives a hash as bytes with memory of their own outside of the heap, which costs the collector more than the
// hash: as a string of Latin-1, a character for each byte, it is had for a third. What is a key for the library itself next
// is better taken from it as bytes.

/** SHA-256: 32 bytes. */
export function sha256(message: Uint8Array): Buffer {
  return bytesOf(hash('sha256', message, 'latin1'));
}

/** HMAC with SHA-256 (32 bytes) or SHA-512 (64 bytes), RFC 2104. */
export function hmac(algorithm: 'sha256' | 'sha512', key: Uint8Array, message: Uint8Array | string): Buffer {
  return bytesOf(createHmac(algorithm, key).update(message).digest('latin1'));
}

/** In memory of its own, not in node's pool: a hash that is kept would keep the whole pool. */
function bytesOf(latin1: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(latin1.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = latin1.charCodeAt(at);
  return bytes;
}
