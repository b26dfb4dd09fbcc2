import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemRandom } from '../kernel/system-clock.ts';
import { longLivedPurposes, UnknownRootKey } from './root-key.ts';
import { beginRotation, createRootKey, endRotation, readRootKey, readRootSecrets } from './root-key-file.ts';

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cs-root-key-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a start that is killed while it creates the key leaves no key, and the next start succeeds', (t) => {
  const folder = emptyFolder(t);
  const path = join(folder, 'root.key');
  writeFileSync(`${path}.new`, 'AAAA');
  const root = createRootKey(path, systemRandom);
  assert.deepEqual([readRootKey(path).id, readdirSync(folder)], [root.id, ['root.key']]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('an existing root key is never replaced by a new one', (t) => {
  const path = join(emptyFolder(t), 'root.key');
  createRootKey(path, systemRandom);
  const before = readFileSync(path);
  assert.throws(() => createRootKey(path, systemRandom), { code: 'EEXIST' });
  assert.deepEqual(readFileSync(path), before);
});

test('a root key that cannot be read is not reported as missing', (t) => {
  const path = join(emptyFolder(t), 'root.key');
  assert.throws(() => readRootKey(path), /^RootKeyError: no root key at .*keys create/);
  mkdirSync(path, { mode: 0o700 });
  assert.throws(() => readRootKey(path), /^RootKeyError: .*root\.key cannot be read \(EISDIR\)/);
});

test('a root key that other users can read is rejected', (t) => {
  const path = join(emptyFolder(t), 'root.key');
  createRootKey(path, systemRandom);
  for (const mode of [0o640, 0o604]) {
    chmodSync(path, mode);
    assert.throws(() => readRootKey(path), /^RootKeyError: .*others can read it. Run: chmod 600/);
  }
});

test('a device as root key file is rejected, without the advice to change its mode', () => {
  assert.throws(() => readRootKey('/dev/null'), /^RootKeyError: \/dev\/null is a device, not a root key file \(see /);
});

test('a root key file with an unknown further line is rejected', (t) => {
  const path = join(emptyFolder(t), 'root.key');
  createRootKey(path, systemRandom);
  const text = readFileSync(path, 'utf8').trim();
  const short = Buffer.alloc(31).toString('base64');
  for (const wrong of [`${text}=`, `${text} A`, text.slice(0, -1), `AA${text}`, short]) {
    writeFileSync(path, wrong);
    assert.throws(() => readRootKey(path), /^RootKeyError: .* holds no root key: expected 32 bytes in base64/);
  }
});

test('a rotation starts only after the last one is finished, and despite a leftover file of a killed one', (t) => {
  const path = join(emptyFolder(t), 'root.key');
  createRootKey(path, systemRandom);
  const { current: first } = readRootSecrets(path);
  writeFileSync(`${path}.new`, 'AAAA');
  beginRotation(path, systemRandom);
  assert.throws(() => beginRotation(path, systemRandom), /an earlier rotation is not finished/);
  assert.deepEqual(readRootSecrets(path).previous, first);
  endRotation(path);
  assert.equal(readRootSecrets(path).previous, undefined);
});

test('long-lived subkeys stay the same during a rotation, and the old root key opens its records until the end', (t) => {
  const path = join(emptyFolder(t), 'root.key');
  const first = createRootKey(path, systemRandom);
  const lasting = () =>
    longLivedPurposes.map((purpose) => Buffer.from(readRootKey(path).derive(purpose)).toString('hex'));
  const [before, wrapping] = [lasting(), first.deriveForRoot(first.id, 'wrap-citizen-keys')];
  beginRotation(path, systemRandom);
  const between = readRootKey(path);
  assert.notEqual(between.id, first.id);
  assert.deepEqual([lasting(), between.deriveForRoot(first.id, 'wrap-citizen-keys')], [before, wrapping]);
  assert.notDeepEqual(between.derive('wrap-citizen-keys'), wrapping);
  endRotation(path);
  assert.deepEqual([lasting(), readRootKey(path).id], [before, between.id]);
  assert.throws(() => readRootKey(path).deriveForRoot(first.id, 'wrap-citizen-keys'), UnknownRootKey);
  const key = Buffer.alloc(32).toString('base64');
  for (const wrong of [`lasting later-purpose ${key}`, `later citizen-pseudonym ${key}`, `lasting citizen-pseudonym`]) {
    writeFileSync(path, `${key}\n${wrong}\n`);
    assert.throws(() => readRootKey(path), /^RootKeyError: .*Restore it from your copy/, wrong);
  }
});

test('a rotation whose file does not fit on the disk leaves the root key unchanged', (t) => {
  const path = join(emptyFolder(t), 'root.key');
  createRootKey(path, systemRandom);
  const before = readFileSync(path);
  const script = `
    import { beginRotation } from ${JSON.stringify(new URL('./root-key-file.ts', import.meta.url).href)};
    beginRotation(${JSON.stringify(path)}, (bytes) => new Uint8Array(bytes));`;
  // In blocks of 512 bytes: the first block is written, the second is refused.
  const limited = 'ulimit -f 1 && exec "$0" --input-type=module -e "$1"';
  const { status, stderr } = spawnSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' });
  assert.equal(status, 1, stderr);
  assert.match(stderr, /EFBIG/);
  assert.deepEqual(readFileSync(path), before);
});
