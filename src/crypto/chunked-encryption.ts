import { createCipheriv, createDecipheriv, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../kernel/clock.ts';
import { hmac } from '../kernel/hashing.ts';

/**
 * The one format of everything sealed: C2SP chunked encryption, Cobblestone-256 (c2sp.org/chunked-encryption). It
 * commits to its key, gives random access by chunk, and needs no nonce from the caller. This file is the format itself;
 * streams over it are in `sealed-stream.ts`.
 */
export const headerBytes = 56;
export const saltBytes = 24;
export const keyBytes = 32;
export const chunkBytes = 16_384;
export const tagBytes = 16;
export const sealedChunkBytes = chunkBytes + tagBytes;

const infoPrefix = Buffer.from('c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0', 'latin1');
const maxChunks = 2 ** 38;
const algorithm = 'aes-256-gcm';
const tagOptions = { authTagLength: tagBytes };

/** What seals and opens the chunks of one message; `header` is its first 56 bytes: salt and commitment. */
export type MessageKey = { readonly header: Uint8Array; readonly key: Uint8Array; readonly baseNonce: Uint8Array };

/** A sealed message that does not open: another key, another context, or a changed byte. It says no more than that. */
export class SealBroken extends Error {
  constructor(message = 'this sealed message does not open with that key and context') {
    super(message);
    this.name = 'SealBroken';
  }
}

/** The key of a new message under `inputKey` (32 random bytes). The salt must be fresh: two messages never share one. */
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

/** HKDF-Expand with SHA-512 (RFC 5869, section 2.3), which node:crypto offers only together with Extract. */
export function hkdfExpandSha512(prk: Uint8Array, info: Uint8Array, length: number): Buffer {
  const blocks = Math.ceil(length / hashBytes);
  if (blocks > 255) throw new RangeError(`HKDF gives at most ${255 * hashBytes} bytes, not ${length}`);
  const expanded = Buffer.allocUnsafe(blocks * hashBytes);
  // T(n) = HMAC(PRK, T(n - 1) ‖ info ‖ n): each input in one piece, since every update is a call out of JavaScript.
  const input = Buffer.allocUnsafe(hashBytes + info.length + 1);
  input.set(info, hashBytes);
  for (let block = 0; block < blocks; block += 1) {
    input[input.length - 1] = block + 1;
    const message = block === 0 ? input.subarray(hashBytes) : input;
    const mac = hmac('sha512', prk, message);
    expanded.set(mac, block * hashBytes);
    input.set(mac);
  }
  input.fill(0);
  return expanded.subarray(0, length);
}

/** The key of a message that is there, from its header; throws `SealBroken` when the header commits to another key. */
export function messageKeyFromHeader(inputKey: Uint8Array, context: Uint8Array, header: Uint8Array): MessageKey {
  if (header.length !== headerBytes) throw new SealBroken();
  const message = deriveMessageKey(inputKey, context, header.subarray(0, saltBytes));
  if (!timingSafeEqual(message.header, header)) throw new SealBroken();
  return message;
}

/** Seals chunk `index`; every chunk but the last holds exactly `chunkBytes`, the last one always fewer (perhaps none). */
export function sealChunk(message: MessageKey, index: number, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(algorithm, message.key, chunkNonce(message.baseNonce, index), tagOptions);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Opens chunk `index`; throws `SealBroken` before any byte of it is given out. */
export function openChunk(message: MessageKey, index: number, sealed: Uint8Array): Buffer {
  if (sealed.length < tagBytes || sealed.length > sealedChunkBytes) throw new SealBroken();
  const decipher = createDecipheriv(algorithm, message.key, chunkNonce(message.baseNonce, index), tagOptions);
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  const plain = decipher.update(sealed.subarray(0, sealed.length - tagBytes));
  try {
    decipher.final();
  } catch (cause) {
    throw Object.assign(new SealBroken(), { cause });
  }
  return plain;
}

/**
 * Seals chunk `index` into `target`, which is as long as the sealed chunk: what the cipher makes on the way is given back
 * at once. A stream of chunks that are left to the garbage collector costs twice as much as sealing them.
 */
export function sealChunkInto(target: Uint8Array, message: MessageKey, index: number, plain: Uint8Array): void {
  const cipher = createCipheriv(algorithm, message.key, chunkNonce(message.baseNonce, index), tagOptions);
  const sealed = cipher.update(plain);
  target.set(sealed);
  releaseMemory(sealed);
  cipher.final();
  const tag = cipher.getAuthTag();
  target.set(tag, plain.length);
  releaseMemory(tag);
}

/** Opens chunk `index` into `target`, which may be the start of `sealed`; like `openChunk`, and without garbage. */
export function openChunkInto(target: Uint8Array, message: MessageKey, index: number, sealed: Uint8Array): void {
  const plain = openChunk(message, index, sealed);
  target.set(plain);
  releaseMemory(plain);
}

/** Gives back bytes that nobody holds, where they are all of their memory. */
export function releaseMemory(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
}

function chunkNonce(baseNonce: Uint8Array, index: number): Buffer {
  if (!Number.isSafeInteger(index) || index < 0 || index >= maxChunks) throw new RangeError('no such chunk');
  const nonce = Buffer.from(baseNonce);
  nonce.writeUInt32BE((nonce.readUInt32BE(4) ^ Math.floor(index / 2 ** 32)) >>> 0, 4);
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ (index >>> 0)) >>> 0, 8);
  return nonce;
}

/** The length in bytes of a sealed message that holds `plainBytes`. */
export function sealedLength(plainBytes: number): number {
  return headerBytes + plainBytes + tagBytes * (Math.floor(plainBytes / chunkBytes) + 1);
}

/** Seals a small message in one piece (ledger content, message texts); documents go through the stream. */
export function seal(inputKey: Uint8Array, context: string, plain: Uint8Array, random: RandomBytes): Buffer {
  const message = deriveMessageKey(inputKey, Buffer.from(context), random(saltBytes));
  const sealed = Buffer.allocUnsafe(sealedLength(plain.length));
  sealed.set(message.header);
  for (let index = 0; index * chunkBytes <= plain.length; index += 1) {
    const target = sealed.subarray(headerBytes + index * sealedChunkBytes);
    sealChunkInto(target, message, index, plain.subarray(index * chunkBytes, (index + 1) * chunkBytes));
  }
  return sealed;
}

/** Opens a small message that `seal` made; throws `SealBroken` on any change, truncation included. */
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
