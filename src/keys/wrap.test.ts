import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../kernel/system-clock.ts';
import { keyBytes, SealBroken } from './chunked-encryption.ts';
import { rootKeyFrom } from './root-key.ts';
import { unwrapKey, wrapKey } from './wrap.ts';

const wrapping = systemRandom(keyBytes);
const key = systemRandom(keyBytes);

test('a wrapped key opens for its owner alone', () => {
  const wrapped = wrapKey(wrapping, key, 'citizen a', systemRandom);
  assert.equal(wrapped.length, 60);
  assert.deepEqual(Uint8Array.from(unwrapKey(wrapping, wrapped, 'citizen a')), key);
  assert.throws(() => unwrapKey(wrapping, wrapped, 'citizen b'), SealBroken);
  assert.throws(() => unwrapKey(systemRandom(keyBytes), wrapped, 'citizen a'), SealBroken);
});

test('a wrapped key with any byte changed, missing or added does not open', () => {
  const wrapped = wrapKey(wrapping, key, 'citizen a', systemRandom);
  for (let at = 0; at < wrapped.length; at += 1) {
    const changed = Buffer.from(wrapped);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
    assert.throws(() => unwrapKey(wrapping, changed, 'citizen a'), SealBroken, `byte ${at}`);
    assert.throws(() => unwrapKey(wrapping, wrapped.subarray(0, at), 'citizen a'), SealBroken);
  }
  assert.throws(() => unwrapKey(wrapping, Buffer.concat([wrapped, Buffer.of(0)]), 'citizen a'), SealBroken);
});

test('the same key is never wrapped to the same bytes twice, and a key of another size not at all', () => {
  const twice = [1, 2].map(() => wrapKey(wrapping, key, 'citizen a', systemRandom).toString('hex'));
  assert.notEqual(twice[0], twice[1]);
  assert.throws(() => wrapKey(wrapping, key.subarray(1), 'citizen a', systemRandom), TypeError);
});

test('a root key gives one key for each purpose, the same after a restart, none of which is the root', () => {
  const root = Uint8Array.from({ length: 32 }, (_, index) => index);
  const [one, two] = [rootKeyFrom(root), rootKeyFrom(root)];
  const purposes = [
    'wrap-citizen-keys',
    'wrap-signing-keys',
    'citizen-pseudonym',
    'stranger-content',
    'client-secrets',
    'guess-budget',
    'document-etag',
    'page-cursor',
  ] as const;
  const keys = purposes.map((purpose) => Buffer.from(one.derive(purpose)).toString('hex'));
  assert.equal(new Set([...keys, Buffer.from(root).toString('hex')]).size, purposes.length + 1);
  assert.deepEqual(
    purposes.map((purpose) => Buffer.from(two.derive(purpose)).toString('hex')),
    keys,
  );
  assert.equal(one.id, two.id);
  assert.match(one.id, /^[0-9a-f]{16}$/);
  // Computed by another program: HKDF-SHA-256 over the bytes 0 to 31, no salt, that purpose as info.
  assert.equal(keys[0], '25b421fcee1b00847d0a79a8023e4ef6d2e3f15012acf8091d0c08709036f44c');
});

test('a root key of another size is refused, and changing the bytes afterwards changes nothing', () => {
  assert.throws(() => rootKeyFrom(new Uint8Array(31)), TypeError);
  const root = new Uint8Array(32);
  const keys = rootKeyFrom(root);
  root.fill(9);
  assert.deepEqual(keys.derive('document-etag'), rootKeyFrom(new Uint8Array(32)).derive('document-etag'));
});
