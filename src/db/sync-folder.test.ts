import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { createSyncedFolder } from './sync-folder.ts';

function placeOf(t: TestContext): string {
  const place = makeTestFolder('cs-folder-');
  t.after(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

test('a folder is made with its parents for its owner alone, by several at once, and stays as it is where it is there', async (t) => {
  const place = placeOf(t);
  const path = join(place, 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 8 }, () => createSyncedFolder(path)));
  const mode = (of: string) => statSync(of).mode & 0o777;
  assert.deepEqual([join(place, 'a'), join(place, 'a', 'b'), path].map(mode), [0o700, 0o700, 0o700]);
  mkdirSync(join(place, 'theirs'), { mode: 0o755 });
  await createSyncedFolder(join(place, 'theirs'));
  assert.equal(mode(join(place, 'theirs')), 0o755);
});

test('where no folder can be made, that is told and nothing is left', async (t) => {
  const place = placeOf(t);
  writeFileSync(join(place, 'file'), '');
  for (const path of ['/proc/none', '/proc/none/below', join(place, 'file'), join(place, 'file', 'below')]) {
    await assert.rejects(createSyncedFolder(path), { syscall: 'mkdir' }, path);
  }
  assert.deepEqual(readdirSync(place), ['file']);
});
