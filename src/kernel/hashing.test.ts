import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { hmac, hmacString, sha256 } from './hashing.ts';

test('hashes equal the vectors of FIPS 180-4 and RFC 4231, case 2', () => {
  assert.equal(
    sha256(Buffer.from('abc')).toString('hex'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
  const [key, message] = [Buffer.from('Jefe'), 'what do ya want for nothing?'];
  const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  assert.equal(hmac('sha256', key, message).toString('hex'), expected);
  assert.equal(hmacString(key, message, 'hex'), expected);
  assert.match(hmac('sha512', key, message).toString('hex'), /^164b7a7bfcf819e2e395fbe73b56e0a3/);
});

test('a hash has its own memory, so that a stored hash keeps no other memory in use', () => {
  const message = randomBytes(1_000);
  const hash = sha256(message);
  assert.ok(hash.equals(createHash('sha256').update(message).digest()));
  assert.equal(hash.buffer.byteLength, 32);
});

test('text is hashed as UTF-8', () => {
  const key = randomBytes(32);
  const text = 'é\u{1f600}a';
  assert.ok(hmac('sha512', key, text).equals(hmac('sha512', key, Buffer.from(text))));
});
