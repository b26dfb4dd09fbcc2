import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../kernel/system-clock.ts';
import { keyBytes, SealBroken } from './chunked-encryption.ts';
import { prefetchRandom, unwrapKey, wrapKey } from './key-wrapping.ts';

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

test('bytes that were drawn at once are given out once each, and more than were drawn not at all', () => {
  const drawn = systemRandom(keyBytes);
  const source = prefetchRandom(() => drawn, keyBytes);
  assert.deepEqual(Buffer.concat([source(12), source(20)]), Buffer.from(drawn));
  assert.throws(() => source(1), RangeError);
  // Fewer bytes than were asked for would be a shorter nonce or key.
  assert.throws(() => prefetchRandom(systemRandom, keyBytes)(keyBytes + 1), RangeError);
});
