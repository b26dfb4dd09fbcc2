import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { createSyncedFolder } from './sync-folder.ts';

function testFolder(t: TestContext): string {
  const parent = makeTestFolder('cs-folder-');
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  return parent;
}

test('concurrent calls create a folder and its parents with mode 700, and an existing folder keeps its mode', async (t) => {
  const parent = testFolder(t);
  const path = join(parent, 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 8 }, () => createSyncedFolder(path)));
  const mode = (of: string) => statSync(of).mode & 0o777;
  assert.deepEqual([join(parent, 'a'), join(parent, 'a', 'b'), path].map(mode), [0o700, 0o700, 0o700]);
  mkdirSync(join(parent, 'theirs'), { mode: 0o755 });
  await createSyncedFolder(join(parent, 'theirs'));
  assert.equal(mode(join(parent, 'theirs')), 0o755);
});

test('a folder that cannot be created leaves nothing, and the error is that of mkdir', async (t) => {
  const parent = testFolder(t);
  writeFileSync(join(parent, 'file'), '');
  for (const path of ['/proc/none', '/proc/none/below', join(parent, 'file'), join(parent, 'file', 'below')]) {
    await assert.rejects(createSyncedFolder(path), { syscall: 'mkdir' }, path);
  }
  assert.deepEqual(readdirSync(parent), ['file']);
});
