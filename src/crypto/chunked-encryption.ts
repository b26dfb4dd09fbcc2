import { createCipheriv, createDecipheriv, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../kernel/clock.ts';
import { hmac } from '../kernel/hashing.ts';

/**
 * The one format of everything sealed: C2SP chunked encryption, Cobblestone-256 (c2sp.org/chunked-encryption). A 32-byte input
 * key and a 24-byte salt give one message key through HKDF-Expand with SHA-512. Chunks of 16 KiB are sealed with AES-256-GCM
 * (12-byte nonce, 16-byte tag, no associated data). The message commits to its key, and chunks open in any order. This file
 * is the format; streams over it are in `sealed-stream.ts`. Test vectors: Wycheproof (chunked-encryption.test.ts).
 */
export const headerBytes = 56;
/** The length of the random salt of a message in bytes. */
export const saltBytes = 24;
/** The length of input keys and message keys in bytes. */
export const keyBytes = 32;
/** Plain bytes in each chunk but the last. */
export const chunkBytes = 16_384;
/** The length of the tag of each chunk in bytes. */
export const tagBytes = 16;
/** Sealed bytes of each chunk but the last. */
export const sealedChunkBytes = chunkBytes + tagBytes;

const infoPrefix = Buffer.from('c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0', 'latin1');
const maxChunks = 2 ** 38;
const algorithm = 'aes-256-gcm';
const tagOptions = { authTagLength: tagBytes };

/** The keys that seal and open the chunks of one message. `header` is its first 56 bytes: salt[24] ‖ commitment[32]. */
export type MessageKey = { readonly header: Uint8Array; readonly key: Uint8Array; readonly baseNonce: Uint8Array };

/** A sealed message does not open: wrong key, wrong context, or a changed or missing byte. The error never says which. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';

  constructor(options?: ErrorOptions) {
    super('this sealed message does not open with that key and context', options);
  }
}

/** The key of a new message under `inputKey` (32 random bytes). The salt must be random: a repeated one repeats nonces. */
export function deriveMessageKey(inputKey: Uint8Array, context: Uint8Array, salt: Uint8Array): MessageKey {
  if (inputKey.length !== keyBytes) throw new TypeError(`a sealing key has ${keyBytes} bytes, not ${inputKey.length}`);
  if (salt.length !== saltBytes) throw new TypeError(`a salt has ${saltBytes} bytes, not ${salt.length}`);
  const info = Buffer.concat([infoPrefix, salt, context]);
  const expanded = hkdfExpandSha512(inputKey, info, 76);
  return {
    header: Buffer.concat([salt, expanded.subarray(44, 76)]),
    key: expanded.subarray(0, 32),
    baseNonce: expanded.subarray(32, 44),
  };
}

const hashBytes = 64;

/** HKDF-Expand with SHA-512 (RFC 5869, section 2.3). `hkdf` of node:crypto always extracts first, which the format does not. */
export function hkdfExpandSha512(prk: Uint8Array, info: Uint8Array, length: number): Buffer {
  const blocks = Math.ceil(length / hashBytes);
  if (blocks > 255) throw new RangeError(`HKDF gives at most ${255 * hashBytes} bytes, not ${length}`);
  const expanded = Buffer.alloc(blocks * hashBytes);
  let previous: Buffer = Buffer.alloc(0);
  for (let block = 1; block <= blocks; block += 1) {
    previous = hmac('sha512', prk, Buffer.concat([previous, info, Buffer.of(block)]));
    expanded.set(previous, (block - 1) * hashBytes);
  }
  return expanded.subarray(0, length);
}

/** The key of an existing message, from its header; throws `SealBroken` when the header commits to another key. */
export function messageKeyFromHeader(inputKey: Uint8Array, context: Uint8Array, header: Uint8Array): MessageKey {
  if (header.length !== headerBytes) throw new SealBroken();
  const message = deriveMessageKey(inputKey, context, header.subarray(0, saltBytes));
  if (!timingSafeEqual(message.header, header)) throw new SealBroken();
  return message;
}

/**
 * Seals chunk `index` into `target`. Each chunk but the last holds exactly `chunkBytes`; the last holds fewer, perhaps none.
 */
export function sealChunk(
  message: MessageKey,
  index: number,
  plain: Uint8Array,
  target: Buffer = Buffer.allocUnsafe(plain.length + tagBytes),
): Buffer {
  const cipher = createCipheriv(algorithm, message.key, chunkNonce(message.baseNonce, index), tagOptions);
  target.set(cipher.update(plain));
  cipher.final();
  target.set(cipher.getAuthTag(), plain.length);
  return target;
}

/** Opens chunk `index`. A wrong tag throws `SealBroken`, and no byte of the chunk is returned. */
export function openChunk(message: MessageKey, index: number, sealed: Uint8Array): Buffer {
  if (sealed.length < tagBytes || sealed.length > sealedChunkBytes) throw new SealBroken();
  const decipher = createDecipheriv(algorithm, message.key, chunkNonce(message.baseNonce, index), tagOptions);
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  const plain = decipher.update(sealed.subarray(0, sealed.length - tagBytes));
  try {
    decipher.final();
  } catch (cause) {
    throw new SealBroken({ cause });
  }
  return plain;
}

/** The nonce of a chunk: the base nonce XOR the index, as a 64-bit big-endian number in its last 8 bytes. */
function chunkNonce(baseNonce: Uint8Array, index: number): Buffer {
  if (!Number.isSafeInteger(index) || index < 0 || index >= maxChunks) throw new RangeError(`no chunk ${index}`);
  const nonce = Buffer.from(baseNonce);
  nonce.writeUInt32BE((nonce.readUInt32BE(4) ^ Math.floor(index / 2 ** 32)) >>> 0, 4);
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ (index >>> 0)) >>> 0, 8);
  return nonce;
}

/** The length in bytes of a sealed message that holds `plainBytes`. */
export function sealedLength(plainBytes: number): number {
  return headerBytes + plainBytes + tagBytes * (Math.floor(plainBytes / chunkBytes) + 1);
}

/** Seals a small message in memory (ledger content, message texts); documents use `sealStream`. */
export function seal(inputKey: Uint8Array, context: string, plain: Uint8Array, random: RandomBytes): Buffer {
  const message = deriveMessageKey(inputKey, Buffer.from(context), random(saltBytes));
  const parts: Uint8Array[] = [message.header];
  // A message of whole chunks ends with an empty one.
  for (let index = 0; index * chunkBytes <= plain.length; index += 1) {
    parts.push(sealChunk(message, index, plain.subarray(index * chunkBytes, (index + 1) * chunkBytes)));
  }
  return Buffer.concat(parts);
}

/** Opens a message of `seal`; throws `SealBroken` on any change, including truncation. */
export function openSealed(inputKey: Uint8Array, context: string, sealed: Uint8Array): Buffer {
  const message = messageKeyFromHeader(inputKey, Buffer.from(context), sealed.subarray(0, headerBytes));
  const lastLength = (sealed.length - headerBytes) % sealedChunkBytes;
  if (lastLength < tagBytes) throw new SealBroken();
  const parts: Buffer[] = [];
  for (let at = headerBytes, index = 0; at < sealed.length; at += sealedChunkBytes, index += 1) {
    parts.push(openChunk(message, index, sealed.subarray(at, at + sealedChunkBytes)));
  }
  return Buffer.concat(parts);
}
