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
import { fileCleanupScope, makeServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { runDemoOnce } from '../support/wait-for-ledger.ts';

// Each fault of an installation on SQLite, made for real on a copy of one that is well: what `doctor` says of it, and that
// it says it of nothing else.

let well = '';
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
  well = copyDataDir(thisFile, home.dataDir);
  assert.ok(sizeOfLog(well) > sizeOfLog(older), 'the second start has left entries');
});

function sizeOfLog(dataDir: string): number {
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

const spoilt = doctorOnDamagedCopy(() => well);

const sql = (text: string) => (dataDir: string) => inDatabase(dataDir, (db) => db.exec(text));

/** One fault or warning, its words, and what it says to do. */
type Wanted = readonly [name: string, status: 'warn' | 'fault', found: RegExp, fix: RegExp];

const cases: readonly (readonly [
  claim: string,
  spoil: (dataDir: string) => unknown,
  settings: Readonly<Record<string, string>>,
  wanted: Wanted,
])[] = [
  [
    'a root key that others can read',
    (dataDir) => chmodSync(join(dataDir, 'root.key'), 0o644),
    {},
    ['root-key', 'fault', /root\.key has mode 644: others can read it$/, /^Run: chmod 600 \S+root\.key \(see /],
  ],
  [
    'a root key that is none',
    (dataDir) => writeFileSync(join(dataDir, 'root.key'), 'short\n'),
    {},
    ['root-key', 'fault', /holds no root key: expected 32 bytes in base64$/, /^Restore it from your copy \(see /],
  ],
  [
    'a rotation that was not finished',
    (dataDir) => appendFileSync(join(dataDir, 'root.key'), `previous ${Buffer.alloc(32, 9).toString('base64')}\n`),
    {},
    ['root-key', 'warn', /a rotation was begun and is not finished$/, /rotate-root --finish/],
  ],
  [
    'the root key of another installation',
    (dataDir) => writeFileSync(join(dataDir, 'root.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`),
    {},
    ['signing-keys', 'fault', /^a key is wrapped by root key \w+, and this server has root key/, /operating\.md/],
  ],
  [
    'a database of a newer program',
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
    'a file that is no database',
    (dataDir) => writeFileSync(join(dataDir, databaseFile), 'x'.repeat(5_000)),
    {},
    ['database', 'fault', /citizen-services\.sqlite: file is not a database$/, /^restore the newest backup$/],
  ],
  [
    'a page of the database that is damaged, where no check reads',
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
    'signing keys that are gone',
    sql("delete from signing_key where use = 'result'"),
    {},
    ['signing-keys', 'fault', /^no key for result$/, /keys create/],
  ],
  [
    'a folder that others can look into',
    (dataDir) => chmodSync(dataDir, 0o750),
    {},
    ['data-dir', 'warn', /has mode 750: others can look into it$/, /^chmod 700 /],
  ],
  [
    'nobody in the register',
    sql('pragma foreign_keys = off; delete from citizen'),
    {},
    ['register', 'warn', /^nobody is in it$/, /import citizens FILE/],
  ],
  [
    'no client that can call',
    sql('update client set disabled_at = 1'),
    {},
    ['clients', 'warn', /^there is none: nobody can call$/, /clients create/],
  ],
  [
    'a client by an issuer that is not trusted',
    sql(
      "update client set secret_hash = null, issuer = 'https://a.example' where client_id = (select min(client_id) from client)",
    ),
    {},
    ['clients', 'warn', /^not let in by these settings, by the tokens of their issuer: \S+$/, /TRUSTED_ISSUERS/],
  ],
  [
    'clients by certificate, where none is asked for',
    sql("update client set binding = 'mtls'"),
    {},
    ['clients', 'warn', /^not let in by these settings, by certificate: \S+, \S+, \S+$/, /TLS_CLIENT_CERTIFICATES/],
  ],
  [
    'an old backup of the database beside what was signed since',
    (dataDir) => cpSync(join(older, databaseFile), join(dataDir, databaseFile)),
    {},
    [
      'ledger',
      'fault',
      /^the ledger has \d+ entries, and \d+ were signed: was an old backup restored\?$/,
      /Nothing more/,
    ],
  ],
  [
    'a tile of the ledger that was changed',
    sql('update ledger_tile set hashes = zeroblob(length(hashes))'),
    {},
    ['ledger', 'fault', /^the stored tiles of size \d+ do not give the root of the head$/, /docs\/ledger\.md#broken/],
  ],
  [
    'an anchor that is none',
    (dataDir) => writeFileSync(join(dataDir, 'ledger-checkpoint'), 'nothing'),
    {},
    ['ledger', 'fault', /ledger-checkpoint holds no checkpoint/, /docs\/ledger\.md#broken/],
  ],
  [
    'events that wait where no server runs',
    sql(
      "insert into ledger_event (id, at, type, content) values ('evt_01K9ZXQ7M0E7D8T3VBRN5YHC42', unixepoch() * 1000 - 60000, 'x', x'00')",
    ),
    {},
    ['ledger', 'warn', /^\d events wait for their number, the first for \d+ s$/, /start/],
  ],
  [
    'events that wait although somebody leads',
    sql(
      "insert into ledger_event (id, at, type, content) values ('evt_01K9ZXQ7M0E7D8T3VBRN5YHC42', 1000, 'x', x'00'); update lease set holder = 'req_1'",
    ),
    {},
    ['ledger', 'fault', /^\d events wait for their number/, /role sequencer/],
  ],
  [
    'mail that nobody sends',
    sql("update delivery set status = 'queued', run_at = 1000 where channel = 'email'"),
    {},
    ['queues', 'warn', /^email: \d+ due, the first for \d+ days$/, /start/],
  ],
  [
    'calls of webhooks that were given up',
    sql(
      `insert into webhook (id, client_id, url, status, secret, created_at) values ('whk_1', 'c', 'u', 'active', x'00', 1);
        insert into webhook_call (webhook_id, event_id, status, attempts, run_at) select 'whk_1', id, 'dead', 9, 1 from feed_event limit 2`,
    ),
    {},
    ['webhooks', 'warn', /^2 calls of whk_1 were given up$/, /webhooks redeliver ID/],
  ],
  [
    'a clock that is behind the stored time',
    sql('update clock_seen set seen_at = seen_at + 86400000'),
    {},
    ['clock', 'warn', /^the clock is \d+ h behind where a server saw it last$/, /NTP/],
  ],
  [
    'a clock that jumped ahead after the last server ran',
    sql('update clock_seen set seen_at = seen_at - 3 * 86400000'),
    {},
    ['clock', 'warn', /^the clock jumped ahead .*: deletion is paused for a day$/, /clock confirm/],
  ],
  [
    'a policy that nobody knows',
    () => undefined,
    { VERIFY_POLICY: 'mine' },
    ['register', 'fault', /^VERIFY_POLICY: expected one of/, /settings\.md/],
  ],
  [
    'no scanner',
    () => undefined,
    { CLAMAV: '' },
    ['scanner', 'warn', /^none: deposited documents wait in `scanning`$/, /^set CLAMAV/],
  ],
  [
    'no relay',
    () => undefined,
    { SMTP_URL: '' },
    ['mail', 'warn', /^no relay: messages by mail fail$/, /^set SMTP_URL$/],
  ],
  [
    'an address that is not https',
    () => undefined,
    { PUBLIC_URL: 'http://services.example.gov' },
    ['public-url', 'warn', /^http:\/\/services\.example\.gov: .* in clear$/, /https/],
  ],
  [
    'a sender that is nobody',
    () => undefined,
    { MAIL_FROM: '' },
    ['settings', 'warn', /^mail is sent from no-reply@localhost, which relays refuse$/, /^set MAIL_FROM/],
  ],
  [
    'invented citizens',
    () => undefined,
    { SIMULATORS: 'true' },
    ['settings', 'warn', /^SIMULATORS is true, which is for a sandbox alone$/, /^leave SIMULATORS out/],
  ],
  [
    'a year without holidays',
    () => undefined,
    { HOLIDAYS: '2020-01-01' },
    ['settings', 'warn', /^HOLIDAYS has no day of \d{4}/, /^add the days of this year/],
  ],
  [
    'no address for callers',
    () => undefined,
    { PUBLIC_URL: '' },
    ['public-url', 'warn', /^not set: tokens and links name http:\/\/127\.0\.0\.1:\d+$/, /^set PUBLIC_URL/],
  ],
];

for (const [claim, spoil, settings, [name, status, found, fix]] of cases) {
  test(`${claim}: ${status === 'fault' ? 'a fault' : 'a warning'} of ${name}, and of nothing else`, async (t) => {
    const { failures, code } = await spoilt(t, spoil, settings);
    const [said, ...others] = failures();
    assert.deepEqual([said?.name, said?.status, others, code], [name, status, [], status === 'fault' ? 1 : 0]);
    assert.match(said?.found ?? '', found);
    assert.match(said?.fix ?? '', fix);
  });
}

test('a database of an earlier version is told, with what to do before the start, and what lies in it is left', async (t) => {
  // A program without any migration.
  const folder = makeTestFolder('cs-earlier-');
  t.after(() => rmSync(folder, { recursive: true }));
  const { ofCheck, failures, code } = await spoilt(t, async (dataDir) => {
    rmSync(join(dataDir, databaseFile));
    const db = await openSqlite(join(dataDir, databaseFile), { random: systemRandom });
    await migrate(db, systemClock, { folder });
    await db.close();
  });
  assert.deepEqual([failures().length, code, ofCheck('signing-keys')], [1, 0, []]);
  const [said] = ofCheck('database');
  assert.match(said?.found ?? '', /, of an earlier version: the next start applies 0001-initial\.sql/);
  assert.match(said?.fix ?? '', /^make a backup before/);
});
