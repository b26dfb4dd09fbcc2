import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { commandLine } from '../../src/app/command-line.ts';
import { fileDigest } from '../../src/cli/backup-file.ts';
import { createRootKey, readRootKey } from '../../src/crypto/root-key-file.ts';
import { databaseFile } from '../../src/db/open-database.ts';
import { blobPath } from '../../src/documents/blobs/blob-store.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import {
  absoluteFilesIn,
  changeBackupDatabase,
  copyBackup,
  makeBackupFixture,
  readBackupManifest,
  rewriteManifest,
  rootKeyPathOf,
  runBackup,
} from '../support/backups.ts';
import { copyDataDir } from '../support/doctor.ts';
import { fileCleanupScope } from '../support/server-process.ts';

// An attacker can write to a backup and does not have the root key.

const fixture = makeBackupFixture(fileCleanupScope());

const write = (folder: string, members: object) =>
  writeFileSync(join(folder, 'backup.json'), JSON.stringify({ ...readBackupManifest(folder), ...members }));

/** Changes a client, whose row is neither encrypted nor signed, and returns the digest of the changed database. */
async function changeClient(folder: string) {
  {
    using db = new DatabaseSync(join(folder, databaseFile));
    assert.notEqual(db.prepare("update client set name = 'Mine'").run().changes, 0);
  }
  return { database: await fileDigest(join(folder, databaseFile)) };
}

const documentIn = (folder: string, at: number) => absoluteFilesIn(join(folder, 'documents'))[at] ?? assert.fail();

const changed = /backup\.json was changed after the backup was created: its code does not match root key /;
const others = /the documents differ from the manifest: /;

type Attack = readonly [title: string, attack: (folder: string) => Promise<void> | void, expected: RegExp];

/** Both `verify` and `restore` refuse a backup after each attack. */
const attacks: readonly Attack[] = [
  ['a changed client and an adapted manifest', async (folder) => write(folder, await changeClient(folder)), changed],
  ['a missing document in erasedMeanwhile', (folder) => write(folder, { erasedMeanwhile: ['doc_x'] }), changed],
  ['a manifest without documents', (folder) => write(folder, { documents: null }), changed],
  ['a later begunAt', (folder) => write(folder, { begunAt: '2099-01-01T00:00:00.000Z' }), changed],
  ['an unknown member in the manifest', (folder) => write(folder, { more: true }), changed],
  [
    'a code of zeros',
    (folder) => write(folder, { code: { ...readBackupManifest(folder).code, hmacSha256: '0'.repeat(64) } }),
    changed,
  ],
  [
    'an empty code',
    (folder) => write(folder, { code: { ...readBackupManifest(folder).code, hmacSha256: '' } }),
    /has an unknown format/,
  ],
  ['a missing code', (folder) => write(folder, { code: undefined }), /has an unknown format/],
  [
    'the code of another root key',
    async (folder) => {
      const path = join(folder, '..', 'other.key');
      createRootKey(path, systemRandom);
      await changeClient(folder);
      await rewriteManifest(folder, path, { rootKeys: [readRootKey(path).id] });
    },
    /The backup needs root key [0-9a-f]{16}, but \S+root\.key contains another key\. Set ROOT_KEY_FILE/,
  ],
  [
    'the database of an older backup of the installation',
    (folder) => cpSync(join(fixture.olderDataDir, databaseFile), join(folder, databaseFile)),
    /citizen-services\.sqlite is not the file of the backup/,
  ],
  [
    'the anchor of an older backup of the installation',
    (folder) => cpSync(join(fixture.olderDataDir, 'ledger-checkpoint'), join(folder, 'ledger-checkpoint')),
    /ledger-checkpoint is not the file of the backup/,
  ],
  [
    'a missing anchor',
    (folder) => unlinkSync(join(folder, 'ledger-checkpoint')),
    /ledger-checkpoint is not the file of the backup/,
  ],
  ['a missing document', (folder) => unlinkSync(documentIn(folder, 0)), others],
  [
    'an added document',
    (folder) => cpSync(documentIn(folder, 0), blobPath(join(folder, 'documents'), 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC43')),
    others,
  ],
  [
    'a renamed document',
    (folder) => {
      const before = documentIn(folder, 0);
      cpSync(before, blobPath(join(folder, 'documents'), 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC43'));
      unlinkSync(before);
    },
    others,
  ],
  ['a truncated document', (folder) => writeFileSync(documentIn(folder, 0), 'x'), others],
];

for (const [title, attack, expected] of attacks) {
  test(`a backup with ${title} fails its verification and is not restored`, async (t) => {
    const { folder, place } = copyBackup(t, fixture);
    await attack(folder);
    const verified = await runBackup(fixture, place, 'verify', folder, '--scratch', place);
    assert.equal(verified.code, 1, verified.output);
    assert.match(verified.output, expected);
    assert.deepEqual(readdirSync(place), []);
    const restored = await runBackup(fixture, place, 'restore', folder);
    assert.equal(restored.code, 1, restored.output);
    assert.match(restored.output, expected);
    assert.ok(!existsSync(join(place, databaseFile)));
  });
}

test('changed bytes of the same length do not decrypt as the document', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  const large = readFileSync(blobPath(join(folder, 'documents'), fixture.largeDocumentId));
  const path =
    absoluteFilesIn(join(folder, 'documents')).find((one) => !one.endsWith(fixture.largeDocumentId)) ?? assert.fail();
  writeFileSync(path, large.subarray(0, readFileSync(path).length));
  const { code, output } = await runBackup(fixture, place, 'verify', folder, '--scratch', place);
  assert.equal(code, 1);
  assert.match(output, /^document doc_\w+: bytes-broken: .*\nbackup of /);
});

for (const name of ['backup.json', 'ledger-checkpoint', databaseFile, 'a document']) {
  test(`a pipe instead of ${name} is refused without waiting`, async (t) => {
    const { folder, place } = copyBackup(t, fixture);
    const path = name === 'a document' ? documentIn(folder, 0) : join(folder, name);
    unlinkSync(path);
    assert.equal(spawnSync('mkfifo', [path]).status, 0);
    try {
      for (const args of [
        ['verify', folder, '--scratch', place],
        ['restore', folder],
      ]) {
        const { code, output } = await ended(t, runBackup(fixture, place, ...args));
        assert.equal(code, 1, output);
        assert.match(output, /"\S+" is not a file/);
      }
    } finally {
      // Releases a blocked reader, so that the test fails instead of hanging.
      closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
    }
  });
}

/** The result of a command; rejects if it takes much longer than it needs. */
async function ended<T>(t: TestContext, running: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('it waits')), 15_000);
  t.after(() => clearTimeout(timer));
  return Promise.race([running, late.promise]);
}

test('a manifest with control characters for a terminal has an unknown format', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  for (const members of [
    { rootKeys: ['\u001b[2J'] },
    { begunAt: '2026-11-23T00:00:00.000Z\u001b[2J' },
    { program: '\u001b[2J' },
    { missing: ['\u001b[2J'] },
  ]) {
    write(folder, members);
    const { code, output } = await runBackup(fixture, place, 'restore', folder);
    assert.equal(code, 1);
    assert.match(output, /has an unknown format\. Use the version .*\n$/);
  }
});

test('files that a network share or a desktop adds to the documents are not restored', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  const sealed = join(folder, 'documents/sealed');
  writeFileSync(join(sealed, '.DS_Store'), 'x');
  mkdirSync(join(sealed, '@eaDir'));
  writeFileSync(join(sealed, '@eaDir', 'more'), 'x');
  const { code, output } = await runBackup(fixture, place, 'restore', folder);
  assert.equal(code, 0, output);
  assert.equal(absoluteFilesIn(join(place, 'documents')).length, readBackupManifest(folder).documents.count);
});

test('a backup with --since lists its documents in its own manifest', async (t) => {
  const { folder, place, deps } = copyBackup(t, fixture);
  const made = join(deps, 'made');
  const { code, output } = await runBackup(fixture, fixture.dataDir, 'create', made, '--since', folder);
  assert.equal(code, 0, output);
  assert.equal(readBackupManifest(made).documents.sha256, readBackupManifest(folder).documents.sha256);
  assert.equal((await runBackup(fixture, place, 'verify', made, '--scratch', place)).code, 0);
  // Both backups share the files: a truncated document is truncated in both.
  writeFileSync(documentIn(folder, 0), 'x');
  assert.match((await runBackup(fixture, place, 'restore', made)).output, others);
});

test('after a rotation a backup requires the root key of its creation, and the error names that key', async (t) => {
  const { folder, place, deps } = copyBackup(t, fixture);
  const data = copyDataDir(t, fixture.dataDir);
  const rootKey = join(data, 'root.key');
  const settings = { DATA_DIR: data, ROOT_KEY_FILE: rootKey };
  const rotate = async (...more: readonly string[]) => {
    const terminal = { stdout: () => undefined, stderr: () => undefined, isInteractive: false, cwd: '/' };
    assert.equal(await commandLine(['keys', 'rotate', 'root', ...more], settings, terminal), 0);
  };
  const verify = async (backup: string, key: string) =>
    await runBackup(fixture, { DATA_DIR: place, ROOT_KEY_FILE: key }, 'verify', backup, '--scratch', place);
  const first = readRootKey(rootKeyPathOf(fixture)).id;
  await rotate('--prepare');
  // The file now has a new root key that wraps nothing in the database yet.
  const between = join(deps, 'between');
  assert.equal((await runBackup(fixture, settings, 'create', between)).code, 0);
  assert.equal(readBackupManifest(between).code.rootKey, first);
  await rotate();
  assert.doesNotMatch((await verify(folder, rootKey)).output, /backup\.json/);
  await rotate('--finish');
  const { code, output } = await verify(folder, rootKey);
  assert.equal(code, 1);
  assert.match(output, new RegExp(`^The backup needs root key ${first}, but \\S+ contains another`));
  for (const backup of [folder, between]) assert.equal((await verify(backup, rootKeyPathOf(fixture))).code, 0);
  const after = join(deps, 'after');
  assert.equal((await runBackup(fixture, settings, 'create', after)).code, 0);
  assert.equal((await verify(after, rootKey)).code, 0);
  assert.equal((await verify(after, rootKeyPathOf(fixture))).code, 1);
});

test('without the root key no backup is created, verified or restored, and the error asks for the copy of the key', async (t) => {
  const { folder, place, deps } = copyBackup(t, fixture);
  const missing = join(deps, 'none.key');
  const made = join(deps, 'made');
  for (const [data, ...args] of [
    [fixture.dataDir, 'create', made],
    [place, 'verify', folder, '--scratch', place],
    [place, 'restore', folder],
  ] as const) {
    const { code, output } = await runBackup(fixture, { DATA_DIR: data, ROOT_KEY_FILE: missing }, ...args);
    assert.equal(code, 1);
    assert.match(
      output,
      /^Expected the root key for .* at \S+none\.key, but the file does not exist\. Put your copy there, or set ROOT_KEY_FILE/,
    );
  }
  assert.deepEqual([existsSync(made), readdirSync(place)], [false, []]);
});

test('a change by an attacker with the root key is not detected', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  await changeBackupDatabase((db) => db.exec("update client set name = 'Mine'"))(folder, rootKeyPathOf(fixture));
  assert.equal((await runBackup(fixture, place, 'verify', folder, '--scratch', place)).code, 0);
});
