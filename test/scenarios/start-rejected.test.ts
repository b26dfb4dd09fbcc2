import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

async function takenPort(t: TestContext): Promise<string> {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  return String((taken.address() as AddressInfo).port);
}

for (const mode of ['demo', 'start'] as const) {
  test(`${mode}: a used port stops the start with a fix, and the process exits`, async (t) => {
    const port = await takenPort(t);
    const home = await makeServerFixture(t, { settings: { PORT: port } });
    assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
    const program = home.launchCommand(mode);
    assert.deepEqual(await program.exited, { code: 1, signal: null });
    assert.match(program.stderr(), new RegExp(`port ${port} of 127.0.0.1 is in use: .*, or set PORT`));
  });
}

for (const url of ['ftp://reader:s3cret@register.example/people', 'http://re%ader:s3cret@register.example/people']) {
  test(`a REGISTER_URL that begins with ${url.slice(0, 13)} stops the start, and the message names it and hides the password`, async (t) => {
    const program = (await makeServerFixture(t, { settings: { REGISTER_URL: url } })).launchCommand('demo');
    assert.deepEqual(await program.exited, { code: 1, signal: null });
    assert.match(program.stderr(), /^REGISTER_URL: expected /m);
    assert.ok(!program.stderr().includes('s3cret'));
  });
}

test('conflicting settings and missing files and addresses stop the start, and the message names the setting', async (t) => {
  const ready = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(ready, 'keys', 'create')).code, 0);
  const port = await takenPort(t);
  const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ HOST: '0.0.0.0' }, /^PUBLIC_URL: expected the address that clients use, because HOST is 0\.0\.0\.0\. See/m],
    [{ BOUNCE_TOKEN: 'hunter2 of the bounces' }, /^BOUNCE_TOKEN: expected BOUNCE_ADDRESS too, because /m],
    [
      { LEDGER_WITNESSES: '/nowhere' },
      /^LEDGER_WITNESSES: expected the path of a file, received "\/nowhere", which does not exist\. See /m,
    ],
    [
      { LEDGER_WITNESSES: '/' },
      /^LEDGER_WITNESSES: expected the path of a file, received "\/", which is a folder\. See /m,
    ],
    [{ TLS_CERTIFICATE: '/', TLS_KEY: '/' }, /^TLS_CERTIFICATE: expected the path of a file, received "\/"/m],
    [
      { API_THREADS: '65' },
      /^API_THREADS: expected a whole number from 1 to 64, received "65"\. See docs\/reference\/settings/m,
    ],
    [{ TRUSTED_PROXIES: '10.0.0.5, proxy' }, /^TRUSTED_PROXIES: expected addresses .*, received "proxy"\. See /m],
    [
      { VERIFY_POLICY: 'mine' },
      /^VERIFY_POLICY: expected one of .*, received "mine"; .*\. See docs\/reference\/settings/m,
    ],
    [{ ROOT_KEY_FILE: '/nowhere' }, /^no root key at \/nowhere\. .* \(see docs\/operate\/keys\.md#the-root-key\)$/m],
    [{ ADMIN_HOST: 'nowhere.invalid' }, /^nowhere\.invalid is not .*\. See docs\/reference\/settings\.md#admin_host$/m],
    [
      { LEDGER_WITNESSES: import.meta.filename },
      /^LEDGER_WITNESSES: ".*": witness policy, line 1: a line begins with/m,
    ],
    [{ HOST: 'nowhere.invalid' }, /^nowhere\.invalid is not an address of this machine: set HOST/m],
    [
      { HOST: '203.0.113.5' },
      /^203\.0\.113\.5 is not an address of this machine: set HOST .*\. See docs\/reference\/settings\.md#host$/m,
    ],
    [{ ADMIN_PORT: port }, /^port \d+ of 127\.0\.0\.1 is in use: .*, or set ADMIN_PORT$/m],
  ];
  for (const [settings, message] of wrong) {
    const home = await makeServerFixture(t, { settings: { DATA_DIR: ready.dataDir, ...settings } });
    const { code, stderr } = await runCommandInProcess(home, 'start');
    assert.equal(code, 1, stderr);
    assert.match(stderr, message);
  }
});

test('a start logs settings that have no effect, and a missing letter folder', async (t) => {
  const spool = join((await makeServerFixture(t)).dataDir, 'not-mounted');
  const home = await makeServerFixture(t, {
    settings: { S3_ACCESS_KEY_ID: 'us', SIGN_IN_SCOPE: 'openid', LETTER_SPOOL: spool },
  });
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const program = home.launchCommand('start');
  await waitUntil(async () => program.stderr().includes('citizen-services runs at '));
  assert.deepEqual(await program.stop('SIGTERM'), { code: 0, signal: null });
  const lines = program
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    entries.flatMap(({ msg, setting, needs }) => (msg === 'a setting has no effect' ? [[setting, needs]] : [])),
    [
      ['S3_ACCESS_KEY_ID', 'DOCUMENT_STORE=s3://…'],
      ['SIGN_IN_SCOPE', 'SIGN_IN_ISSUER'],
    ],
  );
  const [letters] = entries.filter(({ where }) => where === 'letters');
  assert.match(
    JSON.stringify(letters),
    /LETTER_SPOOL: there is no folder \S+not-mounted; letters wait until it is created or mounted/,
  );
  const said = await runCommandInProcess(home, 'doctor');
  assert.match(said.stdout, /^warn +settings +S3_ACCESS_KEY_ID has no effect without DOCUMENT_STORE=s3:\/\/… -> /m);
});

test('without a database commands report it and create none', async (t) => {
  const ready = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(ready, 'keys', 'create')).code, 0);
  const rootKey = { ROOT_KEY_FILE: join(ready.dataDir, 'root.key') };
  const unmounted = join((await makeServerFixture(t)).dataDir, 'not-mounted');
  const homes = [
    await makeServerFixture(t, { settings: { ...rootKey, DATA_DIR: unmounted } }),
    await makeServerFixture(t, { engine: 'postgres', database: 'empty', settings: rootKey }),
  ] as const;
  for (const args of [['start'], ['clients', 'list'], ['documents', 'verify'], ['citizens', 'erase', '1', '--yes']]) {
    const [onSqlite, onPostgres] = [
      await runCommandInProcess(homes[0], ...args),
      await runCommandInProcess(homes[1], ...args),
    ];
    assert.deepEqual([onSqlite.code, onPostgres.code], [1, 1], args.join(' '));
    assert.match(
      onSqlite.stderr,
      /^there is no database in .*not-mounted\. .* keys create\. Otherwise check that .* DATA_DIR/m,
    );
    assert.match(onPostgres.stderr, /^the database of DATABASE_URL is empty\. .* keys create\. Otherwise check that /m);
  }
  assert.equal(existsSync(unmounted), false);
  for (const home of homes) assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  for (const home of homes) assert.equal((await runCommandInProcess(home, 'clients', 'list')).stderr, '0 clients\n');
});

test('a start with a database without keys, or with keys of another root key, is refused with a fix', async (t) => {
  const ready = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(ready, 'keys', 'create')).code, 0);
  const db = await ready.openDb();
  await db.write([{ sql: 'delete from signing_key' }]);
  await db.close();
  const { code, stderr } = await ready.runCommand('start');
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^this database has no signing key for access-token\. .*: citizen-services keys create\. Otherwise check/m,
  );
});

test('postgres: a refused start takes no lease and no message from running processes', async (t) => {
  const ready = await makeServerFixture(t, { engine: 'postgres' });
  assert.equal((await runCommandInProcess(ready, 'keys', 'create')).code, 0);
  const port = await takenPort(t);
  const nowhere = '/dev/null/nowhere';
  const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ DATA_DIR: nowhere, DOCUMENT_STORE: ready.dataDir }, /^DATA_DIR: /m],
    [{ DATA_DIR: nowhere }, /^DATA_DIR: expected a folder /m],
    [{ DOCUMENT_STORE: nowhere }, /^DOCUMENT_STORE: /m],
    [
      { DATABASE_URL: 'postgres://127.0.0.1:1/none' },
      /^the database cannot be reached: .*\. Run "citizen-services doctor"/m,
    ],
    [{ WALLET_TRUST: nowhere }, /^WALLET_TRUST: expected the path of a file, .*, which does not exist\. See /m],
    [{ LEDGER_WITNESSES: nowhere }, /^LEDGER_WITNESSES: /m],
    [{ PORT: port }, /^port \d+ of 127\.0\.0\.1 is in use: .*, or set PORT$/m],
    [{ ADMIN_PORT: port }, /^port \d+ of 127\.0\.0\.1 is in use: .*, or set ADMIN_PORT$/m],
  ];
  const root = { ROOT_KEY_FILE: join(ready.dataDir, 'root.key'), DATABASE_URL: ready.databaseUrl ?? '' };
  const db = await ready.openDb();
  t.after(() => db.close());
  for (const [settings, message] of wrong) {
    const home = await makeServerFixture(t, { settings: { ...root, ...settings } });
    const { code, stderr } = await runCommandInProcess(home, 'start');
    assert.equal(code, 1, stderr);
    assert.match(stderr, message);
    assert.deepEqual(await db.read('select name, fence from lease'), [], stderr);
  }
});
