import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { lockDatabase } from '../db/sqlite/database-lock.ts';
import { openScratchFolder } from './scratch-folder.ts';

test('a trial restore removes the folders of killed trials, and no folder that is in use or belongs to something else', async (t) => {
  const place = makeTestFolder('cs-trials-');
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const make = (name: string, ...files: readonly string[]) => {
    mkdirSync(join(place, name));
    for (const file of files) writeFileSync(join(place, name, file), '');
  };
  const left = ['trial-lock', 'citizen-services.sqlite'];
  make('citizen-services-trial-killed', ...left);
  make('citizen-services-trial-older', 'citizen-services.sqlite');
  make('citizen-services-trial-theirs', ...left);
  if (process.getuid?.() === 0) chownSync(join(place, 'citizen-services-trial-theirs'), 65_534, 65_534);
  else rmSync(join(place, 'citizen-services-trial-theirs', 'trial-lock'));
  make('another', ...left);
  symlinkSync(join(place, 'another'), join(place, 'citizen-services-trial-link'));
  make('citizen-services-trial-alive');
  using _alive = lockDatabase(join(place, 'citizen-services-trial-alive', 'trial'));
  const kept = ['another', ...['alive', 'link', 'older', 'theirs'].map((name) => `citizen-services-trial-${name}`)];
  {
    await using first = await openScratchFolder(place);
    await using second = await openScratchFolder(place);
    const own = [first, second].map(({ path }) => path.slice(place.length + 1));
    assert.deepEqual(readdirSync(place).sort(), [...kept, ...own].sort());
  }
  assert.deepEqual(readdirSync(place).sort(), kept);
  assert.deepEqual(readdirSync(join(place, 'another')).sort(), left.sort());
});
