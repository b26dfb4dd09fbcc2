import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { wrapKey } from '../../src/crypto/key-wrapping.ts';
import { readRootKey } from '../../src/crypto/root-key-file.ts';
import { databaseFile } from '../../src/db/open-database.ts';
import { blobPath } from '../../src/documents/blobs/blob-store.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import {
  absoluteFilesIn,
  type BackupChange,
  changeBackupDatabase,
  copyBackup,
  demoCitizenCount,
  makeBackupFixture,
  readBackupManifest,
  rewriteManifest,
  rootKeyPathOf,
  runBackup,
} from '../support/backups.ts';
import { fileCleanupScope } from '../support/server-process.ts';

// `backup verify` of backups with missing or damaged parts, and of backups that were created during other work of the server.

const fixture = makeBackupFixture(fileCleanupScope());

const anchor = 'ledger-checkpoint';

type Verdict = { readonly verified: boolean; readonly faults: readonly string[]; readonly leftovers: number };

async function verify(t: TestContext, change: BackupChange): Promise<Verdict> {
  const { folder, place } = copyBackup(t, fixture);
  await change(folder, rootKeyPathOf(fixture));
  const { code, output } = await runBackup(fixture, place, 'verify', folder, '--json', '--scratch', place);
  const verdict = JSON.parse(output.split('\n')[0] ?? '') as Verdict;
  assert.equal(code, verdict.verified ? 0 : 1);
  return verdict;
}

/** Replaces the signed checkpoint of the database with the one before it. */
const restorePreviousCheckpoint = changeBackupDatabase((db) => {
  using before = new DatabaseSync(join(fixture.olderDataDir, databaseFile), { readOnly: true });
  const { size, root, note } = before.prepare("select * from ledger_checkpoint where kind = 'signed'").get() ?? {};
  const sql = "update ledger_checkpoint set size = ?, root = ?, note = ? where kind = 'signed'";
  assert.equal(db.prepare(sql).run(size ?? 0, root ?? '', note ?? '').changes, 1);
});

test('a backup whose anchor is newer than the checkpoint of its database is valid', async (t) => {
  assert.deepEqual((await verify(t, restorePreviousCheckpoint)).faults, []);
});

test('a changed byte in a document is detected without --quick, and a missing or truncated document also with it', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  const blob = blobPath(join(folder, 'documents'), fixture.largeDocumentId);
  const verified = async (...flags: readonly string[]) =>
    (await runBackup(fixture, place, 'verify', folder, '--scratch', place, ...flags)).output.split(':')[1];
  const bytes = readFileSync(blob);
  bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
  writeFileSync(blob, bytes);
  assert.equal(await verified(), ' bytes-broken');
  assert.doesNotMatch((await verified('--quick')) ?? '', /broken|missing/);
  writeFileSync(blob, bytes.subarray(0, -1));
  assert.equal(await verified('--quick'), ' blob-missing');
  unlinkSync(blob);
  assert.equal(await verified('--quick'), ' blob-missing');
});

test('a broken key is detected even if it is that of the last of many citizens', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  const root = readRootKey(rootKeyPathOf(fixture));
  const ids = Array.from({ length: 1_500 }, (_, index) => `zz-many-${String(index).padStart(4, '0')}`);
  const damage = (db: DatabaseSync) =>
    db.exec("update citizen_key set wrapped = zeroblob(length(wrapped)) where citizen_id = 'zz-many-1499'");
  await changeBackupDatabase((db) => {
    const insert = db.prepare('insert into citizen_key (citizen_id, wrapped, root_key_id) values (?, ?, ?)');
    for (const id of ids) {
      const key = wrapKey(root.derive('wrap-citizen-keys'), systemRandom(32), `citizen ${id}`, systemRandom);
      insert.run(id, key, root.id);
    }
  })(folder, rootKeyPathOf(fixture));
  const well = await runBackup(fixture, place, 'verify', folder, '--json', '--scratch', place);
  assert.equal(JSON.parse(well.output.split('\n')[0] ?? '').citizens, demoCitizenCount + ids.length);
  await changeBackupDatabase(damage)(folder, rootKeyPathOf(fixture));
  const { code, output } = await runBackup(fixture, place, 'verify', folder, '--scratch', place);
  assert.equal(code, 1);
  assert.match(output, /the root key does not open the keys of all citizens/);
});

test('a row that refers to a missing row is a fault of the database', async (t) => {
  const { faults } = await verify(
    t,
    changeBackupDatabase((db) => db.exec('pragma foreign_keys = off; delete from notification')),
  );
  assert.match(faults.join('\n'), /^database: a row of \w+ refers to a missing row of notification$/m);
});

test('a backup with documents in a bucket is verified without the bucket, and nothing is created at the paths of the settings', async (t) => {
  const { folder, place } = copyBackup(t, fixture);
  rmSync(join(folder, 'documents'), { recursive: true });
  await rewriteManifest(folder, rootKeyPathOf(fixture), { documents: null });
  const data = join(place, 'data');
  // The database of these settings is not read either.
  const settings = { DATA_DIR: data, DATABASE_URL: 'postgres://u@127.0.0.1:1/none' };
  const { code, output } = await runBackup(fixture, settings, 'verify', folder, '--scratch', place);
  assert.deepEqual([code, existsSync(data), existsSync(join(folder, 'documents'))], [0, false, false], output);
});

test('ledger entries after the last signed checkpoint are checked like at a start', async (t) => {
  const verdict = await verify(t, async (folder, rootKeyPath) => {
    await restorePreviousCheckpoint(folder, rootKeyPath);
    unlinkSync(join(folder, anchor));
    cpSync(join(fixture.olderDataDir, anchor), join(folder, anchor));
    await changeBackupDatabase((db) => db.exec('update ledger_head set root = zeroblob(length(root))'))(
      folder,
      rootKeyPath,
    );
  });
  assert.match(verdict.faults.join(), /^ledger: the stored tiles of size \d+ do not have the root hash of the head/);
});

test('a backup can be created on a share without file modes, such as one of Windows', async (t) => {
  const { deps } = copyBackup(t, fixture);
  await using handle = await open(import.meta.filename);
  const refusal = Object.assign(new Error('EPERM: operation not permitted, fchmod'), { code: 'EPERM' });
  t.mock.method(Object.getPrototypeOf(handle), 'chmod', () => Promise.reject(refusal));
  const { code, output } = await runBackup(fixture, fixture.dataDir, 'create', join(deps, 'on-a-share'));
  assert.equal(code, 0, output);
});

test('a missing or invalid anchor is a fault', async (t) => {
  const missing = await verify(t, async (folder, rootKeyPath) => {
    unlinkSync(join(folder, anchor));
    await rewriteManifest(folder, rootKeyPath);
  });
  assert.deepEqual(missing.faults, ['ledger: its anchor, ledger-checkpoint, is missing']);
  const none = await verify(t, async (folder, rootKeyPath) => {
    writeFileSync(join(folder, anchor), 'none');
    await rewriteManifest(folder, rootKeyPath);
  });
  assert.match(none.faults.join(), /^ledger: \S+ledger-checkpoint has no checkpoint/);
  const unsigned = await verify(t, async (folder, rootKeyPath) => {
    const path = join(folder, anchor);
    const note = readFileSync(path, 'utf8').replace(/(?<=\n\u2014 \S+ .{30})./, (letter) =>
      letter === 'A' ? 'B' : 'A',
    );
    writeFileSync(path, note);
    await rewriteManifest(folder, rootKeyPath);
  });
  assert.match(unsigned.faults.join(), /^ledger: an earlier checkpoint/);
  const notBegun = await verify(
    t,
    changeBackupDatabase((db) => db.exec('delete from ledger_head')),
  );
  assert.deepEqual(notBegun.faults, ['ledger: expected the entries of its anchor, found none']);
});

test('a document that is stored or erased during a backup is not reported as a fault', async (t) => {
  const verdict = await verify(t, async (folder, rootKeyPath) => {
    const [first = '', second = ''] = absoluteFilesIn(join(folder, 'documents'));
    const { begunAt } = readBackupManifest(folder);
    const stray = (name: string, secondsBefore: number) => {
      const path = join(folder, 'documents/sealed', name);
      cpSync(second, path);
      const at = Date.parse(begunAt) / 1_000 - secondsBefore;
      utimesSync(path, at, at);
    };
    // The row of the first is written just after the copy, the second is of an upload that a crash ended, the third was just erased.
    stray('doc_01K9ZXQ7M0E7D8T3VBRN5YHC42', 1);
    stray('doc_01K9ZXQ7M0E7D8T3VBRN5YHC43', 3_600);
    utimesSync(first, 1, 1);
    await changeBackupDatabase((db) => {
      const sql =
        "update document set status = 'erased', sealed_record = null, erased_at = 1, erasure_event = 'x' where id = ?";
      assert.equal(db.prepare(sql).run(basename(first)).changes, 1);
    })(folder, rootKeyPath);
  });
  assert.deepEqual([verdict.faults, verdict.leftovers], [[], 2]);
});
