import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { hmac, hmacString, sha256 } from './hashing.ts';

test('hashes are those of FIPS 180-4 and RFC 4231, case 2', () => {
  assert.equal(
    sha256(Buffer.from('abc')).toString('hex'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
  const [key, message] = [Buffer.from('Jefe'), 'what do ya want for nothing?'];
  assert.equal(
    hmac('sha256', key, message).toString('hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
  assert.match(hmac('sha512', key, message).toString('hex'), /^164b7a7bfcf819e2e395fbe73b56e0a3/);
});

test('every byte comes through as it is, in memory that holds nothing else', () => {
  for (let round = 0; round < 200; round += 1) {
    const [key, message] = [randomBytes(32), randomBytes(round)];
    const hash = sha256(message);
    assert.ok(hash.equals(createHash('sha256').update(message).digest()));
    assert.ok(hmac('sha512', key, message).equals(createHmac('sha512', key).update(message).digest()));
    assert.equal(hash.buffer.byteLength, 32);
  }
});

test('an HMAC is that of the library, whatever the lengths of key and message, and whatever was hashed before', () => {
  for (const algorithm of ['sha256', 'sha512'] as const) {
    for (const keyLength of [0, 1, 31, 32, 63, 64, 65, 127, 128, 129, 300]) {
      for (const length of [0, 1, 55, 64, 341, 342, 1_023, 1_024, 1_025, 70_000]) {
        const [key, message] = [randomBytes(keyLength), randomBytes(length)];
        const text = 'é\u{1f600}a'.repeat(length).slice(0, length);
        assert.ok(
          hmac(algorithm, key, message).equals(createHmac(algorithm, key).update(message).digest()),
          `${algorithm}, a key of ${keyLength} bytes, a message of ${length}`,
        );
        const ofText = createHmac(algorithm, key).update(text).digest('base64url');
        const what = `${algorithm}, a key of ${keyLength} bytes, a text of ${length}`;
        assert.equal(hmac(algorithm, key, text).toString('base64url'), ofText, what);
        if (algorithm === 'sha256') assert.equal(hmacString(key, text, 'base64url'), ofText, what);
      }
    }
  }
});
