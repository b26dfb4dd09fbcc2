import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { databaseFile } from '../../src/db/open-database.ts';
import { openSqlite } from '../../src/db/sqlite/open-sqlite.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { copyDataDir, doctorOnDamagedCopy } from '../support/doctor.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, makeServerFixture, runDemoOnce } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// Each test damages a copy of a healthy SQLite installation: `doctor` reports that fault and no other.

let healthy = '';
let older = '';

const thisFile = fileCleanupScope();
before(async () => {
  const home = await makeServerFixture(thisFile);
  await runDemoOnce(home);
  older = copyDataDir(thisFile, home.dataDir);
  assert.equal(
    (await runCommandInProcess(home, 'clients', 'create', 'More', '--scopes', 'identity:verify', '--secret')).code,
    0,
  );
  await runDemoOnce(home);
  healthy = copyDataDir(thisFile, home.dataDir);
  assert.ok(ledgerSizeOf(healthy) > ledgerSizeOf(older), 'the second start added entries');
});

function ledgerSizeOf(dataDir: string): number {
  return inDatabase(dataDir, (db) => Number(db.prepare('select size from ledger_head').get()?.['size']));
}

function inDatabase<T>(dataDir: string, use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(dataDir, databaseFile));
  try {
    return use(db);
  } finally {
    db.close();
  }
}

const doctorAfter = doctorOnDamagedCopy(() => healthy);

const sql = (text: string) => (dataDir: string) => inDatabase(dataDir, (db) => db.exec(text));

/** The only finding that is not ok. */
type ExpectedFinding = readonly [name: string, status: 'warn' | 'fault', found: RegExp, fix: RegExp];

const cases: readonly (readonly [
  title: string,
  damage: (dataDir: string) => unknown,
  settings: Readonly<Record<string, string>>,
  expected: ExpectedFinding,
])[] = [
  [
    'a root key file that other users can read',
    (dataDir) => chmodSync(join(dataDir, 'root.key'), 0o644),
    {},
    ['root-key', 'fault', /root\.key has mode 644: others can read it$/, /^Run: chmod 600 \S+root\.key \(see /],
  ],
  [
    'a root key file without a root key',
    (dataDir) => writeFileSync(join(dataDir, 'root.key'), 'short\n'),
    {},
    ['root-key', 'fault', /holds no root key: expected 32 bytes in base64$/, /^Restore it from your copy \(see /],
  ],
  [
    'a rotation of the root key that is not finished',
    (dataDir) => appendFileSync(join(dataDir, 'root.key'), `previous ${Buffer.alloc(32, 9).toString('base64')}\n`),
    {},
    ['root-key', 'warn', /a rotation is not finished$/, /rotate root --finish/],
  ],
  [
    'the root key of another installation',
    (dataDir) => writeFileSync(join(dataDir, 'root.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`),
    {},
    ['signing-keys', 'fault', /^a key is wrapped by root key \w+, and this server has root key/, /operate\/keys\.md/],
  ],
  [
    'a database that a newer program migrated',
    sql("insert into schema_migration (number, name, checksum, applied_at) values (9999, 'new', 'x', 0)"),
    {},
    ['database', 'fault', /^a newer program has migrated this database to 9999/, /^start the newer program, or/],
  ],
  [
    'a migration that was changed after its release',
    sql("update schema_migration set checksum = 'other' where number = 1"),
    {},
    ['database', 'fault', /^migration 0001-initial\.sql was changed after it was applied/, /^bring the file back/],
  ],
  [
    'a file that is not a database',
    (dataDir) => writeFileSync(join(dataDir, databaseFile), 'x'.repeat(5_000)),
    {},
    ['database', 'fault', /citizen-services\.sqlite: file is not a database$/, /^restore the newest backup$/],
  ],
  [
    'a damaged page of the database that no check reads',
    (dataDir) => {
      const page = inDatabase(dataDir, (db) =>
        Number(db.prepare("select rootpage from sqlite_master where name = 'document_hold'").get()?.['rootpage']),
      );
      const path = join(dataDir, databaseFile);
      writeFileSync(path, readFileSync(path).fill(0xff, (page - 1) * 4_096, page * 4_096));
    },
    {},
    ['database', 'fault', /^the file is damaged: .*page/s, /^restore the newest backup$/],
  ],
  [
    'missing signing keys',
    sql("delete from signing_key where use = 'result'"),
    {},
    ['signing-keys', 'fault', /^no key for result$/, /keys create/],
  ],
  [
    'a data folder that other users can open',
    (dataDir) => chmodSync(dataDir, 0o750),
    {},
    ['data-dir', 'warn', /has mode 750: other users can open it$/, /^chmod 700 /],
  ],
  [
    'a register without citizens',
    sql('pragma foreign_keys = off; delete from citizen'),
    {},
    ['register', 'warn', /^no citizens$/, /citizens import FILE/],
  ],
  [
    'no active client',
    sql('update client set disabled_at = 1'),
    {},
    ['clients', 'warn', /^no active client$/, /clients create/],
  ],
  [
    'an old backup of the database with a newer signed checkpoint',
    (dataDir) => cpSync(join(older, databaseFile), join(dataDir, databaseFile)),
    {},
    [
      'ledger',
      'fault',
      /^the ledger has \d+ entries, but \d+ were signed: was an old backup restored\?$/,
      /signs nothing more/,
    ],
  ],
  [
    'a changed tile of the ledger',
    sql('update ledger_tile set hashes = zeroblob(length(hashes))'),
    {},
    [
      'ledger',
      'fault',
      /^the stored tiles of size \d+ do not have the root hash of the head$/,
      /docs\/security\/ledger\.md#broken/,
    ],
  ],
  [
    'a checkpoint file without a checkpoint',
    (dataDir) => writeFileSync(join(dataDir, 'ledger-checkpoint'), 'nothing'),
    {},
    ['ledger', 'fault', /ledger-checkpoint has no checkpoint/, /docs\/security\/ledger\.md#broken/],
  ],
  [
    'waiting events while no server runs',
    sql(
      "insert into ledger_event (id, at, type, content) values ('evt_01K9ZXQ7M0E7D8T3VBRN5YHC42', unixepoch() * 1000 - 60000, 'x', x'00')",
    ),
    {},
    ['ledger', 'warn', /^\d events wait for their number, the oldest for \d+ s$/, /start/],
  ],
  [
    'waiting events although a sequencer holds the lease',
    sql(
      "insert into ledger_event (id, at, type, content) values ('evt_01K9ZXQ7M0E7D8T3VBRN5YHC42', 1000, 'x', x'00'); update lease set holder = 'req_1'",
    ),
    {},
    ['ledger', 'fault', /^\d events wait for their number/, /role sequencer/],
  ],
  [
    'overdue mail',
    sql("update delivery set status = 'queued', run_at = 1000 where channel = 'email'"),
    {},
    ['queues', 'warn', /^email: \d+ due, the oldest for \d+ days$/, /start/],
  ],
  [
    'a clock that is earlier than the recorded time',
    sql('update clock_seen set seen_at = seen_at + 86400000'),
    {},
    ['clock', 'warn', /^the clock is \d+ h earlier than the time of the last server$/, /NTP/],
  ],
  [
    'a clock that is days ahead of the recorded time',
    sql('update clock_seen set seen_at = seen_at - 3 * 86400000'),
    {},
    ['clock', 'warn', /^the clock jumped ahead .*: deletion is paused for a day$/, /clock confirm/],
  ],
  [
    'an unknown policy',
    () => undefined,
    { VERIFY_POLICY: 'mine' },
    ['register', 'fault', /^VERIFY_POLICY: expected one of/, /settings\.md/],
  ],
  [
    'no scanner',
    () => undefined,
    { CLAMAV: '' },
    ['scanner', 'warn', /^not set: deposited documents stay in `scanning`$/, /^set CLAMAV/],
  ],
  [
    'no relay',
    () => undefined,
    { SMTP_URL: '' },
    ['mail', 'warn', /^no relay: messages by email fail$/, /^set SMTP_URL$/],
  ],
  [
    'a public address that is not https',
    () => undefined,
    { PUBLIC_URL: 'http://services.example.gov' },
    ['public-url', 'warn', /^http:\/\/services\.example\.gov: .* unencrypted$/, /https/],
  ],
  [
    'a mail sender without a domain',
    () => undefined,
    { MAIL_FROM: '' },
    ['settings', 'warn', /^mail is sent from no-reply@localhost, which relays refuse$/, /^set MAIL_FROM/],
  ],
  [
    'simulators in production',
    () => undefined,
    { SIMULATORS: 'true' },
    ['settings', 'warn', /^SIMULATORS is true, which is only for a sandbox$/, /^remove SIMULATORS/],
  ],
  [
    'a year without holidays',
    () => undefined,
    { HOLIDAYS: '2020-01-01' },
    ['settings', 'warn', /^HOLIDAYS has no day of \d{4}/, /^add the holidays of this year/],
  ],
  [
    'no address for callers',
    () => undefined,
    { PUBLIC_URL: '' },
    ['public-url', 'warn', /^not set: tokens and links contain http:\/\/127\.0\.0\.1:\d+$/, /^set PUBLIC_URL/],
  ],
];

for (const [title, damage, settings, [name, status, found, fix]] of cases) {
  test(`${title}: only ${name} reports a ${status === 'fault' ? 'fault' : 'warning'}`, async (t) => {
    const { failures, code } = await doctorAfter(t, damage, settings);
    const [finding, ...others] = failures();
    assert.deepEqual([finding?.name, finding?.status, others, code], [name, status, [], status === 'fault' ? 1 : 0]);
    assert.match(finding?.found ?? '', found);
    assert.match(finding?.fix ?? '', fix);
  });
}

test('a database of an earlier version is a warning, and its content is not checked', async (t) => {
  // An earlier program without migrations.
  const folder = makeTestFolder('cs-earlier-');
  t.after(() => rmSync(folder, { recursive: true }));
  const { ofCheck, failures, code } = await doctorAfter(t, async (dataDir) => {
    rmSync(join(dataDir, databaseFile));
    const db = await openSqlite(join(dataDir, databaseFile), { random: systemRandom });
    await migrate(db, systemClock, { folder });
    await db.close();
  });
  assert.deepEqual([failures().length, code, ofCheck('signing-keys')], [1, 0, []]);
  const [finding] = ofCheck('database');
  assert.match(finding?.found ?? '', /, from an earlier version: the next start applies 0001-initial\.sql/);
  assert.match(finding?.fix ?? '', /^create a backup first/);
});
