import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { createClamdProbes } from '../../src/documents/scan/clamd-probes.ts';
import { isClamdInstalled, startClamd, startFakeClamd } from '../support/clamd.ts';
import { type DoctorFinding, fingerprintFiles, runDoctor, testPassword } from '../support/doctor.ts';
import { freePort } from '../support/free-port.ts';
import { fetchOnce } from '../support/http-client.ts';
import { startPostgres } from '../support/postgres-databases.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { startS3Server } from '../support/s3-server.ts';
import { makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { startScriptedSmtpServer } from '../support/smtp-server.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// Runs `doctor` for a complete installation with real services.

/** Starts every service that a server uses, and returns the settings for them. */
async function startServices(t: TestContext): Promise<Record<string, string>> {
  const relay = await startScriptedSmtpServer(t, ['AUTH PLAIN']);
  const folder = makeTestFolder('cs-letters-');
  const { bucket, region, endpoint = '', accessKeyId } = await startS3Server(t);
  const clamd = isClamdInstalled
    ? await startClamd(t, ['AlertEncrypted yes', 'AlertExceedsMax yes'])
    : await startLikeClamd(t);
  return {
    SMTP_URL: `smtp://u:${testPassword}@127.0.0.1:${relay.port}`,
    LETTER_SPOOL: folder,
    DOCUMENT_STORE: `s3://${bucket}/documents?region=${region}&endpoint=${endpoint}`,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: testPassword,
    SMS_URL: `${endpoint}/send?key=${testPassword}`,
    CLAMAV: `unix:${clamd}`,
  };
}

function startLikeClamd(t: TestContext): Promise<string> {
  const probes = createClamdProbes();
  return startFakeClamd(t, (command, stream) => {
    if (command === 'zVERSION') return 'ClamAV 1.4.6\0';
    return probes.some(({ bytes }) => bytes.equals(stream)) ? 'stream: Heuristics.X FOUND\0' : 'stream: OK\0';
  });
}

/** A digest of every row of a PostgreSQL database. */
async function rowsIn(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "select string_agg(format('select ''%s'' as name, md5(string_agg(t::text, '','' order by t::text)) from %I t', tablename, tablename), ' union all ') as all from pg_tables where schemaname = 'public'",
  );
  const all = await client.query(`${rows[0].all} order by name`);
  await client.end();
  assert.ok(all.rows.length > 30);
  return JSON.stringify(all.rows);
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: doctor reports no fault for a healthy installation, with and without a running server, and writes nothing`, async (t) => {
    const services = await startServices(t);
    // With the defaults of PostgreSQL instead of the faster settings of other tests.
    const server = engine === 'postgres' ? await startPostgres({ durable: true }) : undefined;
    t.after(() => server?.stop());
    const database: Record<string, string> = server === undefined ? {} : { DATABASE_URL: server.url };
    const { DOCUMENT_STORE = '', S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = services;
    const documents = { DOCUMENT_STORE, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY };
    const home = await makeServerFixture(t, { settings: { ...database, ...documents } });
    const settings = {
      DATA_DIR: home.dataDir,
      PORT: String(home.port),
      PUBLIC_URL: home.url,
      ...database,
      ...services,
    };
    const running = await home.start('demo');
    const whileRunning = await runDoctor(settings);
    assert.deepEqual([whileRunning.failures(), whileRunning.code], [[], 0]);
    if (engine === 'sqlite')
      assert.match(whileRunning.ofCheck('database')[0]?.found ?? '', new RegExp(`, open in process ${running.pid}$`));
    assert.equal((await runCommandInProcess(home, 'clients', 'list')).code, 0);
    assert.equal((await fetchOnce(`${home.url}/readyz`)).status, 200);
    assert.deepEqual(await running.stop('SIGTERM'), { code: 0, signal: null });
    const before = [fingerprintFiles(home.dataDir), server === undefined ? '' : await rowsIn(server.url)];
    const whileStopped = await runDoctor(settings);
    assert.deepEqual([whileStopped.failures(), whileStopped.code], [[], 0]);
    assert.deepEqual([fingerprintFiles(home.dataDir), server === undefined ? '' : await rowsIn(server.url)], before);
    for (const name of ['settings', 'data-dir', 'root-key', 'database', 'clock', 'signing-keys', 'register', 'clients'])
      assert.equal(whileStopped.ofCheck(name).length, 1, name);
    for (const name of ['ledger', 'queues', 'documents', 'scanner', 'mail', 'sms', 'letters', 'public-url'])
      assert.equal(whileStopped.ofCheck(name).length, 1, name);
  });
}

async function doctorWithoutChanges(home: ServerFixture) {
  const before = fingerprintFiles(home.dataDir);
  const ran = await home.runCommand('doctor');
  assert.deepEqual(fingerprintFiles(home.dataDir), before);
  return ran;
}

test('doctor reports missing parts before the first start and creates nothing, and it only warns after `keys create`', async (t) => {
  const home = await makeServerFixture(t, { settings: { PORT: String(await freePort()) } });
  const first = await doctorWithoutChanges(home);
  assert.equal(first.code, 1);
  assert.match(first.stdout, /^FAULT {2}root-key +no root key at .* -> Restore .* run "citizen-services keys create"/m);
  assert.match(first.stdout, /^warn {3}database +no database in .* yet -> run `citizen-services keys create`/m);
  assert.match(first.stderr, /^\d+ ok, \d+ warnings, 1 fault\n$/);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const second = await doctorWithoutChanges(home);
  assert.equal(second.code, 0, second.stdout);
  assert.match(second.stdout, /^warn {3}register +no citizens -> /m);
  assert.match(second.stdout, /^warn {3}clients +no active client -> /m);
  assert.match(second.stdout, /^ok {5}ledger +empty: the first start creates it$/m);
  for (const line of second.stdout.trim().split('\n')) assert.match(line, /^(?:ok|warn|FAULT) +[a-z-]+ {2,}\S/);
});

test('wrong usage of doctor gives exit code 2 and checks nothing', async (t) => {
  const home = await makeServerFixture(t);
  const before = fingerprintFiles(home.dataDir);
  for (const args of [['--jsn'], ['now'], ['--json=1'], ['--json', 'x']]) {
    const { code, stdout, stderr } = await runCommandInProcess(home, 'doctor', ...args);
    assert.deepEqual([code, stdout], [2, ''], args.join());
    assert.match(stderr, /\nUsage: citizen-services doctor \[--json\]\n$/);
  }
  assert.deepEqual(fingerprintFiles(home.dataDir), before);
});

/** Runs `doctor` as a user that is not root: root can read and write everything. */
function doctorAsOtherUser(dataDir: string, port: number) {
  const result = spawnSync(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), 'doctor', '--json'], {
    env: { DATA_DIR: dataDir, PORT: String(port), CLAMAV: 'off' },
    cwd: '/',
    encoding: 'utf8',
    ...(isRoot ? { uid: other, gid: other } : {}),
  });
  const { checks } = JSON.parse(result.stdout) as { readonly checks: readonly DoctorFinding[] };
  return { code: result.status, faults: checks.filter(({ status }) => status === 'fault') };
}

const isRoot = process.getuid?.() === 0;
const other = 65_534;

test('doctor reports faults to a user who cannot read the data folder, and each check ends', async (t) => {
  const home = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  // Root can read everything: then another user runs it.
  if (!isRoot) chmodSync(home.dataDir, 0);
  const { code, faults } = doctorAsOtherUser(home.dataDir, home.port);
  chmodSync(home.dataDir, 0o700);
  assert.equal(code, 1);
  assert.deepEqual(
    faults.map(({ name }) => name),
    ['data-dir', 'root-key', 'database', 'documents'],
  );
  assert.match(faults[0]?.found ?? '', /^this user \(\d+\) cannot write in /);
});

test('a folder in the document store that belongs to another user is a fault', async (t) => {
  const home = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const documents = join(home.dataDir, 'documents');
  for (const name of ['incoming', 'sealed']) mkdirSync(join(documents, name), { recursive: true });
  const paths = ['', ...readdirSync(home.dataDir, { recursive: true, encoding: 'utf8' })];
  if (isRoot) for (const path of paths) chownSync(join(home.dataDir, path), other, other);
  for (const name of ['incoming', 'sealed']) {
    const notWritable = join(documents, name);
    if (isRoot) chownSync(notWritable, 0, 0);
    chmodSync(notWritable, isRoot ? 0o755 : 0o500);
    const { code, faults } = doctorAsOtherUser(home.dataDir, home.port);
    if (isRoot) chownSync(notWritable, other, other);
    chmodSync(notWritable, 0o700);
    assert.equal(code, 1);
    assert.deepEqual(
      faults.map(({ name: check }) => check),
      ['documents'],
    );
    assert.match(
      faults[0]?.found ?? '',
      new RegExp(`^this user \\(\\d+\\) cannot write in ${notWritable} \\(EACCES\\)$`),
    );
  }
});
