import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { issue } from '../certificates.ts';
import { type Examined, examine, password, relayUrl, spoilingDemo } from '../doctor.ts';
import { freePort } from '../free-port.ts';
import { makeTestFolder } from '../test-folder.ts';
import { afterThisFile, makeHome } from '../whole-server.ts';

// What `doctor` says of settings, certificates, and the addresses of a server.

const spoilt = spoilingDemo(afterThisFile());

test('another program at the port is a fault', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const { ill, code } = await spoilt(t, undefined, { PORT: String(port) });
  assert.deepEqual(
    [ill().map(({ name, found }) => [name, found]), code],
    [[['port', `port ${port} of 127.0.0.1 is taken`]], 1],
  );
  const metrics = await spoilt(t, undefined, { ADMIN_PORT: String(port) });
  assert.deepEqual(
    [metrics.ill().map(({ name, fix }) => [name, fix]), metrics.code],
    [[['port', 'end the program that has it, or set ADMIN_PORT']], 1],
  );
});

test('a port of all addresses of both kinds that another program has is told whole', async (t) => {
  const other = createServer().listen(0, '::');
  await once(other, 'listening');
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const { ill } = await spoilt(t, undefined, { ADMIN_HOST: '::', ADMIN_PORT: String(port) });
  assert.deepEqual(
    ill().map(({ name, found, fix }) => [name, found, fix]),
    [['port', `port ${port} of :: is taken`, 'end the program that has it, or set ADMIN_PORT']],
  );
});

test('one port for callers and for metrics is a fault', async (t) => {
  const port = String(await freePort());
  const { ill } = await spoilt(t, undefined, { PORT: port, ADMIN_PORT: port });
  assert.deepEqual(
    ill().map(({ name, fix }) => [name, fix]),
    [['port', 'end the program that has it, or set ADMIN_PORT']],
  );
});

test('an address that this machine has not is a fault, and nobody is called there', async (t) => {
  const { ill } = await spoilt(t, undefined, { HOST: '198.51.100.7' });
  assert.deepEqual(
    ill().map(({ name, status, found }) => [name, status, found]),
    [['port', 'fault', '198.51.100.7 is no address of this machine']],
  );
});

test('somebody else at PUBLIC_URL is told, while our server runs', async (t) => {
  const other = await makeHome(t);
  await other.start('demo');
  const home = await makeHome(t);
  await home.start('demo');
  const settings = { DATA_DIR: home.dataDir, PORT: String(home.port), SMTP_URL: await relayUrl(t) };
  const { of, code } = await examine({ ...settings, PUBLIC_URL: other.url });
  assert.deepEqual([of('public-url')[0]?.status, code], ['warn', 0]);
  assert.match(of('public-url')[0]?.found ?? '', /is answered by somebody else: it publishes none of our keys$/);
  const gate = createHttp((_request, response) =>
    response.writeHead(302, { location: `${home.url}/.well-known/jwks.json` }).end(),
  ).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  t.after(() => gate.close());
  // A login before the server is not the server, although it leads there.
  const { port } = gate.address() as AddressInfo;
  const sent = await examine({ ...settings, PUBLIC_URL: `http://127.0.0.1:${port}` });
  assert.match(sent.of('public-url')[0]?.found ?? '', / does not answer from here: unexpected redirect$/);
  const gone = await examine({ ...settings, PUBLIC_URL: `http://127.0.0.1:${await freePort()}` });
  assert.match(gone.of('public-url')[0]?.found ?? '', / does not answer from here: connect ECONNREFUSED /);
});

const dayMs = 86_400_000;
for (const [ageDays, days, status, found] of [
  [89, -1, 'fault', /server\.pem expired on \d{4}-\d\d-\d\d$/],
  [69.5, 20.5, 'warn', /server\.pem expires in 20 days$/],
  [68, 22, 'ok', /server\.pem is valid until/],
  [3.9, 1.1, 'warn', /server\.pem expires in 1 days$/],
  [3.6, 1.4, 'ok', /server\.pem is valid until/],
] as const) {
  test(`a certificate of ${ageDays + days} days with ${days} left: ${status}`, async (t) => {
    const { certificate, key } = await issue('here', {
      ...{ use: 'server', dns: 'localhost' },
      notBefore: new Date(Date.now() - ageDays * dayMs),
      notAfter: new Date(Date.now() + days * dayMs),
    });
    const { of, code } = await withPair(t, certificate, key, 'https://localhost');
    assert.deepEqual([of('tls')[0]?.status, code], [status, status === 'fault' ? 1 : 0]);
    assert.match(of('tls')[0]?.found ?? '', found);
  });
}

test('a certificate whose time has not come is a fault', async (t) => {
  const notBefore = new Date(Date.now() + dayMs);
  const notAfter = new Date(Date.now() + 90 * dayMs);
  const { certificate, key } = await issue('here', { use: 'server', dns: 'localhost', notBefore, notAfter });
  const { of, code } = await withPair(t, certificate, key, 'https://localhost');
  assert.deepEqual([of('tls')[0]?.status, code], ['fault', 1]);
  assert.match(of('tls')[0]?.found ?? '', /server\.pem is valid from \d{4}-/);
});

function withPair(t: TestContext, certificate: string, key: string, url: string): Promise<Examined> {
  const folder = makeTestFolder('cs-tls-');
  t.after(() => rmSync(folder, { recursive: true }));
  const paths = { TLS_CERTIFICATE: join(folder, 'server.pem'), TLS_KEY: join(folder, 'server.key') };
  writeFileSync(paths.TLS_CERTIFICATE, certificate);
  writeFileSync(paths.TLS_KEY, key);
  return spoilt(t, undefined, { ...paths, PUBLIC_URL: url });
}

test('a certificate for another name is warned of, and one with the key of another is a fault of the settings', async (t) => {
  const notAfter = new Date(Date.now() + 90 * dayMs);
  const here = await issue('here', { use: 'server', dns: 'services.example.gov', notAfter });
  const named = await withPair(t, here.certificate, here.key, 'https://localhost');
  assert.match(named.of('tls')[0]?.found ?? '', /is not for localhost of PUBLIC_URL$/);
  const mixed = await withPair(t, here.certificate, (await issue('x')).key, 'https://services.example.gov');
  assert.match(mixed.of('settings')[0]?.found ?? '', /^TLS_KEY: expected the key of /);
  assert.equal(mixed.code, 1);
});

test('every setting that is wrong is named, what needs none of them is looked at, and no secret is printed', async (t) => {
  const folder = makeTestFolder('cs-settings-');
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'settings');
  writeFileSync(file, `PROT=1\nFEED_DAYS=3\nSMTP_URL=http://u:${password}@h\nLETTER_SFTP_KEY=${password}\n`, {
    mode: 0o640,
  });
  const { of, all, code } = await spoilt(t, undefined, {
    SETTINGS_FILE: file,
    ...{ SMTP_URL: '', PORT: '99999', DATABASE_URL: `mysql://u:${password}@h/d`, CLAMAV: 'clamd' },
  });
  assert.deepEqual(
    of('settings').map(({ status, found }) => `${status} ${found.split(':')[0]}`),
    [
      ...['fault SETTINGS_FILE', 'fault PORT', 'fault DATABASE_URL', 'fault CLAMAV', 'fault SMTP_URL'],
      ...['fault LETTER_SFTP', 'fault FEED_DAYS'],
      `warn ${file} has mode 640`,
    ],
  );
  const notLookedAt = all.filter(({ found }) => found === 'not looked at');
  assert.deepEqual(
    notLookedAt.map(({ name, fix }) => `${name} ${fix}`),
    [
      'database mend DATABASE_URL first',
      'scanner mend CLAMAV first',
      'mail mend SMTP_URL first',
      'port mend PORT first',
    ],
  );
  assert.deepEqual([of('data-dir')[0]?.status, of('root-key')[0]?.status, code], ['ok', 'ok', 1]);
  writeFileSync(file, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const broken = await spoilt(t, undefined, {
    ...{ TLS_CLIENT_CA: file, DKIM_DOMAIN: 'example.gov', BOUNCE_TOKEN: password },
    DATABASE_URL: `postgres://cs:${password}%@127.0.0.1:1/cs`,
  });
  assert.deepEqual(
    broken.of('settings').map(({ found }) => found.split(':')[0]),
    ['TLS_CLIENT_CA', 'BOUNCE_TOKEN', 'DKIM_DOMAIN'],
  );
  const unread = await examine({ SETTINGS_FILE: '/nowhere' });
  assert.deepEqual(
    unread.all.map(({ name, status }) => `${name} ${status}`),
    ['settings fault', 'settings warn'],
  );
});
