import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notWritableFinding, spaceFinding } from './machine-checks.ts';

test('a disk is told before it is full, of bytes and of files', () => {
  const mebibyte = 2 ** 20;
  const told = (free: number, files?: number) => spaceFinding('/data', free * mebibyte, files).is;
  assert.deepEqual([told(63), told(64), told(511), told(512)], ['fault', 'warn', 'warn', 'ok']);
  assert.deepEqual([told(9_000, 999), told(9_000, 1_000), told(9_000)], ['fault', 'ok', 'ok']);
  assert.equal(spaceFinding('/data', 100.25 * mebibyte, undefined).found, '/data has 100.3 MiB free');
});

test('a read-only disk is no matter of who owns a folder', () => {
  const told = (code: string) => notWritableFinding('/data', code);
  assert.match(JSON.stringify(told('EROFS')), /"\/data is on a disk that takes no writes","fix":"mount it for writing/);
  assert.match(JSON.stringify(told('EACCES')), /may not write in \/data","fix":"chown -R /);
});
