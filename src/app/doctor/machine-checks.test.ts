import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spaceFinding } from './machine-checks.ts';

test('low disk space or few free files are reported before the disk is full', () => {
  const mebibyte = 2 ** 20;
  const statusOf = (freeMebibytes: number, freeFiles?: number) =>
    spaceFinding('/data', freeMebibytes * mebibyte, freeFiles).is;
  assert.deepEqual([statusOf(63), statusOf(64), statusOf(511), statusOf(512)], ['fault', 'warn', 'warn', 'ok']);
  assert.deepEqual([statusOf(9_000, 999), statusOf(9_000, 1_000), statusOf(9_000)], ['fault', 'ok', 'ok']);
  assert.equal(spaceFinding('/data', 100.25 * mebibyte, undefined).found, '/data has 100.3 MiB free');
});
