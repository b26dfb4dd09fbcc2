import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasDuplicateMember } from './has-duplicate-member.ts';

const repeats = (text: string) => hasDuplicateMember(text, JSON.parse(text));

test('a repeated member of one object is found, and equal names in other objects or values are not', () => {
  assert.equal(repeats('{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a","d":"a\\":1","e\\\\":":"}'), false);
  assert.equal(repeats('[{"a":1,"b":{"c":1},"a":2}]'), true);
  assert.equal(repeats('{"__proto__":1,"b":{"__proto__":[{}]}}'), false);
  assert.equal(repeats('{"__proto__":{},"__proto__":{}}'), true);
  const depth = 30_000;
  assert.equal(repeats(`${'['.repeat(depth)}{"a":1,"a":2}${']'.repeat(depth)}`), true);
});
