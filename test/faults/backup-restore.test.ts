import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { createBackup } from '../../src/cli/backup-create.ts';
import { restoreBackup } from '../../src/cli/backup-restore.ts';
import { readSettings } from '../../src/config/settings.ts';
import { UnknownRootKey } from '../../src/crypto/root-key.ts';
import { createRootKey } from '../../src/crypto/root-key-file.ts';
import { databaseFile } from '../../src/db/open-database.ts';
import { copySqliteFile } from '../../src/db/sqlite/copy-sqlite-file.ts';
import { lockDatabase } from '../../src/db/sqlite/database-lock.ts';
import { blobPath } from '../../src/documents/blobs/blob-store.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import {
  absoluteFilesIn,
  type BackupChange,
  copyBackup,
  makeBackupFixture,
  rewriteManifest,
  rootKeyPathOf,
  runBackup,
  runBackupAsOtherUser,
} from '../support/backups.ts';
import { fingerprintFiles } from '../support/doctor.ts';
import { fileCleanupScope } from '../support/server-process.ts';

// Restorations and copies that meet files of other users, folders without permission, and missing parts.

const fixture = makeBackupFixture(fileCleanupScope());

test('a read-only backup can be verified and restored, and only its owner can read the restored files', (t) => {
  const { deps, folder, place } = copyBackup(t, fixture);
  for (const path of absoluteFilesIn(folder)) chmodSync(path, 0o444);
  for (const path of new Set(absoluteFilesIn(folder).map((file) => join(file, '..')))) chmodSync(path, 0o555);
  for (const name of ['', 'documents', 'documents/incoming', 'documents/sealed']) chmodSync(join(folder, name), 0o555);
  for (const name of readdirSync(join(folder, 'documents/sealed')))
    chmodSync(join(folder, 'documents/sealed', name), 0o555);
  const scratch = join(deps, 'scratch');
  mkdirSync(scratch);
  chmodSync(scratch, 0o777);
  const verified = runBackupAsOtherUser(fixture, deps, place, 'verify', folder, '--scratch', scratch);
  assert.equal(verified.code, 0, verified.stderr);
  const restored = runBackupAsOtherUser(fixture, deps, join(place, 'data'), 'restore', folder);
  assert.equal(restored.code, 0, restored.stderr);
  const files = absoluteFilesIn(join(place, 'data'));
  assert.ok(files.length >= 5);
  for (const path of files.filter((file) => !file.endsWith('-lock')))
    assert.equal((statSync(path).mode & 0o777).toString(8), '600', path);
});

test('a backup can be created in a folder whose parent its user cannot list', (t) => {
  const { deps, place } = copyBackup(t, fixture);
  const data = join(deps, 'data');
  cpSync(fixture.dataDir, data, { recursive: true, preserveTimestamps: true });
  const target = join(place, 'mine');
  mkdirSync(target);
  if (process.getuid?.() === 0)
    for (const name of ['', ...readdirSync(data, { recursive: true, encoding: 'utf8' })])
      chownSync(join(data, name), 65_534, 65_534);
  chmodSync(target, 0o777);
  chmodSync(place, 0o711);
  // Files of other users cannot be linked, so they are copied.
  const earlier = join(deps, 'backup');
  for (const name of ['', ...readdirSync(earlier, { recursive: true, encoding: 'utf8' })])
    chmodSync(join(earlier, name), statSync(join(earlier, name)).isDirectory() ? 0o755 : 0o644);
  const created = runBackupAsOtherUser(fixture, deps, data, 'create', target, '--since', earlier);
  assert.equal(created.code, 0, created.stderr);
  assert.ok(existsSync(join(target, 'backup.json')));
});

test('the error of a failed copy of the database names the target', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  const target = join(place, 'nowhere', 'copy');
  await assert.rejects(copySqliteFile(join(folder, databaseFile), target), (fault: Error) =>
    fault.message.startsWith(`the database cannot be copied to ${target}: `),
  );
});

type Refusal = readonly [what: string, damage: BackupChange, message: RegExp];

const refusals: readonly Refusal[] = [
  [
    'without its documents',
    (folder) => rmSync(join(folder, 'documents'), { recursive: true }),
    /differ from the manifest: expected 4 documents with \d+ bytes, found 0 with 0 bytes\. The database was not/,
  ],
  [
    'with another database file',
    (folder) => writeFileSync(join(folder, databaseFile), 'x'),
    /is not the file of the backup/,
  ],
  [
    'with documents in a bucket, for a DOCUMENT_STORE that is a folder',
    (folder, rootKeyPath) => rewriteManifest(folder, rootKeyPath, { documents: null }),
    /The documents of this backup are in S3, but DOCUMENT_STORE is a folder/,
  ],
];

for (const [what, damage, message] of refusals) {
  test(`a backup ${what} is not restored, and no file is left that a server could start with`, async (t) => {
    const { folder, place } = copyBackup(t, fixture);
    await damage(folder, rootKeyPathOf(fixture));
    const { code, output } = await runBackup(fixture, place, 'restore', folder);
    assert.equal(code, 1);
    assert.match(output, message);
    assert.deepEqual(
      readdirSync(place).filter((name) => !name.endsWith('-lock') && name !== 'documents'),
      [],
    );
    assert.ok(!existsSync(join(place, 'documents/sealed')) || absoluteFilesIn(join(place, 'documents')).length === 0);
  });
}

const occupied: readonly (readonly [what: string, settings: Readonly<Record<string, string>>, message: RegExp])[] = [
  ['citizen-services.sqlite', {}, /Expected an empty DATA_DIR, but \S+citizen-services\.sqlite exists/],
  ['citizen-services.sqlite-wal', {}, /Expected an empty DATA_DIR, but \S+sqlite-wal exists/],
  // SQLite would play it back into the database that was restored.
  ['citizen-services.sqlite-journal', {}, /Expected an empty DATA_DIR, but \S+sqlite-journal exists/],
  ['ledger-checkpoint', {}, /Expected an empty DATA_DIR, but \S+ledger-checkpoint exists/],
  ['documents/sealed/x', {}, /Expected an empty DOCUMENT_STORE, but \S+ contains documents/],
  ['', { DOCUMENT_STORE: 's3://b/c?region=eu' }, /DOCUMENT_STORE is a bucket\. Set DOCUMENT_STORE to a folder/],
  ['', { DATABASE_URL: 'postgres://u@127.0.0.1:1/none' }, /^This is a backup of SQLite, but DATABASE_URL is set/],
];

for (const [what, settings, message] of occupied) {
  test(`nothing is restored if ${what === '' ? `${Object.keys(settings).join()} is set` : `${what} exists`}`, async (t) => {
    const { folder, place } = copyBackup(t, fixture);
    mkdirSync(join(place, what, '..'), { recursive: true });
    if (what !== '') writeFileSync(join(place, what), 'mine');
    const before = fingerprintFiles(place);
    const { code, output } = await runBackup(fixture, { DATA_DIR: place, ...settings }, 'restore', folder);
    assert.equal(code, 1);
    assert.match(output, message);
    assert.deepEqual(fingerprintFiles(place), before);
  });
}

test('no server starts during a restoration, and no backup is restored while a server runs', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  const database = join(place, databaseFile);
  {
    using _server = lockDatabase(database);
    const { code, output } = await runBackup(fixture, place, 'restore', folder);
    assert.equal(code, 1);
    assert.match(output, /another process has \S+ open; stop it first/);
  }
  let looked = 0;
  const onProgress = () => {
    looked += 1;
    assert.throws(() => lockDatabase(database), /another process has/);
    assert.equal(existsSync(database), false);
  };
  await restoreBackup(readSettings({ DATA_DIR: place }), { folder, rootKeyPath: rootKeyPathOf(fixture), onProgress });
  // Before the database, and after each document.
  assert.equal(looked, 5);
  lockDatabase(database).close();
  assert.ok(existsSync(database));
});

test('a database that a server creates between the check and the lock is not replaced', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  const data = join(place, 'data');
  const database = join(data, databaseFile);
  const options = { folder, rootKeyPath: rootKeyPathOf(fixture), onProgress: () => undefined };
  const restoring = restoreBackup(readSettings({ DATA_DIR: data }), options);
  // The folder exists a few turns of the event loop before it is locked, because it is synced first.
  while (!existsSync(data)) await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(database, 'begun');
  await assert.rejects(restoring, /citizen-services\.sqlite exists/);
  assert.equal(readFileSync(database, 'utf8'), 'begun');
});

test('a document that is truncated in the earlier backup is copied, and a missing one is reported', async (t) => {
  const { deps, folder, place } = copyBackup(t, fixture);
  const [data, target] = [join(deps, 'data'), join(place, 'made')];
  cpSync(fixture.dataDir, data, { recursive: true, preserveTimestamps: true });
  const [short = '', gone = ''] = absoluteFilesIn(join(data, 'documents')).map((path) => relative(data, path));
  const before = readFileSync(join(folder, short));
  writeFileSync(join(folder, short), before.subarray(0, -1));
  unlinkSync(join(data, gone));
  const { code, output } = await runBackup(fixture, data, 'create', target, '--since', folder);
  assert.equal(code, 1);
  assert.match(
    output,
    /DOCUMENT_STORE has no content for 1 documents, such as doc_\w+\. Run "citizen-services documents verify"\.\n$/,
  );
  assert.deepEqual(readFileSync(join(target, short)), before);
  assert.equal(existsSync(join(target, gone)), false);
});

test('a failed backup leaves no file, and a second backup into the same folder is refused', async (t) => {
  const { deps, place } = copyBackup(t, fixture);
  const data = join(deps, 'data');
  cpSync(fixture.dataDir, data, { recursive: true, preserveTimestamps: true });
  const pipe = blobPath(join(data, 'documents'), 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC43');
  mkdirSync(join(pipe, '..'), { recursive: true });
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  const create = async () => await runBackup(fixture, data, 'create', place);
  const failed = await create();
  assert.equal(failed.code, 1);
  assert.match(failed.output, /is not a file/);
  assert.deepEqual(readdirSync(place), []);
  unlinkSync(pipe);
  const both = await Promise.all([create(), create()]);
  assert.deepEqual(both.map(({ code }) => code).sort(), [0, 1]);
  assert.match(both.map(({ output }) => output).join(), /Expected a new or empty folder, but \S+ has content/);
  assert.equal((await runBackup(fixture, data, 'verify', place, '--scratch', deps)).code, 0);
});

test('a backup with the root key of another installation is refused before any document is copied', async (t) => {
  const { deps, place } = copyBackup(t, fixture);
  const path = join(deps, 'other.key');
  createRootKey(path, systemRandom);
  const options = { folder: place, rootKeyPath: path, earlier: undefined, clock: systemClock };
  await assert.rejects(
    createBackup(readSettings({ DATA_DIR: fixture.dataDir }), {
      ...options,
      onProgress: (at) => assert.equal(at, 'the database'),
    }),
    UnknownRootKey,
  );
  assert.deepEqual(readdirSync(place), []);
});

test('every file and folder of a backup and of a restoration is synced', async (t) => {
  const { deps, place } = copyBackup(t, fixture);
  const synced = new Map<number, number>();
  await using any = await open(deps, 'r');
  // All file handles share this prototype.
  const handles = Object.getPrototypeOf(any) as FileHandle;
  const { sync } = handles;
  handles.sync = async function watched(this: FileHandle) {
    await sync.call(this);
    const { ino } = await this.stat();
    if (!synced.has(ino)) synced.set(ino, synced.size);
  };
  t.after(() => {
    handles.sync = sync;
  });
  const unsynced = (folder: string) =>
    ['..', '', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].filter(
      (name) => !/-lock$|incoming$/.test(name) && !synced.has(statSync(join(folder, name)).ino),
    );
  const whole = join(place, 'deep', 'one');
  assert.equal((await runBackup(fixture, fixture.dataDir, 'create', whole)).code, 0);
  assert.deepEqual(unsynced(whole), []);
  const blob = absoluteFilesIn(join(whole, 'documents'))[0] ?? assert.fail();
  // The anchor is not newer than the database, each document is there before its row, and the manifest comes last.
  const order = [join(whole, 'ledger-checkpoint'), join(whole, databaseFile), blob, join(whole, 'backup.json')];
  const places = order.map((path) => synced.get(statSync(path).ino) ?? -1);
  assert.deepEqual(
    places.toSorted((one, other) => one - other),
    places,
  );
  assert.ok(synced.has(statSync(place).ino));
  synced.clear();
  assert.equal((await runBackup(fixture, join(place, 'data'), 'restore', whole)).code, 0);
  assert.deepEqual(unsynced(join(place, 'data')), []);
  // The sweep of a server uses the modification time of a document.
  const timesIn = (folder: string) =>
    absoluteFilesIn(join(folder, 'documents')).map((path) => Math.round(statSync(path).mtimeMs));
  assert.deepEqual(timesIn(join(place, 'data')).sort(), timesIn(fixture.dataDir).sort());
});
