import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  chunkBytes,
  headerBytes,
  type MessageKey,
  openChunkInto,
  SealBroken,
  sealChunk,
  sealChunkInto,
  sealedChunkBytes,
  sealedLength,
  tagBytes,
} from './chunked-encryption.ts';

/** Chunks sealed or opened in one turn of the event loop (256 KiB, about 0.1 ms), so that others get theirs. */
const chunksPerTick = 16;
const tickBytes = chunksPerTick * chunkBytes;
/** So much of a part (1 MiB) is verified before any of it is given: a smaller one is given as a whole or not at all. */
const chunksPerPiece = 64;
/** As much of a sealed message as is opened before it is given: a source of such pieces saves putting them together. */
export const sealedPieceBytes = chunksPerPiece * sealedChunkBytes;

/** What passed through a sealing stream, counted and hashed (SHA-256) on the way; sizes in bytes. */
export type SealedSummary = {
  readonly plainBytes: number;
  readonly plainSha256: Buffer;
  readonly sealedBytes: number;
  readonly sealedSha256: Buffer;
};

/** A message being sealed: its bytes, and, once those were all taken, its summary. */
export type SealedStream = { readonly bytes: AsyncGenerator<Buffer>; summary(): SealedSummary };

/**
 * Seals a stream of bytes, however they are cut, as one message; gives pieces of at most 1 MiB as they are asked for.
 * `message` is fresh from `startMessage`. When the source fails, so does the sealed stream, before its last chunk.
 */
export function sealStream(message: MessageKey, source: AsyncIterable<Uint8Array>): SealedStream {
  const plainHash = createHash('sha256');
  const sealedHash = createHash('sha256');
  let plainBytes = 0;
  let sealedBytes = 0;
  let finished: SealedSummary | undefined;

  const recordSealed = (piece: Buffer) => {
    sealedBytes += piece.length;
    sealedHash.update(piece);
    return piece;
  };

  async function* seal(): AsyncGenerator<Buffer> {
    yield recordSealed(Buffer.from(message.header));
    // Pieces are gathered to a turn: few large writes, and each byte is copied once before it is sealed.
    let buffered: Uint8Array[] = [];
    let bufferedBytes = 0;
    let index = 0;
    const concatBuffered = () => {
      const [only] = buffered;
      return buffered.length === 1 && only !== undefined ? only : Buffer.concat(buffered);
    };
    for await (const given of source) {
      for (let at = 0; at < given.length; at += tickBytes) {
        const piece = given.subarray(at, at + tickBytes);
        plainBytes += piece.length;
        plainHash.update(piece);
        buffered.push(piece);
        bufferedBytes += piece.length;
        if (bufferedBytes < tickBytes) continue;
        const plain = concatBuffered();
        yield recordSealed(sealChunks(message, index, plain.subarray(0, tickBytes)));
        index += chunksPerTick;
        bufferedBytes = plain.length - tickBytes;
        buffered = bufferedBytes === 0 ? [] : [plain.subarray(tickBytes)];
        await setImmediate();
      }
    }
    const rest = concatBuffered();
    const whole = Math.floor(rest.length / chunkBytes);
    if (whole > 0) yield recordSealed(sealChunks(message, index, rest.subarray(0, whole * chunkBytes)));
    yield recordSealed(sealChunk(message, index + whole, rest.subarray(whole * chunkBytes)));
    finished = { plainBytes, plainSha256: plainHash.digest(), sealedBytes, sealedSha256: sealedHash.digest() };
  }

  return {
    bytes: seal(),
    summary: () => {
      if (finished === undefined) throw new Error('a sealed stream has its summary only when all of it was taken');
      return finished;
    },
  };
}

function sealChunks(message: MessageKey, firstIndex: number, plain: Uint8Array): Buffer {
  const chunks = plain.length / chunkBytes;
  const sealed = Buffer.allocUnsafe(chunks * sealedChunkBytes);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const target = sealed.subarray(chunk * sealedChunkBytes, (chunk + 1) * sealedChunkBytes);
    sealChunkInto(target, message, firstIndex + chunk, plain.subarray(chunk * chunkBytes, (chunk + 1) * chunkBytes));
  }
  return sealed;
}

/**
 * A part of a sealed message: its plain bytes `first` to `last`, both included, of `plainLength`, a length that somebody
 * vouches for (a sealed record). `read` gives the stored bytes from `start` up to, without, `end`; a piece of them need
 * only be good until the next is asked for, and is opened where it lies: it must be the reader's own memory.
 */
export type SealedRange = {
  readonly read: (start: number, end: number) => AsyncIterable<Uint8Array>;
  readonly plainLength: number;
  readonly first: number;
  readonly last: number;
};

/**
 * Opens a part of a sealed message with one read of the storage; no byte of a chunk is given out before its tag was
 * verified. Pieces are of about 1 MiB, and good until the next is asked for. Chunk 0 brings the header along, which must be
 * that of `message`; a part that reaches the end also verifies the end, and an empty one there (`first: plainLength, last:
 * plainLength - 1`) nothing but that. Throws `SealBroken` at the first wrong or missing byte.
 */
export async function* openSealedRange(message: MessageKey, range: SealedRange): AsyncGenerator<Buffer> {
  const { plainLength, first, last } = range;
  if (!(first >= 0 && last < plainLength && (first <= last || (first === plainLength && last === first - 1)))) {
    throw new RangeError('no such range');
  }
  const firstChunk = Math.floor(first / chunkBytes);
  const lastChunk = Math.floor((last === plainLength - 1 ? plainLength : last) / chunkBytes);
  const start = firstChunk === 0 ? 0 : headerBytes + firstChunk * sealedChunkBytes;
  const end = Math.min(headerBytes + (lastChunk + 1) * sealedChunkBytes, sealedLength(plainLength));

  const stored = createByteReader(range.read(start, end));
  try {
    if (firstChunk === 0 && !(await stored.take(headerBytes)).equals(message.header)) throw new SealBroken();
    for (let index = firstChunk; index <= lastChunk; ) {
      const left = lastChunk - index + 1;
      // The last chunk of a message is often an empty one: it goes along.
      const chunks = left <= chunksPerPiece + 1 ? left : chunksPerPiece;
      const at = headerBytes + index * sealedChunkBytes;
      const sealed = await stored.take(Math.min(chunks * sealedChunkBytes, end - at));
      const plain = await openChunks(message, index, sealed);
      const offset = index * chunkBytes;
      const wanted = plain.subarray(Math.max(first - offset, 0), Math.max(last + 1 - offset, 0));
      if (wanted.length > 0) yield wanted;
      index += chunks;
    }
  } finally {
    await stored.close();
  }
}

/** Opens chunks where they lie, each behind the plain bytes of those before it, some in each turn of the event loop. */
async function openChunks(message: MessageKey, firstIndex: number, sealed: Buffer): Promise<Buffer> {
  const chunks = Math.ceil(sealed.length / sealedChunkBytes);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    if (chunk > 0 && chunk % chunksPerTick === 0) await setImmediate();
    const target = sealed.subarray(chunk * chunkBytes);
    const from = chunk * sealedChunkBytes;
    openChunkInto(target, message, firstIndex + chunk, sealed.subarray(from, from + sealedChunkBytes));
  }
  return sealed.subarray(0, sealed.length - chunks * tagBytes);
}

/** Cuts a stream of any pieces into pieces of the length asked for; a stream that ends before is a broken message. */
function createByteReader(source: AsyncIterable<Uint8Array>) {
  const pieces = source[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  let scratch = Buffer.alloc(0);
  const next = async () => {
    const piece = await pieces.next();
    if (piece.done === true) throw new SealBroken();
    return piece.value;
  };
  return {
    /** Bytes that are good until the next are taken. */
    take: async (length: number): Promise<Buffer> => {
      if (rest.length === 0 && length > 0) rest = await next();
      if (rest.length >= length) {
        const taken = rest.subarray(0, length);
        rest = rest.subarray(length);
        return Buffer.from(taken.buffer, taken.byteOffset, length);
      }
      // Pieces of another cut are put together in bytes of our own, since each may be gone when the next is there.
      if (scratch.length < length) scratch = Buffer.allocUnsafeSlow(length);
      const taken = scratch.subarray(0, length);
      taken.set(rest);
      for (let at = rest.length; at < length; ) {
        const piece = await next();
        const missing = piece.subarray(0, length - at);
        taken.set(missing, at);
        at += missing.length;
        rest = piece.subarray(missing.length);
      }
      return taken;
    },
    close: async () => {
      await pieces.return?.();
    },
  };
}
