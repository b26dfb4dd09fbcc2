import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  chunkBytes,
  headerBytes,
  type MessageKey,
  openChunk,
  SealBroken,
  sealChunk,
  sealedChunkBytes,
  sealedLength,
} from './chunked-encryption.ts';

/** Chunks sealed or opened in one turn of the event loop (256 KiB, about 0.1 ms), so that others get theirs. */
const chunksPerTurn = 16;
const turnBytes = chunksPerTurn * chunkBytes;
/** So much of a part (1 MiB) is verified before any of it is given: a smaller one is given as a whole or not at all. */
const chunksAhead = 64;
/** As much of a sealed message as is opened in one turn: a source that gives such pieces saves putting them together. */
export const sealedTurnBytes = chunksPerTurn * sealedChunkBytes;

/** What passed through a sealing stream, counted and hashed (SHA-256) on the way; sizes in bytes. */
export type SealedSummary = {
  readonly plainBytes: number;
  readonly plainSha256: Buffer;
  readonly sealedBytes: number;
  readonly sealedSha256: Buffer;
};

/** A message being sealed: its bytes, and, once those were all taken, its summary. */
export type Sealing = { readonly bytes: AsyncGenerator<Buffer>; summary(): SealedSummary };

/**
 * Seals a stream of bytes, however they are cut, as one message; gives pieces of at most 1 MiB as they are asked for.
 * `message` is fresh from `startMessage`. When the source fails, so does the sealed stream, before its last chunk.
 */
export function sealStream(message: MessageKey, source: AsyncIterable<Uint8Array>): Sealing {
  const plainHash = createHash('sha256');
  const sealedHash = createHash('sha256');
  let plainBytes = 0;
  let sealedBytes = 0;
  let finished: SealedSummary | undefined;

  const counted = (piece: Buffer) => {
    sealedBytes += piece.length;
    sealedHash.update(piece);
    return piece;
  };

  async function* seal(): AsyncGenerator<Buffer> {
    yield counted(Buffer.from(message.header));
    // Pieces are gathered to a turn: few large writes, and each byte is copied once before it is sealed.
    let held: Uint8Array[] = [];
    let heldBytes = 0;
    let index = 0;
    const gathered = () => {
      const [only] = held;
      return held.length === 1 && only !== undefined ? only : Buffer.concat(held);
    };
    for await (const given of source) {
      for (let at = 0; at < given.length; at += turnBytes) {
        const piece = given.subarray(at, at + turnBytes);
        plainBytes += piece.length;
        plainHash.update(piece);
        held.push(piece);
        heldBytes += piece.length;
        if (heldBytes < turnBytes) continue;
        const plain = gathered();
        yield counted(sealChunks(message, index, plain.subarray(0, turnBytes)));
        index += chunksPerTurn;
        heldBytes = plain.length - turnBytes;
        held = heldBytes === 0 ? [] : [plain.subarray(turnBytes)];
        await setImmediate();
      }
    }
    const rest = gathered();
    const whole = Math.floor(rest.length / chunkBytes);
    if (whole > 0) yield counted(sealChunks(message, index, rest.subarray(0, whole * chunkBytes)));
    yield counted(sealChunk(message, index + whole, rest.subarray(whole * chunkBytes)));
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
  const sealed: Buffer[] = [];
  for (let at = 0; at < plain.length; at += chunkBytes) {
    sealed.push(sealChunk(message, firstIndex + at / chunkBytes, plain.subarray(at, at + chunkBytes)));
  }
  return Buffer.concat(sealed);
}

/**
 * A part of a sealed message: its plain bytes `first` to `last`, both included, of `plainLength`, a length that somebody
 * vouches for (a sealed record). `read` gives the stored bytes from `start` up to, without, `end`; a piece of them need
 * only be good until the next is asked for.
 */
export type SealedRange = {
  readonly read: (start: number, end: number) => AsyncIterable<Uint8Array>;
  readonly plainLength: number;
  readonly first: number;
  readonly last: number;
};

/**
 * Opens a part of a sealed message with one read of the storage; no byte of a chunk is given out before its tag was
 * verified. Chunk 0 brings the header along, which must be that of `message`; a part that reaches the end also verifies
 * the end, and an empty one there (`first: plainLength, last: plainLength - 1`) nothing but that. Throws `SealBroken` at the first wrong or missing byte.
 */
export async function* openRange(message: MessageKey, range: SealedRange): AsyncGenerator<Buffer> {
  const { plainLength, first, last } = range;
  if (!(first >= 0 && last < plainLength && (first <= last || (first === plainLength && last === first - 1)))) {
    throw new RangeError('no such range');
  }
  const firstChunk = Math.floor(first / chunkBytes);
  const lastChunk = Math.floor((last === plainLength - 1 ? plainLength : last) / chunkBytes);
  const start = firstChunk === 0 ? 0 : headerBytes + firstChunk * sealedChunkBytes;
  const end = Math.min(headerBytes + (lastChunk + 1) * sealedChunkBytes, sealedLength(plainLength));

  const stored = takeFrom(range.read(start, end));
  try {
    if (firstChunk === 0 && !(await stored.take(headerBytes)).equals(message.header)) throw new SealBroken();
    let verified: Buffer[] = [];
    for (let index = firstChunk; index <= lastChunk; index += chunksPerTurn) {
      const at = headerBytes + index * sealedChunkBytes;
      const chunks = Math.min(chunksPerTurn, lastChunk - index + 1);
      const sealed = await stored.take(Math.min(chunks * sealedChunkBytes, end - at));
      for (const [place, plain] of openChunks(message, index, sealed).entries()) {
        const offset = (index + place) * chunkBytes;
        const wanted = plain.subarray(Math.max(first - offset, 0), last + 1 - offset);
        if (wanted.length > 0) verified.push(wanted);
      }
      const next = index + chunks;
      if (next > lastChunk || next - firstChunk >= chunksAhead) {
        // Given as they are: to put them together would cost more than to open them.
        yield* verified;
        verified = [];
      }
      if (next <= lastChunk) await setImmediate();
    }
  } finally {
    await stored.close();
  }
}

function openChunks(message: MessageKey, firstIndex: number, sealed: Buffer): Buffer[] {
  const plain: Buffer[] = [];
  for (let at = 0; at < sealed.length; at += sealedChunkBytes) {
    const index = firstIndex + at / sealedChunkBytes;
    plain.push(openChunk(message, index, sealed.subarray(at, at + sealedChunkBytes)));
  }
  return plain;
}

/** Cuts a stream of any pieces into pieces of the length asked for; a stream that ends before is a broken message. */
function takeFrom(source: AsyncIterable<Uint8Array>) {
  const pieces = source[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
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
      const taken = Buffer.allocUnsafe(length);
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
