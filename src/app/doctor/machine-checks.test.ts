import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notWritableFinding, spaceFinding } from './machine-checks.ts';

test('low disk space or few free files are reported before the disk is full', () => {
  const mebibyte = 2 ** 20;
  const statusOf = (freeMebibytes: number, freeFiles?: number) =>
    spaceFinding('/data', freeMebibytes * mebibyte, freeFiles).is;
  assert.deepEqual([statusOf(63), statusOf(64), statusOf(511), statusOf(512)], ['fault', 'warn', 'warn', 'ok']);
  assert.deepEqual([statusOf(9_000, 999), statusOf(9_000, 1_000), statusOf(9_000)], ['fault', 'ok', 'ok']);
  assert.equal(spaceFinding('/data', 100.25 * mebibyte, undefined).found, '/data has 100.3 MiB free');
});

test('a read-only file system is reported as such, and not as a wrong owner', () => {
  const reported = (code: string) => JSON.stringify(notWritableFinding('/data', code));
  assert.match(reported('EROFS'), /"\/data is on a read-only file system","fix":"mount it for writing/);
  assert.match(reported('EACCES'), /cannot write in \/data","fix":"chown -R /);
});
