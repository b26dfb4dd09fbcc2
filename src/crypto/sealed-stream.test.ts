import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { testDataPath, testDataSkipReason } from '../../test/support/test-data.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import {
  chunkBytes,
  deriveMessageKey,
  headerBytes,
  messageKeyFromHeader,
  openSealed,
  SealBroken,
  saltBytes,
  seal,
  sealedChunkBytes,
  sealedLength,
  tagBytes,
} from './chunked-encryption.ts';
import { openSealedRange, sealStream } from './sealed-stream.ts';

const key = systemRandom(32);
const context = 'test@v1\0stream';
const borders = [0, 1, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 49_152, 1_048_576, 1_048_577, 2_097_152];

function patterned(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 31 + (at >> 14)) & 0xff;
  return bytes;
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  // A piece is valid until the next one is requested.
  for await (const piece of pieces) parts.push(Buffer.from(piece));
  return Buffer.concat(parts);
}

async function* copied(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

/** Cuts the bytes into pieces of these lengths, repeatedly. */
async function* cut(bytes: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

const newMessage = () => deriveMessageKey(key, Buffer.from(context), systemRandom(saltBytes));

test('a stream in pieces of any length seals to the same bytes, lengths and hashes as the whole message', async () => {
  const sizes = fc.constantFrom(...borders.slice(0, 9), 20_000, 100_003);
  const lengths = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(sizes, lengths, async (size, pieces) => {
      const plain = patterned(size);
      const salt = systemRandom(saltBytes);
      const sealing = sealStream(deriveMessageKey(key, Buffer.from(context), salt), cut(plain, pieces));
      const sealed = await collect(sealing.bytes);
      assert.ok(sealed.equals(seal(key, context, plain, () => salt)));
      assert.deepEqual(sealing.summary(), {
        plainBytes: size,
        plainSha256: createHash('sha256').update(plain).digest(),
        sealedBytes: sealedLength(size),
        sealedSha256: createHash('sha256').update(sealed).digest(),
      });
    }),
    { numRuns: 60 },
  );
});

test('a large piece is sealed in pieces of at most 256 KiB and opens to the same bytes', async () => {
  const plain = patterned(5_000_000);
  const message = newMessage();
  const pieces: Buffer[] = [];
  for await (const piece of sealStream(message, cut(plain, [plain.length])).bytes) pieces.push(piece);
  assert.ok(Math.max(...pieces.map((piece) => piece.length)) <= 64 * sealedChunkBytes);
  assert.ok(openSealed(key, context, Buffer.concat(pieces)).equals(plain));
});

test('a sealed stream fails without a summary when its source fails', async () => {
  async function* breaking() {
    yield patterned(40_000);
    throw new Error('the line is down');
  }
  const sealing = sealStream(newMessage(), breaking());
  await assert.rejects(collect(sealing.bytes), /the line is down/);
  assert.throws(() => sealing.summary(), /before its summary/);
});

/** A stored message that records the reads. */
function stored(bytes: Uint8Array, pieces: readonly number[] = [50_000]) {
  const reads: [number, number][] = [];
  let closed = 0;
  async function* read(start: number, end: number) {
    reads.push([start, end]);
    try {
      // The reader may overwrite the pieces.
      yield* cut(Uint8Array.from(bytes.subarray(start, end)), pieces);
    } finally {
      closed += 1;
    }
  }
  return { reads, read, closed: () => closed };
}

test('a range of any size opens to its bytes, with one read of only its chunks', async () => {
  const message = newMessage();
  const whole = new Map<number, { plain: Buffer; sealed: Buffer }>();
  for (const size of borders) {
    const plain = patterned(size);
    whole.set(size, { plain, sealed: await collect(sealStream(message, cut(plain, [65_536])).bytes) });
  }
  const near = fc.oneof(fc.constantFrom(...borders), fc.nat(2_097_152));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...borders),
      near,
      near,
      fc.integer({ min: 700, max: 99_999 }),
      async (...given) => {
        const [size, one, other, piece] = given;
        const { plain, sealed } = whole.get(size) ?? assert.fail();
        const [first, last] = [one % Math.max(size, 1), other % Math.max(size, 1)];
        const range =
          size === 0 ? { first: 0, last: -1 } : { first: Math.min(first, last), last: Math.max(first, last) };
        const source = stored(sealed, [piece]);
        const opened = await collect(openSealedRange(message, { read: source.read, plainLength: size, ...range }));
        assert.ok(opened.equals(plain.subarray(range.first, range.last + 1)));
        const firstChunk = Math.floor(range.first / chunkBytes);
        const lastChunk = Math.floor((range.last === size - 1 ? size : range.last) / chunkBytes);
        const start = firstChunk === 0 ? 0 : headerBytes + firstChunk * sealedChunkBytes;
        const end = Math.min(headerBytes + (lastChunk + 1) * sealedChunkBytes, sealed.length);
        assert.deepEqual([source.reads, source.closed()], [[[start, end]], 1]);
      },
    ),
    { numRuns: 150 },
  );
});

test('a range outside the message throws RangeError', async () => {
  const message = newMessage();
  for (const [first, last, plainLength] of [
    [0, 10, 10],
    [-1, 3, 10],
    [5, 4, 10],
    [10, 8, 10],
    [Number.NaN, 3, 10],
  ]) {
    const range = {
      read: stored(Buffer.alloc(0)).read,
      plainLength: plainLength ?? 0,
      first: first ?? 0,
      last: last ?? 0,
    };
    await assert.rejects(collect(openSealedRange(message, range)), RangeError);
  }
});

test('a reader that stops early closes the storage, and one that never starts does not open it', async () => {
  const message = newMessage();
  const sealed = await collect(sealStream(message, cut(patterned(3_000_000), [65_536])).bytes);
  const source = stored(sealed, [300_000]);
  const range = { read: source.read, plainLength: 3_000_000, first: 0, last: 2_999_999 };
  const opening = openSealedRange(message, range);
  await opening.next();
  await opening.return(undefined);
  assert.deepEqual([source.reads.length, source.closed()], [1, 1]);
  await openSealedRange(message, range).return(undefined);
  assert.equal(source.reads.length, 1);
});

test('a stream with a changed, missing or swapped byte at any position returns no byte', async () => {
  const size = 3 * chunkBytes + 100;
  const plain = patterned(size);
  const message = newMessage();
  const sealed = await collect(sealStream(message, cut(plain, [65_536])).bytes);
  const opens = async (bytes: Uint8Array) => {
    const given: Buffer[] = [];
    const range = { read: stored(bytes).read, plainLength: size, first: 0, last: size - 1 };
    await assert.rejects(async () => {
      for await (const piece of openSealedRange(message, range)) given.push(Buffer.from(piece));
    }, SealBroken);
    assert.equal(Buffer.concat(given).length, 0);
  };
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length - 1), fc.nat(7), async (at, bit) => {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at);
      await opens(changed);
      await opens(sealed.subarray(0, at));
    }),
    { numRuns: 80 },
  );
  const chunk = (index: number) =>
    sealed.subarray(headerBytes + index * sealedChunkBytes, headerBytes + (index + 1) * sealedChunkBytes);
  await opens(Buffer.concat([sealed.subarray(0, headerBytes), chunk(1), chunk(0), chunk(2), chunk(3)]));
});

test('each Cobblestone-256 vector has its published result when the whole stream or only its end is read', async (t) => {
  const path = testDataPath('vectors/wycheproof/c2sp_chunked_encryption_aes_256_gcm_test.json');
  if (path === undefined) return t.skip(testDataSkipReason);
  type Vector = { [name in 'key' | 'ctx' | 'ct' | 'result' | 'comment']: string } & {
    flags: string[];
    msgLength?: number;
    msgSha512?: string;
  };
  // The published vector file has the layout of its schema.
  const { testGroups } = JSON.parse(readFileSync(path, 'utf8')) as { testGroups: { tests: Vector[] }[] };
  let count = 0;
  for (const vector of testGroups.flatMap((group) => group.tests)) {
    count += 1;
    const whole = await readVector(vector, 'whole');
    const end = await readVector(vector, 'end');
    assert.equal(whole.failed, vector.result === 'invalid', vector.comment);
    assert.equal(end.failed, vector.result === 'invalid' && !vector.flags.includes('ValidFinalChunk'), vector.comment);
    const mayGive =
      vector.result === 'valid' || vector.flags.includes('PartialPlaintext') ? (vector.msgLength ?? 0) : 0;
    assert.ok(whole.given.length <= mayGive, vector.comment);
    if (vector.result === 'valid') {
      assert.equal(createHash('sha512').update(whole.given).digest('hex'), vector.msgSha512, vector.comment);
    }
  }
  assert.equal(count, 35);

  async function readVector(vector: Vector, part: 'whole' | 'end'): Promise<{ given: Buffer; failed: boolean }> {
    const sealed = inflateSync(Buffer.from(vector.ct, 'hex'));
    const given: Buffer[] = [];
    try {
      const plainLength = plainLengthOf(sealed.length);
      const inputKey = Buffer.from(vector.key, 'hex');
      const message = messageKeyFromHeader(inputKey, Buffer.from(vector.ctx, 'hex'), sealed.subarray(0, headerBytes));
      const first = part === 'whole' ? 0 : plainLength;
      const range = { read: stored(sealed).read, plainLength, first, last: plainLength - 1 };
      const stream = Readable.from(copied(openSealedRange(message, range)));
      try {
        for await (const piece of stream) given.push(piece);
      } catch (fault) {
        await assert.rejects(collect(stream), 'a stream that failed goes on failing');
        throw fault;
      }
    } catch (fault) {
      assert.ok(fault instanceof SealBroken || (fault instanceof TypeError && vector.flags.includes('InvalidKeySize')));
      return { given: Buffer.concat(given), failed: true };
    }
    return { given: Buffer.concat(given), failed: false };
  }

  /** The length that a store could claim for a blob of that size; a size that no message has is broken. */
  function plainLengthOf(sealedBytes: number): number {
    const chunks = Math.floor((sealedBytes - headerBytes) / sealedChunkBytes) + 1;
    const length = sealedBytes - headerBytes - chunks * tagBytes;
    if (sealedBytes < headerBytes || length < 0 || sealedLength(length) !== sealedBytes) throw new SealBroken();
    return length;
  }
});
