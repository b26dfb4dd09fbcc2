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

/** Chunks sealed or opened in one tick (256 KiB), so that a large document does not block the event loop. */
const chunksPerTick = 16;
const tickBytes = chunksPerTick * chunkBytes;
/** A range of up to 1 MiB is verified completely before its first byte is yielded; longer ranges 1 MiB at a time. */
const chunksPerPiece = 64;
/** Sealed bytes that are opened together. A source that reads pieces of this length saves a copy. */
export const sealedPieceBytes = chunksPerPiece * sealedChunkBytes;

/** Lengths (bytes) and SHA-256 of a sealed message and of its plain bytes. */
export type SealedSummary = {
  readonly plainBytes: number;
  readonly plainSha256: Buffer;
  readonly sealedBytes: number;
  readonly sealedSha256: Buffer;
};

/**
 * Seals a stream of bytes as one message, in pieces of at most 256 KiB. `message` must come from `deriveMessageKey` with a new
 * salt. When the source fails, the sealed stream fails before its last chunk, so a truncated message never opens.
 */
export function sealStream(message: MessageKey, source: AsyncIterable<Uint8Array>) {
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
    // Gathers small pieces, so that the storage receives few large writes.
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
    /** Throws until all `bytes` were read. */
    summary: (): SealedSummary => {
      if (finished === undefined) throw new TypeError('read all bytes of a sealed stream before its summary');
      return finished;
    },
  };
}

function sealChunks(message: MessageKey, firstIndex: number, plain: Uint8Array): Buffer {
  const chunks = plain.length / chunkBytes;
  const sealed = Buffer.allocUnsafe(chunks * sealedChunkBytes);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const chunkOfPlain = plain.subarray(chunk * chunkBytes, (chunk + 1) * chunkBytes);
    sealChunk(message, firstIndex + chunk, chunkOfPlain, sealed.subarray(chunk * sealedChunkBytes));
  }
  return sealed;
}

/**
 * The plain bytes `first` to `last` (both included) of a sealed message of `plainLength` bytes. The length must come from an
 * authenticated source (the sealed record). `read` yields the stored bytes from `start` to before `end`, in memory that is opened
 * in place; it may reuse the memory of a piece when the next piece is requested.
 */
type SealedRange = {
  readonly read: (start: number, end: number) => AsyncIterable<Uint8Array>;
  readonly plainLength: number;
  readonly first: number;
  readonly last: number;
};

/**
 * Opens a range of a sealed message with one read of the storage, in pieces of about 1 MiB, each valid until the next one. The tag of a
 * chunk is verified before any byte of it is yielded. A range from byte 0 also verifies the header, and a range to the last byte verifies
 * the end. The empty range at the end (`first: plainLength, last: plainLength - 1`) verifies the end alone. Throws `SealBroken` at the
 * first wrong or missing byte.
 */
export async function* openSealedRange(message: MessageKey, range: SealedRange): AsyncGenerator<Buffer> {
  const { plainLength, first, last } = range;
  if (!(first >= 0 && last < plainLength && (first <= last || (first === plainLength && last === first - 1)))) {
    throw new RangeError(`no bytes ${first} to ${last} in a message of ${plainLength}`);
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
      // The last chunk is often empty: it is opened with the chunks before it.
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

/** Opens consecutive chunks in place, and yields to the event loop between groups of them. */
async function openChunks(message: MessageKey, firstIndex: number, sealed: Buffer): Promise<Buffer> {
  let plainBytes = 0;
  for (let chunk = 0; chunk * sealedChunkBytes < sealed.length; chunk += 1) {
    if (chunk > 0 && chunk % chunksPerTick === 0) await setImmediate();
    const from = chunk * sealedChunkBytes;
    const plain = openChunk(message, firstIndex + chunk, sealed.subarray(from, from + sealedChunkBytes));
    sealed.set(plain, plainBytes);
    plainBytes += plain.length;
  }
  return sealed.subarray(0, plainBytes);
}

/** Reads exact lengths from a stream of pieces of any length; throws `SealBroken` when the stream ends too early. */
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
    /** The next `length` bytes; valid until the next call. */
    take: async (length: number): Promise<Buffer> => {
      if (rest.length === 0 && length > 0) rest = await next();
      if (rest.length >= length) {
        const taken = rest.subarray(0, length);
        rest = rest.subarray(length);
        return Buffer.from(taken.buffer, taken.byteOffset, length);
      }
      // The source may reuse the memory of a piece, so the parts are copied.
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
