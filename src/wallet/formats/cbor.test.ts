import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCbor, embeddedBytes, encodeCbor, plainValueOf } from './cbor.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

test('CBOR with lengths that are not the shortest is decoded, as real wallets send it', () => {
  assert.deepEqual(decodeCbor(hex('b9 0001 6161 9a 00000001 1801')), new Map([['a', [1]]]));
});

test('dates become text, and embedded CBOR stays encoded', () => {
  const decoded = decodeCbor(hex('82 d903ec 6a 323032362d30362d3031 d818 43 820102'));
  assert.ok(Array.isArray(decoded));
  assert.equal(decoded[0], '2026-06-01');
  assert.deepEqual(embeddedBytes(decoded[1]), new Uint8Array(hex('820102')));
});

test('decoded bytes have their own memory', () => {
  const decoded = decodeCbor(encodeCbor(Buffer.alloc(10_000)));
  assert.ok(decoded instanceof Uint8Array);
  assert.equal(decoded.buffer.byteLength, 10_000);
});

test('maps become objects, at each level, and a name from the prototype is a name', () => {
  const decoded = decodeCbor(encodeCbor(new Map([['__proto__', [new Map([['country', 'DE']])]]])));
  assert.deepEqual(JSON.stringify(plainValueOf(decoded)), '{"__proto__":[{"country":"DE"}]}');
});

const refused: readonly (readonly [string, Buffer])[] = [
  ['nothing', hex('')],
  ['bytes after the value', hex('01 01')],
  ['an end before the value', hex('82 01')],
  ['a text key twice', hex('a2 6161 01 6161 02')],
  ['an integer key twice, with different lengths', hex('a2 01 01 1801 02')],
  ['a byte string as key', hex('a1 4161 01')],
  ['an array as key', hex('a1 8101 01')],
  ['a tagged key', hex('a1 c06161 01')],
  ['an indefinite array', hex('9f 01 ff')],
  ['an indefinite map', hex('bf 6161 01 ff')],
  ['indefinite text', hex('7f 6161 ff')],
  ['text that is not UTF-8', hex('61 ff')],
  ['a long text that is not UTF-8', hex(`7828${'61'.repeat(39)}ff`)],
  ['undefined', hex('f7')],
  ['an unknown tag', hex('d9d9f7 01')],
  ['a date that is no text', hex('d903ec 01')],
  ['embedded CBOR that is no byte string', hex('d818 6161')],
  ['an array with more elements than bytes', hex('9a ffffffff 01')],
  ['an array with the largest length', hex('9b ffffffffffffffff 01')],
  ['bytes with more length than data', hex('5a 7fffffff 01')],
  ['arrays nested 17 levels deep', hex(`${'81'.repeat(17)}01`)],
  ['tags nested 17 levels deep', hex(`${'d818'.repeat(17)}40`)],
  ['maps nested 100,000 levels deep', hex(`${'a101'.repeat(100_000)}01`)],
  ['more values than the limit', Buffer.concat([hex('99 2711'), Buffer.alloc(10_001)])],
];
for (const [title, bytes] of refused) {
  test(`CBOR is refused: ${title}`, () => {
    assert.throws(() => decodeCbor(bytes), { reason: 'credential-malformed' });
  });
}

test('CBOR at the limits of depth and number is decoded', () => {
  assert.ok(decodeCbor(hex(`${'81'.repeat(16)}01`)));
  assert.ok(decodeCbor(Buffer.concat([hex('99 270f'), Buffer.alloc(9_999)])));
});
