import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { createBackup } from '../../src/cli/backup-create.ts';
import { readSettings } from '../../src/config/settings.ts';
import { databaseFile } from '../../src/db/open-database.ts';
import { systemClock } from '../../src/kernel/system-clock.ts';
import {
  absoluteFilesIn,
  type BackupChange,
  changeBackupDatabase,
  demoCitizenCount,
  rewriteManifest,
} from '../support/backups.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

const file = fileCleanupScope();

function folderOf(t: Pick<TestContext, 'after'>): string {
  const folder = makeTestFolder('cs-backup-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const signedIn = (anchor: string) => Number(readFileSync(anchor, 'utf8').split('\n')[1]);

function numberedIn(backup: string): number {
  using copy = new DatabaseSync(join(backup, databaseFile), { readOnly: true });
  return Number(copy.prepare("select size from ledger_head where log = 'main'").get()?.['size']);
}

/** An installation that was backed up under load and has continued since. */
async function backedUp(): Promise<{ readonly home: ServerFixture; readonly backup: string }> {
  const home = await makeServerFixture(file);
  const server = await home.start('demo');
  const headers = { authorization: `Bearer ${await home.fetchAccessToken()}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ citizenId: 'demo-mary', message: 'Your permit is ready.' });
  const send = async () => {
    const { status } = await fetch(`${server.url}/v1/notifications/send`, { method: 'POST', headers, body });
    assert.equal(status, 202);
  };
  for (let sent = 0; sent < 5; sent += 1) await send();
  const anchor = join(home.dataDir, 'ledger-checkpoint');
  await waitUntil(async () => existsSync(anchor));
  const backup = join(folderOf(file), 'backup');
  const making = home.runCommand('backup', 'create', backup);
  let made = false;
  void making.then(() => {
    made = true;
  });
  while (!made) await send();
  const { code, stderr } = await making;
  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /the database, \d+ bytes; 3 documents, \d+ bytes\nThe backup needs root key [0-9a-f]{16} and does not contain it\./,
  );
  // The anchor was copied before the database, which has more numbered events.
  const size = numberedIn(backup);
  await send();
  await waitUntil(async () => signedIn(anchor) > size);
  await server.stop('SIGTERM');
  return { home, backup };
}

const fixture = await backedUp();
const rootKeyPath = join(fixture.home.dataDir, 'root.key');

/** A copy of the backup, and a function that verifies it and checks that no trial folder is left. */
function copyOf(t: TestContext) {
  const [folder, scratch] = [join(folderOf(t), 'copy'), folderOf(t)];
  cpSync(fixture.backup, folder, { recursive: true, preserveTimestamps: true });
  const verify = async (...flags: string[]) => {
    const ran = await runCommandInProcess(fixture.home, 'backup', 'verify', folder, '--scratch', scratch, ...flags);
    assert.deepEqual(readdirSync(scratch), []);
    return ran;
  };
  return { folder, verify };
}

test('a backup of a running server can be restored, and the restored server continues', async (t) => {
  const { folder, verify } = copyOf(t);
  const { code, stdout } = await verify('--json');
  const verdict = JSON.parse(stdout);
  assert.deepEqual([code, verdict.faults], [0, []]);
  assert.deepEqual([verdict.verified, verdict.citizens, verdict.documents], [true, demoCitizenCount, 3]);
  // An anchor is written before its checkpoint is stored: the copy may have been taken between the two.
  assert.ok(numberedIn(folder) >= signedIn(join(folder, 'ledger-checkpoint')));
  assert.ok(absoluteFilesIn(folder).every((path) => (statSync(path).mode & 0o077) === 0));

  const other = await makeServerFixture(t, { settings: { ROOT_KEY_FILE: rootKeyPath } });
  const restored = await other.runCommand('backup', 'restore', folder);
  assert.equal(restored.code, 0, restored.stderr);
  const again = await runCommandInProcess(other, 'backup', 'restore', folder);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /Expected an empty DATA_DIR, but \S+citizen-services\.sqlite exists/);
  const server = await other.start('start');
  const [client] = fixture.home.readDemoFile().clients;
  const headers = { authorization: `Bearer ${await other.fetchAccessToken([], client)}` };
  const [id] = absoluteFilesIn(join(folder, 'documents')).map((path) => basename(path));
  assert.equal((await fetch(`${server.url}/v1/documents/${id}`, { headers })).status, 200);
  // The ledger continues after the backup with the document that was just retrieved.
  await waitUntil(async () => signedIn(join(other.dataDir, 'ledger-checkpoint')) > verdict.entries);
});

type Damage = readonly [title: string, damage: BackupChange, expected: RegExp];

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

const blobOf = (folder: string) => absoluteFilesIn(join(folder, 'documents'))[0] ?? assert.fail();

const damages: readonly Damage[] = [
  [
    'an unfinished backup',
    (folder) => unlinkSync(join(folder, 'backup.json')),
    /is not a complete backup: cannot read backup\.json/,
  ],
  [
    'a manifest with an unknown format',
    (folder) => writeFileSync(join(folder, 'backup.json'), '{"format":1}'),
    /backup\.json has an unknown format/,
  ],
  ['a changed bit of the database', (folder) => flip(join(folder, databaseFile), 50_000), /its digest differs/],
  [
    'damaged pages of the database',
    async (folder, rootKeyPath) => {
      const path = join(folder, databaseFile);
      const bytes = readFileSync(path);
      bytes.fill(0xff, 8 * 4_096, 12 * 4_096);
      writeFileSync(path, bytes);
      await rewriteManifest(folder, rootKeyPath);
    },
    /^database: /m,
  ],
  ['a changed bit of a document', (folder) => flip(blobOf(folder), 60), /document doc_\w+: (bytes|record)-broken/],
  ['a missing document', (folder) => unlinkSync(blobOf(folder)), /document doc_\w+: blob-missing/],
  [
    'more orphaned documents than interrupted uploads leave',
    async (folder, rootKeyPath) => {
      for (let at = 100; at <= 200; at += 1) {
        const stray = join(folder, `documents/sealed/doc_01K9ZXQ7M0E7D8T3VBRN5YH${at}`);
        cpSync(blobOf(folder), stray, { preserveTimestamps: true });
        utimesSync(stray, 1, 1);
      }
      await rewriteManifest(folder, rootKeyPath);
    },
    /101 documents have no row in the database: it may be older/,
  ],
  [
    'a changed entry of the ledger',
    changeBackupDatabase((db) => {
      const { entry } = db.prepare('select entry from ledger_entry where leaf_index = 3').get() ?? {};
      assert.ok(entry instanceof Uint8Array);
      entry[60] = (entry[60] ?? 0) ^ 1;
      db.prepare('update ledger_entry set entry = ? where leaf_index = 3').run(entry);
    }),
    /ledger: /,
  ],
  [
    'a ledger that ends before its anchor',
    async (folder, rootKeyPath) => {
      cpSync(join(fixture.home.dataDir, 'ledger-checkpoint'), join(folder, 'ledger-checkpoint'));
      await rewriteManifest(folder, rootKeyPath);
    },
    /ledger: the ledger has \d+ entries, but \d+ were signed: was an old backup restored\?/,
  ],
  [
    'a changed key of a citizen',
    changeBackupDatabase((db) =>
      db.exec("update citizen_key set wrapped = zeroblob(length(wrapped)) where citizen_id = 'demo-mary'"),
    ),
    /the root key does not open the keys of all citizens/,
  ],
  [
    'a backup of a newer program',
    changeBackupDatabase((db) => db.exec("insert into schema_migration values (9999, 'later', 'x', 1)")),
    /a newer program has migrated this database to 9999/,
  ],
];

for (const [title, damage, expected] of damages) {
  test(`backup verify reports ${title}`, async (t) => {
    const { folder, verify } = copyOf(t);
    await damage(folder, rootKeyPath);
    const { code, stdout, stderr } = await verify();
    assert.equal(code, 1);
    assert.match(`${stdout}${stderr}`, expected);
  });
}

test('backup verify fails without the root key or with another one', async (t) => {
  const { folder } = copyOf(t);
  const other = await makeServerFixture(t);
  const without = await runCommandInProcess(other, 'backup', 'verify', folder);
  assert.equal(without.code, 1);
  assert.match(without.stderr, /root key/);
  await runCommandInProcess(other, 'keys', 'create');
  const wrong = await runCommandInProcess(other, 'backup', 'verify', folder);
  assert.equal(wrong.code, 1);
  assert.match(`${wrong.stdout}${wrong.stderr}`, /root key/);
});

const erasing =
  "update document set status = 'erased', sealed_record = null, erased_at = 1, erasure_event = 'x' where id = ?";

test('a document erased during a backup is listed as erased, and a lost one is reported', async (t) => {
  const place = folderOf(t);
  const [dataDir, target] = [join(place, 'data'), join(place, 'made')];
  mkdirSync(dataDir);
  for (const name of [databaseFile, 'ledger-checkpoint']) cpSync(join(fixture.backup, name), join(dataDir, name));
  cpSync(join(fixture.backup, 'documents'), join(dataDir, 'documents'), { recursive: true, preserveTimestamps: true });
  const gone: string[] = [];
  const made = await createBackup(readSettings({ DATA_DIR: dataDir }), {
    folder: target,
    earlier: undefined,
    rootKeyPath,
    clock: systemClock,
    onProgress: (at) => {
      // The database and one document are already copied.
      if (at === 'the database' || at.count !== 1) return;
      const copied = new Set(absoluteFilesIn(join(target, 'documents')).map((path) => basename(path)));
      for (const path of absoluteFilesIn(join(dataDir, 'documents'))) {
        if (copied.has(basename(path))) continue;
        gone.push(basename(path));
        unlinkSync(path);
      }
      using db = new DatabaseSync(join(dataDir, databaseFile));
      db.prepare(erasing).run(gone[0] ?? '');
    },
  });
  assert.deepEqual([made.erasedMeanwhile, made.missing, made.documents?.count], [[gone[0]], [gone[1]], 1]);
  const { stdout } = await runCommandInProcess(fixture.home, 'backup', 'verify', target);
  assert.match(stdout, new RegExp(`^document ${gone[1]}: blob-missing: .*\n$`));
});

test('backup create links the files of an earlier backup, and refuses a folder that is not a backup', async (t) => {
  const { folder } = copyOf(t);
  const { home } = fixture;
  const second = `${folder}-2`;
  assert.equal((await runCommandInProcess(home, 'backup', 'create', second, '--since', folder)).code, 0);
  assert.ok(absoluteFilesIn(join(second, 'documents')).every((path) => statSync(path).nlink === 2));
  const taken = await runCommandInProcess(home, 'backup', 'create', second);
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /Expected a new or empty folder, but \S+ has content/);
  const within = await runCommandInProcess(home, 'backup', 'create', join(home.dataDir, 'documents', 'b'));
  assert.equal(within.code, 2);
  assert.match(within.stderr, /outside DOCUMENT_STORE, received one inside it/);
  const sealed = join(home.dataDir, 'documents', 'sealed');
  symlinkSync(sealed, `${folder}-link`);
  for (const path of [join(`${folder}-link`, 'b'), join(`${folder}-link`, 'b', 'c')]) {
    const linked = await runCommandInProcess(home, 'backup', 'create', path);
    assert.equal(linked.code, 2, linked.stderr);
    assert.match(linked.stderr, /outside DOCUMENT_STORE, received one inside it/);
  }
  assert.equal(existsSync(join(sealed, 'b')), false);
  const since = await runCommandInProcess(home, 'backup', 'create', `${folder}-3`, '--since', home.dataDir);
  assert.equal(since.code, 1);
  assert.match(since.stderr, /is not a complete backup/);
  assert.equal(existsSync(`${folder}-3`), false);
});

test('with PostgreSQL, backup create refers to the PostgreSQL tools and creates nothing', async (t) => {
  const home = await makeServerFixture(t, { settings: { DATABASE_URL: 'postgres://u:p@localhost/none' } });
  const folder = join(home.dataDir, 'b');
  const { code, stderr } = await runCommandInProcess(home, 'backup', 'create', folder);
  assert.match(stderr, /DATABASE_URL is a PostgreSQL database\. Use pg_dump or pg_basebackup/);
  assert.deepEqual([code, existsSync(folder)], [1, false]);
});
