import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemRandom } from '../kernel/system-clock.ts';
import { createRootKey, readRootKey } from './root-key-file.ts';

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cs-root-key-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('what a start left that died while it made the key is no key, and hinders no other', (t) => {
  const folder = emptyFolder(t);
  const path = join(folder, 'root.key');
  writeFileSync(`${path}.new`, 'AAAA');
  const root = createRootKey(path, systemRandom);
  assert.deepEqual([readRootKey(path).id, readdirSync(folder)], [root.id, ['root.key']]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a root key that is there is never replaced by a new one', (t) => {
  const path = join(emptyFolder(t), 'root.key');
  createRootKey(path, systemRandom);
  const before = readFileSync(path);
  assert.throws(() => createRootKey(path, systemRandom), { code: 'EEXIST' });
  assert.deepEqual(readFileSync(path), before);
});

test('a root key that cannot be read is not called missing, so that nobody makes another one', (t) => {
  const path = join(emptyFolder(t), 'root.key');
  assert.throws(() => readRootKey(path), /^RootKeyError: no root key at .*keys create/);
  mkdirSync(path, { mode: 0o700 });
  assert.throws(() => readRootKey(path), /^RootKeyError: .*root\.key cannot be read \(EISDIR\)/);
});
