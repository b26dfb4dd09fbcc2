import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestPath, requestQuery } from './request-target.ts';

test('a query begins after the first question mark and includes later question marks', () => {
  for (const [target, path, query] of [
    ['/a', '/a', ''],
    ['/a?', '/a', ''],
    ['/a?b=c?d', '/a', 'b=c?d'],
    ['?b', '', 'b'],
    [undefined, '', ''],
  ] as const) {
    assert.deepEqual([requestPath(target), requestQuery(target)], [path, query]);
  }
});
