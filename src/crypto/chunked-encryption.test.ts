import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { testDataPath, testDataSkipReason } from '../../test/support/test-data.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import {
  deriveMessageKey,
  headerBytes,
  hkdfExpandSha512,
  type MessageKey,
  messageKeyFromHeader,
  openChunk,
  openSealed,
  SealBroken,
  saltBytes,
  seal,
  sealChunk,
  sealedLength,
} from './chunked-encryption.ts';

const cobblestone = testDataPath('vectors/wycheproof/c2sp_chunked_encryption_aes_256_gcm_test.json');
const aesGcm = testDataPath('vectors/wycheproof/aes_gcm_test.json');
const hkdfSha512 = testDataPath('vectors/wycheproof/hkdf_sha512_test.json');

type Vector<T> = T & { tcId: number; comment: string; flags: string[]; result: 'valid' | 'invalid' };
type Group<T> = { tests: Vector<T>[]; tagSize: number };

function groupsOf<T>(path: string): Group<T>[] {
  // The published vector files have the layout of their schema.
  return (JSON.parse(readFileSync(path, 'utf8')) as { testGroups: Group<T>[] }).testGroups;
}

const hex = (text: string) => Buffer.from(text, 'hex');

test('each Cobblestone-256 vector has its published result: the same bytes after opening and sealing, or a rejection', (t) => {
  if (cobblestone === undefined) return t.skip(testDataSkipReason);
  const seen = { valid: 0, invalid: 0 };
  type Fields = { key: string; ctx: string; ct: string; msgLength: number; msgSha512: string };
  for (const { tests } of groupsOf<Fields>(cobblestone)) {
    for (const vector of tests) {
      const name = `vector ${vector.tcId}, ${vector.comment}`;
      const sealed = inflateSync(hex(vector.ct));
      const context = hex(vector.ctx).toString('latin1');
      assert.ok(Buffer.from(context).equals(hex(vector.ctx)), 'every context of the set is ASCII, as ours are');
      seen[vector.result] += 1;
      if (vector.result === 'invalid') {
        const refusal = vector.flags.includes('InvalidKeySize') ? TypeError : SealBroken;
        assert.throws(() => openSealed(hex(vector.key), context, sealed), refusal, name);
        continue;
      }
      const plain = openSealed(hex(vector.key), context, sealed);
      assert.equal(plain.length, vector.msgLength, name);
      assert.equal(createHash('sha512').update(plain).digest('hex'), vector.msgSha512, name);
      assert.equal(sealedLength(plain.length), sealed.length, name);
      const again = seal(hex(vector.key), context, plain, () => sealed.subarray(0, saltBytes));
      assert.ok(again.equals(sealed), name);
    }
  }
  assert.deepEqual(seen, { valid: 10, invalid: 25 });
});

test('the derived message key equals that of each Cobblestone-256 vector', (t) => {
  if (cobblestone === undefined) return t.skip(testDataSkipReason);
  type Fields = { key: string; ctx: string; ct: string; aeadKey?: string; baseNonce?: string };
  for (const { tests } of groupsOf<Fields>(cobblestone)) {
    for (const { key, ctx, ct, aeadKey, baseNonce } of tests) {
      if (aeadKey === undefined || baseNonce === undefined) continue;
      const message = messageKeyFromHeader(hex(key), hex(ctx), inflateSync(hex(ct)).subarray(0, headerBytes));
      assert.deepEqual([message.key, message.baseNonce], [hex(aeadKey), hex(baseNonce)]);
    }
  }
});

test('AES-GCM of this runtime passes 313 of 316 vectors and rejects 268, 272 and 276, whose IVs have 2056 bits', (t) => {
  if (aesGcm === undefined) return t.skip(testDataSkipReason);
  type Fields = { key: string; iv: string; aad: string; msg: string; ct: string; tag: string };
  const refused: number[] = [];
  let chunks = 0;
  for (const group of groupsOf<Fields>(aesGcm)) {
    for (const vector of group.tests) {
      const [key, iv] = [hex(vector.key), hex(vector.iv)];
      if (iv.length === 257) {
        assert.throws(() => gcmOpens(vector, group.tagSize), /initialization vector|IV/i);
        refused.push(vector.tcId);
        continue;
      }
      assert.equal(gcmOpens(vector, group.tagSize), vector.result === 'valid', `vector ${vector.tcId}`);
      if (key.length !== 32 || iv.length !== 12 || vector.aad !== '') continue;
      const message: MessageKey = { header: Buffer.alloc(headerBytes), key, baseNonce: iv };
      const sealed = Buffer.concat([hex(vector.ct), hex(vector.tag)]);
      chunks += 1;
      if (vector.result === 'valid') {
        assert.ok(sealChunk(message, 0, hex(vector.msg)).equals(sealed), `vector ${vector.tcId} as a chunk`);
        assert.ok(openChunk(message, 0, sealed).equals(hex(vector.msg)), `vector ${vector.tcId} as a chunk`);
      } else assert.throws(() => openChunk(message, 0, sealed), SealBroken, `vector ${vector.tcId} as a chunk`);
    }
  }
  assert.deepEqual(refused, [268, 272, 276]);
  assert.ok(chunks > 30, `${chunks} vectors also ran as chunk 0 of a message`);

  function gcmOpens(vector: Fields, tagBits: number): boolean {
    const [key, iv, options] = [hex(vector.key), hex(vector.iv), { authTagLength: tagBits / 8 }];
    const name = key.length === 16 ? 'aes-128-gcm' : key.length === 24 ? 'aes-192-gcm' : 'aes-256-gcm';
    if (iv.length === 0) return false;
    const cipher = createCipheriv(name, key, iv, options).setAAD(hex(vector.aad));
    const sealed = Buffer.concat([cipher.update(hex(vector.msg)), cipher.final(), cipher.getAuthTag()]);
    const decipher = createDecipheriv(name, key, iv, options).setAAD(hex(vector.aad)).setAuthTag(hex(vector.tag));
    const plain = decipher.update(hex(vector.ct));
    try {
      decipher.final();
    } catch {
      return false;
    }
    return plain.equals(hex(vector.msg)) && sealed.equals(hex(vector.ct + vector.tag));
  }
});

test('the output of HKDF Expand equals each HKDF-SHA-512 vector', (t) => {
  if (hkdfSha512 === undefined) return t.skip(testDataSkipReason);
  type Fields = { ikm: string; salt: string; info: string; size: number; okm: string };
  let count = 0;
  for (const { tests } of groupsOf<Fields>(hkdfSha512)) {
    for (const { ikm, salt, info, size, okm, result, tcId } of tests) {
      const extracted = createHmac('sha512', hex(salt)).update(hex(ikm)).digest();
      count += 1;
      if (result === 'invalid') assert.throws(() => hkdfExpandSha512(extracted, hex(info), size), RangeError);
      else assert.equal(hkdfExpandSha512(extracted, hex(info), size).toString('hex'), okm, `vector ${tcId}`);
    }
  }
  assert.equal(count, 83);
});

test('a sealed message opens, and another key, context or changed byte is rejected', () => {
  const bytes = (min: number, max: number) => fc.uint8Array({ minLength: min, maxLength: max });
  fc.assert(
    fc.property(bytes(32, 32), fc.string(), bytes(0, 200), fc.nat(), (key, context, plain, at) => {
      const sealed = seal(key, context, plain, systemRandom);
      assert.deepEqual(Uint8Array.from(openSealed(key, context, sealed)), plain);
      const otherKey = key.map((byte, index) => (index === at % 32 ? byte ^ 1 : byte));
      assert.throws(() => openSealed(otherKey, context, sealed), SealBroken);
      assert.throws(() => openSealed(key, `${context}x`, sealed), SealBroken);
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at % changed.length) ^ (1 << (at % 8)), at % changed.length);
      assert.throws(() => openSealed(key, context, changed), SealBroken);
      assert.throws(() => openSealed(key, context, sealed.subarray(0, at % sealed.length)), SealBroken);
    }),
    { numRuns: 60 },
  );
});

test('two contexts that differ only in the position of the separator give different keys', () => {
  const [key, salt] = [new Uint8Array(32), new Uint8Array(saltBytes)];
  const one = deriveMessageKey(key, Buffer.from('thing@v1\0ab'), salt);
  const other = deriveMessageKey(key, Buffer.from('thing@v1a\0b'), salt);
  assert.notDeepEqual(one.header, other.header);
});

test('chunks beyond 2^32 have different nonces, and chunk 2^38 does not exist', () => {
  const message = deriveMessageKey(new Uint8Array(32), Buffer.from('far'), new Uint8Array(saltBytes));
  const sealed = [0, 1, 2 ** 32, 2 ** 32 + 1, 2 ** 38 - 1].map((index) =>
    sealChunk(message, index, Buffer.of(7)).toString('hex'),
  );
  assert.equal(new Set(sealed).size, sealed.length);
  assert.throws(() => sealChunk(message, 2 ** 38, Buffer.of(7)), RangeError);
  assert.throws(() => sealChunk(message, 0.5, Buffer.of(7)), RangeError);
});
