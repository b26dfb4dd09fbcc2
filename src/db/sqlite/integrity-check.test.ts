import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { makeTestFolder } from '../../../test/support/test-folder.ts';
import { checkIntegrity } from './integrity-check.ts';

test('a report is received even if its process ends before the event loop reads it', async (t) => {
  const folder = makeTestFolder('cs-faults-');
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'sound.sqlite');
  {
    using db = new DatabaseSync(path);
    db.exec('create table a (id integer primary key)');
  }
  const program = join(import.meta.dirname, 'integrity-check-process.ts');
  for (let times = 0; times < 3; times += 1) {
    const found = checkIntegrity(path, new AbortController().signal);
    // These calls block the event loop until the first process has ended.
    for (let more = 0; more < 2; more += 1) spawnSync(process.execPath, [program, path]);
    assert.deepEqual(await found, []);
  }
});
