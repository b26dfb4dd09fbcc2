import { hash } from 'node:crypto';

// The library gives a hash as bytes with memory of their own outside of the heap, which costs the collector more than the
// hash: as a string of Latin-1, a character for each byte, it is had for a third.

/** SHA-256: 32 bytes. */
export function sha256(message: Uint8Array): Buffer {
  return latin1ToBytes(hash('sha256', message, 'binary'));
}

type Algorithm = 'sha256' | 'sha512';

/** HMAC with SHA-256 (32 bytes) or SHA-512 (64 bytes), RFC 2104. A message of text counts as UTF-8. */
export function hmac(algorithm: Algorithm, key: Uint8Array, message: Uint8Array | string): Buffer {
  return latin1ToBytes(hash(algorithm, hmacOuterInput(algorithm, key, message), 'binary'));
}

/** HMAC with SHA-256, written in an encoding. */
export function hmacString(key: Uint8Array, message: Uint8Array | string, encoding: 'base64url' | 'hex'): string {
  return hash('sha256', hmacOuterInput('sha256', key, message), encoding);
}

/** Messages up to so many bytes are put together in memory that is there already. */
const sharedBufferBytes = 1_024;

/** The two inputs of an HMAC: the key in one pad before the message, and in the other before the hash of that. */
type Pads = { readonly block: number; readonly inner: Buffer; readonly outer: Buffer };

const createPads = (block: number, digest: number): Pads => ({
  block,
  inner: Buffer.allocUnsafeSlow(block + sharedBufferBytes),
  outer: Buffer.allocUnsafeSlow(block + digest),
});
const pads: Readonly<Record<Algorithm, Pads>> = { sha256: createPads(64, 32), sha512: createPads(128, 64) };

/**
 * H(K ⊕ ipad ‖ message) behind K ⊕ opad: what an HMAC hashes last. Two plain hashes: an `Hmac` of the library costs twice
 * as much, most of it for what it holds outside of the heap, and a request has a dozen. It is overwritten by the next.
 */
function hmacOuterInput(algorithm: Algorithm, key: Uint8Array, message: Uint8Array | string): Buffer {
  const { block, inner: sharedInner, outer } = pads[algorithm];
  const maxMessageBytes = typeof message === 'string' ? message.length * 3 : message.length;
  const inner = maxMessageBytes <= sharedBufferBytes ? sharedInner : Buffer.allocUnsafe(block + maxMessageBytes);
  const blockKey = key.length <= block ? key : latin1ToBytes(hash(algorithm, key, 'binary'));
  for (let at = 0; at < block; at += 1) {
    const byte = blockKey[at] ?? 0;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  let length = message.length;
  if (typeof message === 'string') length = inner.write(message, block, 'utf8');
  else inner.set(message, block);
  outer.write(hash(algorithm, inner.subarray(0, block + length), 'binary'), block, 'binary');
  return outer;
}

/** In memory of its own, not in node's pool: a hash that is kept would keep the whole pool. */
function latin1ToBytes(latin1: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(latin1.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = latin1.charCodeAt(at);
  return bytes;
}
