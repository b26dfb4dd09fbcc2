import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../whole-server.ts';

for (const mode of ['demo', 'start'] as const) {
  test(`${mode}: a port that is taken ends the start with the fix, and nothing stays at work`, async (t) => {
    const [first, second] = [await makeHome(t), await makeHome(t)];
    await first.start();
    // The keys of a first start.
    await (await second.start('demo')).end('SIGTERM');
    const refused = await makeHome(t, { settings: { DATA_DIR: second.dataDir, PORT: String(first.port) } });
    const program = refused.launch(mode);
    assert.deepEqual(await program.ended, { code: 1, signal: null });
    assert.match(program.stderr(), new RegExp(`port ${first.port} of 127.0.0.1 is taken: .*, or set PORT`));
  });
}

for (const url of ['ftp://reader:s3cret@register.example/people', 'http://re%ader:s3cret@register.example/people']) {
  test(`a register at ${url.slice(0, 13)} … ends the start with the setting to mend, and its password is not shown`, async (t) => {
    const program = (await makeHome(t, { settings: { REGISTER_URL: url } })).launch('demo');
    assert.deepEqual(await program.ended, { code: 1, signal: null });
    assert.match(program.stderr(), /^REGISTER_URL: expected /m);
    assert.ok(!program.stderr().includes('s3cret'));
  });
}

test('settings that do not go together, and files and addresses that are not there, stop the start with the name', async (t) => {
  const ready = await makeHome(t);
  assert.equal((await ready.run('keys', 'create')).code, 0);
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ HOST: '0.0.0.0' }, /^PUBLIC_URL: expected the address that callers use, since 0\.0\.0\.0 in HOST is none/m],
    [{ BOUNCE_TOKEN: 'hunter2 of the bounces' }, /^BOUNCE_TOKEN: expected BOUNCE_ADDRESS beside it/m],
    [
      { LETTER_SFTP_HOST_KEY: 'SHA256:abc' },
      /^LETTER_SFTP: LETTER_SFTP_KEY and LETTER_SFTP_HOST_KEY are of use beside/m,
    ],
    [{ LEDGER_WITNESSES: '/nowhere' }, /^LEDGER_WITNESSES: "\/nowhere": ENOENT/m],
    [
      { LEDGER_WITNESSES: import.meta.filename },
      /^LEDGER_WITNESSES: ".*": witness policy, line 1: a line begins with/m,
    ],
    [{ HOST: 'nowhere.invalid' }, /^nowhere\.invalid is no address of this machine: set HOST/m],
    [{ HOST: '203.0.113.5' }, /^203\.0\.113\.5 is no address of this machine: set HOST/m],
    [{ ADMIN_PORT: String(port) }, /^port \d+ of 127\.0\.0\.1 is taken: .*, or set ADMIN_PORT$/m],
  ];
  for (const [settings, message] of wrong) {
    const home = await makeHome(t, { settings: { DATA_DIR: ready.dataDir, ...settings } });
    const { code, stderr } = await home.run('start');
    assert.equal(code, 1, stderr);
    assert.match(stderr, message);
  }
});

test('a start on a database without keys, as on one that is not the own, is refused with what makes them', async (t) => {
  const ready = await makeHome(t);
  assert.equal((await ready.run('keys', 'create')).code, 0);
  const settings = { ROOT_KEY_FILE: join(ready.dataDir, 'root.key') };
  const { code, stderr } = await (await makeHome(t, { settings })).run('start');
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^this database has no signing key for access-token\. .*: citizen-services keys create; else see/m,
  );
});

test('postgres: a start that is refused takes no lease, and no message, from those that work', async (t) => {
  const ready = await makeHome(t, { engine: 'postgres' });
  assert.equal((await ready.run('keys', 'create')).code, 0);
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const port = String((taken.address() as AddressInfo).port);
  const nowhere = '/dev/null/nowhere';
  const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ DATA_DIR: nowhere, DOCUMENT_STORE: ready.dataDir }, /^DATA_DIR: /m],
    [{ DOCUMENT_STORE: nowhere }, /^DOCUMENT_STORE: /m],
    [{ LEDGER_WITNESSES: nowhere }, /^LEDGER_WITNESSES: /m],
    [{ PORT: port }, /^port \d+ of 127\.0\.0\.1 is taken: .*, or set PORT$/m],
    [{ ADMIN_PORT: port }, /^port \d+ of 127\.0\.0\.1 is taken: .*, or set ADMIN_PORT$/m],
  ];
  const root = { ROOT_KEY_FILE: join(ready.dataDir, 'root.key'), DATABASE_URL: ready.databaseUrl ?? '' };
  const db = await ready.openDb();
  t.after(() => db.close());
  for (const [settings, message] of wrong) {
    const home = await makeHome(t, { settings: { ...root, ...settings } });
    const { code, stderr } = await home.run('start');
    assert.equal(code, 1, stderr);
    assert.match(stderr, message);
    assert.deepEqual(await db.read('select name, fence from lease'), [], stderr);
  }
});
