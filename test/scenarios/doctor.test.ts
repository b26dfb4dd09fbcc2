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
import { startPostgres } from '../support/postgres-server.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { startS3Server } from '../support/s3-server.ts';
import { startScriptedSmtpServer } from '../support/scripted-smtp-server.ts';
import { makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// `doctor` as an operator runs it: over the whole of an installation, with real parts.

/** Everything that a server speaks to, well, and the settings that name it. */
async function surroundings(t: TestContext): Promise<Record<string, string>> {
  const relay = await startScriptedSmtpServer(t, ['AUTH PLAIN']);
  const folder = makeTestFolder('cs-letters-');
  const { bucket, region, endpoint = '', accessKeyId } = await startS3Server(t);
  const clamd = isClamdInstalled
    ? await startClamd(t, ['AlertEncrypted yes', 'AlertExceedsMax yes'])
    : await likeClamd(t);
  return {
    SMTP_URL: `smtp://u:${testPassword}@127.0.0.1:${relay.port}`,
    LETTER_SPOOL: folder,
    DOCUMENT_STORE: `s3://${bucket}/house?region=${region}&endpoint=${endpoint}`,
    ...{ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: testPassword },
    SMS_URL: `${endpoint}/send?key=${testPassword}`,
    CLAMAV: `unix:${clamd}`,
  };
}

function likeClamd(t: TestContext): Promise<string> {
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
  test(`${engine}: an installation that is well is all ok, with and without its server, and nothing is written`, async (t) => {
    const outside = await surroundings(t);
    // With what PostgreSQL does by default, and not as quick as it is for other tests.
    const server = engine === 'postgres' ? await startPostgres({ durable: true }) : undefined;
    t.after(() => server?.stop());
    const database: Record<string, string> = server === undefined ? {} : { DATABASE_URL: server.url };
    const { DOCUMENT_STORE = '', S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = outside;
    const documents = { DOCUMENT_STORE, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY };
    const home = await makeServerFixture(t, { settings: { ...database, ...documents } });
    const settings = {
      ...{ DATA_DIR: home.dataDir, PORT: String(home.port), PUBLIC_URL: home.url },
      ...database,
      ...outside,
    };
    const running = await home.start('demo');
    const beside = await runDoctor(settings);
    assert.deepEqual([beside.failures(), beside.code], [[], 0]);
    assert.match(beside.ofCheck('public-url')[0]?.found ?? '', /is answered by this installation$/);
    if (engine === 'sqlite')
      assert.match(beside.ofCheck('database')[0]?.found ?? '', new RegExp(`, process ${running.pid} has it open$`));
    assert.equal((await runCommandInProcess(home, 'clients', 'list')).code, 0);
    assert.equal((await fetch(`${home.url}/readyz`)).status, 200);
    assert.deepEqual(await running.stop('SIGTERM'), { code: 0, signal: null });
    const before = [fingerprintFiles(home.dataDir), server === undefined ? '' : await rowsIn(server.url)];
    const alone = await runDoctor(settings);
    assert.deepEqual([alone.failures(), alone.code], [[], 0]);
    assert.deepEqual([fingerprintFiles(home.dataDir), server === undefined ? '' : await rowsIn(server.url)], before);
    for (const name of ['settings', 'data-dir', 'root-key', 'database', 'clock', 'signing-keys', 'register', 'clients'])
      assert.equal(alone.ofCheck(name).length, 1, name);
    for (const name of ['ledger', 'queues', 'documents', 'scanner', 'mail', 'sms', 'letters', 'public-url'])
      assert.equal(alone.ofCheck(name).length, 1, name);
  });
}

async function untouched(home: ServerFixture) {
  const before = fingerprintFiles(home.dataDir);
  const ran = await home.runCommand('doctor');
  assert.deepEqual(fingerprintFiles(home.dataDir), before);
  return ran;
}

test('before the first start it says what is missing, makes nothing of it, and behind `keys create` only warns', async (t) => {
  const home = await makeServerFixture(t, { settings: { PORT: String(await freePort()) } });
  const first = await untouched(home);
  assert.equal(first.code, 1);
  assert.match(first.stdout, /^FAULT {2}root-key +no root key at .* -> Make one with: citizen-services keys create/m);
  assert.match(first.stdout, /^warn {3}database +no database in .* yet -> `citizen-services keys create`/m);
  assert.match(first.stderr, /^\d+ ok, \d+ warnings, 1 faults\n$/);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const second = await untouched(home);
  assert.equal(second.code, 0, second.stdout);
  assert.match(second.stdout, /^warn {3}register +nobody is in it -> /m);
  assert.match(second.stdout, /^warn {3}clients +there is none: nobody can call -> /m);
  assert.match(second.stdout, /^ok {5}ledger +not begun: the first start does$/m);
  for (const line of second.stdout.trim().split('\n')) assert.match(line, /^(?:ok|warn|FAULT) +[a-z-]+ {2,}\S/);
});

test('wrong usage is 2 and looks at nothing', async (t) => {
  const home = await makeServerFixture(t);
  const before = fingerprintFiles(home.dataDir);
  for (const args of [['--jsn'], ['now'], ['--json=1'], ['--json', 'x']]) {
    const { code, stdout, stderr } = await runCommandInProcess(home, 'doctor', ...args);
    assert.deepEqual([code, stdout], [2, ''], args.join());
    assert.match(stderr, /\nUsage: citizen-services doctor \[--json\]\n$/);
  }
  assert.deepEqual(fingerprintFiles(home.dataDir), before);
});

/** What another user than root is told of that folder; root may do everything. */
function askAsOther(dataDir: string, port: number) {
  const asked = spawnSync(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), 'doctor', '--json'], {
    env: { DATA_DIR: dataDir, PORT: String(port), CLAMAV: 'off' },
    cwd: '/',
    encoding: 'utf8',
    ...(isRoot ? { uid: other, gid: other } : {}),
  });
  const { checks } = JSON.parse(asked.stdout) as { readonly checks: readonly DoctorFinding[] };
  return { code: asked.status, faults: checks.filter(({ status }) => status === 'fault') };
}

const isRoot = process.getuid?.() === 0;
const other = 65_534;

test('a user who may not look into the data is told so, and each check ends', async (t) => {
  const home = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  // Nothing is shut to root: then it is somebody else who asks.
  if (!isRoot) chmodSync(home.dataDir, 0);
  const { code, faults } = askAsOther(home.dataDir, home.port);
  chmodSync(home.dataDir, 0o700);
  assert.equal(code, 1);
  assert.deepEqual(
    faults.map(({ name }) => name),
    ['data-dir', 'root-key', 'database', 'documents'],
  );
  assert.match(faults[0]?.found ?? '', /^this user \(\d+\) may not write in /);
});

test('a folder within that of the documents that another user has made is a fault', async (t) => {
  const home = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const documents = join(home.dataDir, 'documents');
  for (const name of ['incoming', 'sealed']) mkdirSync(join(documents, name), { recursive: true });
  const paths = ['', ...readdirSync(home.dataDir, { recursive: true, encoding: 'utf8' })];
  if (isRoot) for (const path of paths) chownSync(join(home.dataDir, path), other, other);
  for (const name of ['incoming', 'sealed']) {
    const shut = join(documents, name);
    if (isRoot) chownSync(shut, 0, 0);
    chmodSync(shut, isRoot ? 0o755 : 0o500);
    const { code, faults } = askAsOther(home.dataDir, home.port);
    if (isRoot) chownSync(shut, other, other);
    chmodSync(shut, 0o700);
    assert.equal(code, 1);
    assert.deepEqual(
      faults.map(({ name: check, found }) => [check, found]),
      [['documents', `this user may not write in ${shut}`]],
    );
  }
});
