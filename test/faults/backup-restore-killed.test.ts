import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { databaseFile, openDatabase } from '../../src/db/open-database.ts';
import { blobPath } from '../../src/documents/blobs/blob-store.ts';
import { systemClock } from '../../src/kernel/system-clock.ts';
import {
  absoluteFilesIn,
  type BackupFixture,
  changeBackupDatabase,
  copyBackup,
  makeBackupFixture,
  rootKeyPathOf,
  runBackup,
} from '../support/backups.ts';
import { fileCleanupScope } from '../support/server-process.ts';

// A restoration is killed before each of its renames, and run again.

const fixture = makeBackupFixture(fileCleanupScope());

/** Restores in a process that is killed before its rename number `at`. Returns the result of the process. */
function restoreAndKill(
  made: BackupFixture,
  folder: string,
  { data, at }: { readonly data: string; readonly at: number },
) {
  const killing = `
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const { rename } = fs;
    let renamed = 0;
    fs.rename = (from, to) => {
      renamed += 1;
      if (renamed === ${at}) process.kill(process.pid, 'SIGKILL');
      return rename(from, to);
    };
    syncBuiltinESMExports();`;
  const hook = `--import=data:text/javascript,${encodeURIComponent(killing)}`;
  const main = join(import.meta.dirname, '../../src/main.ts');
  return spawnSync(process.execPath, [hook, main, 'backup', 'restore', folder], {
    env: { DATA_DIR: data, ROOT_KEY_FILE: rootKeyPathOf(made) },
    cwd: '/',
    encoding: 'utf8',
  });
}

/** The files in a folder and their contents, without lock files. */
const contents = (folder: string) =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .map((entry) => [join(relative(folder, entry.parentPath), entry.name), entry] as const)
      .filter(([name]) => !name.endsWith('-lock'))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, entry]) => [name, entry.isFile() ? readFileSync(join(folder, name), 'latin1') : '']),
  );

test('a restoration that is killed at any rename is completed by the next run, without files of the first run', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  const whole = join(place, 'whole');
  assert.equal((await runBackup(fixture, whole, 'restore', folder)).code, 0);
  let at = 1;
  for (; ; at += 1) {
    const data = join(place, `killed-${at}`);
    const { signal, status, stderr } = restoreAndKill(fixture, folder, { data, at });
    if (signal === null) {
      assert.equal(status, 0, stderr);
      break;
    }
    assert.equal(existsSync(join(data, databaseFile)), false);
    const { code, output } = await runBackup(fixture, data, 'restore', folder);
    assert.equal(code, 0, `killed before rename ${at}: ${output}`);
    assert.ok(isDeepStrictEqual(contents(data), contents(whole)), `killed before rename ${at}`);
  }
  // Four documents, the anchor, the database.
  assert.equal(at, 7);
});

test('no server creates an empty database after a killed restoration', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  assert.equal(restoreAndKill(fixture, folder, { data: place, at: 3 }).signal, 'SIGKILL');
  const opening = openDatabase({ dataDir: place, clock: systemClock });
  await assert.rejects(
    opening,
    /^DatabaseUnusable: a backup is being restored into \S+place, or its restoration was interrupted: run it again/,
  );
  assert.equal(existsSync(join(place, databaseFile)), false);
  assert.equal((await runBackup(fixture, place, 'restore', folder)).code, 0);
  await (await openDatabase({ dataDir: place, clock: systemClock })).close();
});

test('a killed restoration is not continued with another backup or into another DATA_DIR', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  const data = join(place, 'data');
  assert.equal(restoreAndKill(fixture, folder, { data, at: 4 }).signal, 'SIGKILL');
  const before = contents(data);
  const elsewhere = { DATA_DIR: join(place, 'other'), DOCUMENT_STORE: join(data, 'documents') };
  const refused = /Another restore into \S+documents was interrupted\. .* or remove \S+restoring-\S+ and \S+sealed\.$/m;
  assert.match((await runBackup(fixture, elsewhere, 'restore', folder)).output, refused);
  await changeBackupDatabase((db) => db.exec("update client set name = 'Mine'"))(folder, rootKeyPathOf(fixture));
  assert.match((await runBackup(fixture, data, 'restore', folder)).output, refused);
  assert.ok(isDeepStrictEqual(contents(data), before));
});

const foreignDocuments: readonly (readonly [what: string, put: (documents: string) => void, message: RegExp])[] = [
  [
    'with another content than in the backup',
    (documents) => writeFileSync(absoluteFilesIn(join(documents, 'sealed'))[0] ?? assert.fail(), 'mine'),
    /\S+doc_\w+ exists, and its content differs from the backup/,
  ],
  [
    'that is not in the backup',
    (documents) => {
      const path = blobPath(documents, 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC43');
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, 'mine');
    },
    /\S+documents contains documents that are not in the backup/,
  ],
];

for (const [what, put, refused] of foreignDocuments) {
  test(`a continued restoration refuses, and does not change, a document ${what}`, async (t) => {
    const { folder, place } = copyBackup(t, fixture);
    assert.equal(restoreAndKill(fixture, folder, { data: place, at: 4 }).signal, 'SIGKILL');
    const documents = join(place, 'documents');
    put(documents);
    const before = contents(join(documents, 'sealed'));
    const { code, output } = await runBackup(fixture, place, 'restore', folder);
    assert.equal(code, 1);
    assert.match(output, refused);
    const after = contents(join(documents, 'sealed'));
    for (const [name, bytes] of before) assert.equal(after.get(name), bytes, name);
    assert.equal(existsSync(join(place, databaseFile)), false);
  });
}
