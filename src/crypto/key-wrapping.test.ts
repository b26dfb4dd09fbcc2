import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../kernel/system-clock.ts';
import { keyBytes, SealBroken } from './chunked-encryption.ts';
import { unwrapKey, wrapKey } from './key-wrapping.ts';

const wrapping = systemRandom(keyBytes);
const key = systemRandom(keyBytes);

test('a wrapped key opens for its owner only', () => {
  const wrapped = wrapKey(wrapping, key, 'citizen a', systemRandom);
  assert.equal(wrapped.length, 60);
  assert.ok(unwrapKey(wrapping, wrapped, 'citizen a').equals(key));
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

test('a key that is wrapped twice gives different bytes, and a key of another size is rejected', () => {
  const twice = [1, 2].map(() => wrapKey(wrapping, key, 'citizen a', systemRandom).toString('hex'));
  assert.notEqual(twice[0], twice[1]);
  assert.throws(() => wrapKey(wrapping, key.subarray(1), 'citizen a', systemRandom), TypeError);
});
