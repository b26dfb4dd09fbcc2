import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLruCache } from './lru-cache.ts';

test('a used value stays in the cache, and an unused value is evicted before twice the capacity is added', () => {
  const recent = createLruCache<number>(10);
  recent.set('used', 0);
  recent.set('unused', 0);
  for (let at = 0; at < 20; at += 1) {
    recent.set(`other ${at}`, at);
    assert.equal(recent.get('used'), 0);
  }
  assert.equal(recent.get('unused'), undefined);
});

test('the cache holds the last used half capacity of values in any order of use', () => {
  const recent = createLruCache<number>(10);
  for (let at = 0; at < 100; at += 1) {
    recent.set(`${at}`, at);
    for (let before = Math.max(0, at - 9); before <= at; before += 1) assert.equal(recent.get(`${before}`), before);
  }
});

test('a deleted value is removed from both halves of the cache', () => {
  const recent = createLruCache<number>(2);
  for (const key of ['a', 'b', 'c']) recent.set(key, 1);
  for (const key of ['a', 'b', 'c']) {
    recent.delete(key);
    assert.equal(recent.get(key), undefined);
  }
  recent.set('d', 1);
  recent.clear();
  assert.equal(recent.get('d'), undefined);
});

test('a value that is not used between two calls of evictUnused is removed', () => {
  const recent = createLruCache<number>(10);
  recent.set('used', 1);
  recent.set('unused', 1);
  recent.evictUnused();
  assert.equal(recent.get('used'), 1);
  recent.evictUnused();
  assert.deepEqual([recent.get('used'), recent.get('unused')], [1, undefined]);
});
