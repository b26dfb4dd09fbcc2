import assert from 'node:assert/strict';
import fs, { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import promises, { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { beginRotation, createRootKey } from '../../src/crypto/root-key-file.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { createSyncedFolder } from '../../src/db/sync-folder.ts';
import { openFolderBlobs } from '../../src/documents/blobs/folder-blobs.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { replaceFileSynced } from '../../src/ledger/replace-file-synced.ts';
import { createLetterSpool } from '../../src/notifications/channels/letter-spool.ts';
import { createLetterRenderer } from '../../src/notifications/letters/letter-renderer.ts';
import { engines } from '../support/database-engines.ts';
import { makeLetter } from '../support/letters.ts';
import { createDatabase, databaseNameOf, dropDatabase, queryServer } from '../support/postgres-databases.ts';

// A power cut loses data that was written and not synced. The tests check that each file is synced before its rename, and its folder
// after it.

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'durable-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Records syncs and renames from now on, in their order. */
async function watchDisk(t: TestContext, folder: string): Promise<string[]> {
  const seen: string[] = [];
  writeFileSync(join(folder, 'any'), '');
  await using any = await open(join(folder, 'any'), 'r');
  // All file handles share this prototype.
  const handles = Object.getPrototypeOf(any) as FileHandle;
  const { sync } = handles;
  const { rename } = promises;
  handles.sync = async function watched(this: FileHandle) {
    await sync.call(this);
    seen.push((await this.stat()).isDirectory() ? 'folder synced' : 'file synced');
  };
  promises.rename = async (from, to) => {
    await rename(from, to);
    seen.push('renamed');
  };
  syncBuiltinESMExports();
  t.after(() => {
    handles.sync = sync;
    promises.rename = rename;
    syncBuiltinESMExports();
  });
  return seen;
}

test('a document is synced before its rename, and its folder before the deposit is acknowledged', async (t) => {
  const folder = folderOf(t);
  const blobs = await openFolderBlobs(join(folder, 'documents'));
  const seen = await watchDisk(t, folder);
  await blobs.put(
    'doc_01M81HRJ9XE00BWEZR4D3XY3Z9',
    (async function* () {
      yield Buffer.from('sealed');
    })(),
  );
  const last = seen.slice(seen.indexOf('file synced'));
  const folders = new Array(last.lastIndexOf('renamed') - 1).fill('folder synced');
  assert.deepEqual(last, ['file synced', ...folders, 'renamed', 'folder synced']);
});

test('a document in a folder that a concurrent upload creates is acknowledged after all parent folders are synced', async (t) => {
  const folder = folderOf(t);
  const blobs = await openFolderBlobs(join(folder, 'documents'));
  await using any = await open(folder, 'r');
  const handles = Object.getPrototypeOf(any) as FileHandle;
  const { sync } = handles;
  const synced: number[] = [];
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isHeld = false;
  handles.sync = async function held(this: FileHandle) {
    const found = await this.stat();
    if (found.isDirectory() && !isHeld) {
      isHeld = true;
      begun.resolve();
      await goOn.promise;
    }
    await sync.call(this);
    synced.push(found.ino);
  };
  t.after(() => {
    handles.sync = sync;
  });
  const put = (id: string) => blobs.put(id, Readable.from([Buffer.from('sealed')]));
  const first = put('doc_01M81HRJ9XE00BWEZR4D3XY3Z9');
  await begun.promise;
  await put('doc_01M81HRJ9XE00BWEZR4D3XY4Z9');
  const folders = ['sealed', 'sealed/9', 'sealed/9/Z'];
  const isSynced = (path: string) => synced.includes(statSync(join(folder, 'documents', path)).ino);
  assert.deepEqual(folders.filter(isSynced), folders);
  goOn.resolve();
  await first;
});

test('each created parent folder is synced into its own parent', async (t) => {
  const folder = folderOf(t);
  const seen = await watchDisk(t, folder);
  await createSyncedFolder(join(folder, 'data', 'of', 'a witness'));
  assert.deepEqual(seen, ['folder synced', 'folder synced', 'folder synced']);
});

test('the anchor of the ledger is synced before it replaces the previous one, and its folder after', async (t) => {
  const folder = folderOf(t);
  const seen = await watchDisk(t, folder);
  await replaceFileSynced(join(folder, 'ledger-checkpoint'), 'note');
  assert.deepEqual(seen, ['file synced', 'renamed', 'folder synced']);
});

test('a letter and its manifest are synced before their renames, and the folder before the letter counts as sent', async (t) => {
  const folder = folderOf(t);
  const renderer = createLetterRenderer();
  t.after(() => renderer.close());
  const spool = createLetterSpool({ folder, window: 'din5008b', renderer });
  const seen = await watchDisk(t, folder);
  const ready = await spool.prepare(makeLetter('one'));
  assert.ok('call' in ready);
  assert.equal((await ready.call()).outcome, 'sent');
  assert.deepEqual(seen, ['file synced', 'file synced', 'renamed', 'renamed', 'folder synced']);
});

test('a new or rotated root key is synced before its rename, and its folder after', (t) => {
  const folder = folderOf(t);
  const seen: string[] = [];
  const { fsyncSync, linkSync, renameSync } = fs;
  Object.assign(fs, {
    fsyncSync: (file: number) => {
      fsyncSync(file);
      seen.push(fs.fstatSync(file).isDirectory() ? 'folder synced' : 'file synced');
    },
    linkSync: (from: string, to: string) => {
      linkSync(from, to);
      seen.push('named');
    },
    renameSync: (from: string, to: string) => {
      renameSync(from, to);
      seen.push('named');
    },
  });
  syncBuiltinESMExports();
  t.after(() => {
    Object.assign(fs, { fsyncSync, linkSync, renameSync });
    syncBuiltinESMExports();
  });
  const path = join(folder, 'root.key');
  for (const make of [createRootKey, beginRotation]) {
    make(path, systemRandom);
    const done = seen.splice(0);
    assert.deepEqual([done[0], done.filter((one) => one === 'named').length], ['file synced', 1]);
    assert.deepEqual(done.slice(done.indexOf('named')), ['named', 'folder synced']);
  }
});

for (const engine of engines) {
  test(`${engine.name}: a commit is synced to disk, even if the default of the database server is not to sync`, async (t) => {
    if (engine.name === 'sqlite') {
      // The writer checks this when it opens the file (src/db/sqlite/sqlite-writer.ts).
      const db = await engine.open(t);
      const [rows] = await db.write([{ sql: 'select synchronous from pragma_synchronous' }]);
      assert.equal(rows?.[0]?.['synchronous'], 2);
      return;
    }
    const database = await createDatabase('empty');
    t.after(() => dropDatabase(database));
    await queryServer(`alter database ${databaseNameOf(database)} set synchronous_commit = off`);
    const db = await openPostgres(database, { random: systemRandom });
    t.after(() => db.close());
    const [before] = await db.read("select current_setting('synchronous_commit') as mode");
    assert.equal(before?.['mode'], 'off', 'the default of this database');
    const [rows] = await db.write([{ sql: "select current_setting('synchronous_commit') as mode" }]);
    assert.equal(rows?.[0]?.['mode'], 'on');
  });
}
