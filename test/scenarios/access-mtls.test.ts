import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type CertificateAuthority, issueCertificate, type PemCertificate } from '../support/certificates.ts';
import { fetchOnce } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import {
  type CleanupScope,
  fileCleanupScope,
  makeServerFixture,
  type ServerFixture,
} from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

const curl = '/usr/bin/curl';
const run = promisify(execFile);

/** The authority of the certificates of these tests, and the folder with their files. */
async function pki() {
  const folder = makeTestFolder('cs-tls-');
  mkdirSync(folder, { recursive: true });
  const authority = await issueCertificate('Agencies', { ca: true });
  const server = await issueCertificate('server', { ip: [127, 0, 0, 1], use: 'server', issuer: authority });
  const keep = (name: string, { certificate, key }: PemCertificate) => {
    writeFileSync(join(folder, `${name}.pem`), certificate);
    writeFileSync(join(folder, `${name}.key`), key, { mode: 0o600 });
  };
  keep('authority', authority);
  keep('server', server);
  return { folder, authority, keep, at: (file: string) => join(folder, file) };
}

async function startTls(home: ServerFixture): Promise<void> {
  const server = home.launchCommand('start');
  await waitUntil(async () => server.stderr().includes('citizen-services runs at https://'));
}

async function newClient(home: ServerFixture, ...proof: string[]): Promise<string> {
  const named = ['clients', 'create', 'x', '--kind', 'live', '--scopes', 'notifications:read'];
  const made = await runCommandInProcess(home, ...named, ...proof, '--json');
  assert.equal(made.code, 0, made.stderr);
  return (JSON.parse(made.stdout) as { clientId: string }).clientId;
}

type Answered = { readonly status: number; readonly body: Record<string, unknown> };

/** Sends a request over TLS, with a client certificate or without. */
function ask(
  url: string,
  options: { ca: string; pair?: PemCertificate | undefined; form?: string; headers?: Record<string, string> },
): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const { ca, pair, form, headers = {} } = options;
  const shown = pair === undefined ? {} : { cert: pair.certificate, key: pair.key };
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const sent = request(url, {
    method: form === undefined ? 'GET' : 'POST',
    ca,
    ...shown,
    agent: false,
    headers: { ...type, ...headers },
  });
  sent.once('error', reject);
  sent.once('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    response.once('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
  });
  sent.end(form);
  return promise;
}

const formOf = (clientId: string) => `grant_type=client_credentials&client_id=${clientId}`;

async function tlsHome(t: CleanupScope, more: Record<string, string> = {}, made?: Awaited<ReturnType<typeof pki>>) {
  const files = made ?? (await pki());
  const home = await makeServerFixture(t, {
    settings: {
      TLS_CERTIFICATE: files.at('server.pem'),
      TLS_KEY: files.at('server.key'),
      TLS_CLIENT_CERTIFICATES: 'true',
      TLS_CLIENT_CA: files.at('authority.pem'),
      ...more,
    },
  });
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  return { files, home, url: home.url.replace('http:', 'https:') };
}

const standing = await tlsHome(fileCleanupScope());
await startTls(standing.home);

test('[R43] [R52] [R67] curl with a pinned certificate gets a token that is accepted only with this certificate', async (t) => {
  if (!existsSync(curl)) return t.skip('there is no curl on this machine');
  const { files, home, url } = standing;
  files.keep('client', await issueCertificate('Tax Office', {}));
  files.keep('other', await issueCertificate('Tax Office', {}));
  const clientId = await newClient(home, '--certificate', files.at('client.pem'));
  const with_ = (name: string) => [
    '-sS',
    '--cacert',
    files.at('authority.pem'),
    '--cert',
    files.at(`${name}.pem`),
    '--key',
    files.at(`${name}.key`),
  ];
  const token = await run(curl, [...with_('client'), '-d', formOf(clientId), `${url}/oauth2/token`]);
  const { access_token: accessToken, token_type: type } = JSON.parse(token.stdout);
  assert.equal(type, 'Bearer');
  const status = async (...args: string[]) => {
    const authorization = `Authorization: Bearer ${accessToken}`;
    const { stdout } = await run(curl, [
      ...args,
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '-H',
      authorization,
      `${url}/v1/notifications`,
    ]);
    return stdout;
  };
  assert.equal(await status(...with_('client')), '200');
  assert.equal(await status(...with_('other')), '401');
  assert.equal(await status('-sS', '--cacert', files.at('authority.pem')), '401');
  const refused = await run(curl, [...with_('other'), '-d', formOf(clientId), `${url}/oauth2/token`]);
  assert.equal(JSON.parse(refused.stdout).error, 'invalid_client');
  const answered = await run(curl, [
    '-sS',
    '--cacert',
    files.at('authority.pem'),
    '-D',
    '-',
    '-o',
    '/dev/null',
    `${url}/v1`,
  ]);
  assert.match(answered.stdout, /^strict-transport-security: max-age=31536000\r$/m);
  await assert.rejects(fetchOnce(`${home.url}/v1`), 'plain HTTP is refused, and led nowhere else');
  const old = await run(curl, [
    '-sS',
    '--cacert',
    files.at('authority.pem'),
    '--tls-max',
    '1.1',
    `${url}/healthz`,
  ]).catch(() => 'refused');
  assert.equal(old, 'refused');
});

test('[R43] a client with a registered certificate name needs a valid certificate with that name from the authority', async () => {
  const { files, home, url } = standing;
  const { authority } = files;
  const clientId = await newClient(home, '--certificate', 'dns:tax.example.gov');
  const otherAuthority = await issueCertificate('Agencies', { ca: true });
  const dns = 'tax.example.gov';
  const buys = async (pair: CertificateAuthority | undefined) =>
    (await ask(`${url}/oauth2/token`, { ca: authority.certificate, pair, form: formOf(clientId) })).status;
  assert.equal(await buys(await issueCertificate('a', { dns, issuer: authority })), 200);
  assert.equal(await buys(await issueCertificate('a', { dns: 'health.example.gov', issuer: authority })), 401);
  assert.equal(await buys(await issueCertificate(dns, { issuer: authority })), 401);
  assert.equal(await buys(await issueCertificate('a', { dns, issuer: otherAuthority })), 401);
  assert.equal(await buys(await issueCertificate('a', { dns })), 401);
  assert.equal(await buys(await issueCertificate('a', { dns, issuer: authority, use: 'server' })), 401);
  assert.equal(
    await buys(await issueCertificate('a', { dns, issuer: authority, notAfter: new Date(Date.now() - 3_600_000) })),
    401,
  );
  assert.equal(await buys(undefined), 401);
});

test('[R52] without TLS_CLIENT_CA no certificate name is accepted, even from an authority that the machine trusts', async (t) => {
  const files = await pki();
  const trustedByMachine = { NODE_EXTRA_CA_CERTS: files.at('authority.pem') };
  const { home, url } = await tlsHome(t, { TLS_CLIENT_CA: '', ...trustedByMachine }, files);
  const clientId = await newClient(home, '--certificate', 'dns:tax.example.gov');
  await startTls(home);
  const { authority } = files;
  const pair = await issueCertificate('a', { dns: 'tax.example.gov', issuer: authority });
  const answer = await ask(`${url}/oauth2/token`, { ca: authority.certificate, pair, form: formOf(clientId) });
  assert.equal(answer.status, 401);
});

test('[R52] a certificate in a header is accepted from a trusted proxy only', async (t) => {
  const authority = await issueCertificate('Agencies', { ca: true });
  const folder = makeTestFolder('cs-tls-');
  writeFileSync(join(folder, 'authority.pem'), authority.certificate);
  const pair = await issueCertificate('a', { dns: 'tax.example.gov', issuer: authority });
  const settings = { TLS_CLIENT_CA: join(folder, 'authority.pem'), CLIENT_CERTIFICATE_HEADER: 'Client-Cert' };
  const rfc9440 = `:${new X509Certificate(pair.certificate).raw.toString('base64')}:`;
  const statuses: Record<string, unknown> = {};
  for (const [who, proxies] of [
    ['proxy', '127.0.0.0/8, 10.1.2.3'],
    ['somebody', '10.1.2.3'],
  ] as const) {
    const home = await makeServerFixture(t, { settings: { ...settings, TRUSTED_PROXIES: proxies } });
    assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
    const clientId = await newClient(home, '--certificate', 'dns:tax.example.gov');
    await home.start('start');
    const buy = async (certificate: string) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId });
      const answer = await fetch(`${home.url}/oauth2/token`, {
        method: 'POST',
        body,
        headers: { 'client-cert': certificate },
      });
      return { status: answer.status, ...((await answer.json()) as { access_token?: string }) };
    };
    const bought = await buy(rfc9440);
    const asPem = await buy(encodeURIComponent(pair.certificate));
    const broken = await buy(':AAAA:');
    statuses[who] = [bought.status, asPem.status, broken.status];
    if (bought.access_token === undefined) continue;
    const call = async (headers: Record<string, string>) =>
      (
        await fetch(`${home.url}/v1/notifications`, {
          headers: { authorization: `Bearer ${bought.access_token}`, ...headers },
        })
      ).status;
    assert.deepEqual([await call({ 'client-cert': rfc9440 }), await call({})], [200, 401]);
  }
  assert.deepEqual(statuses, { proxy: [200, 200, 401], somebody: [401, 401, 401] });
});

test('an invalid TLS or proxy setting stops the start, and the message names the setting', async (t) => {
  const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
    [
      { TLS_CERTIFICATE: '/nowhere/server.pem', TLS_KEY: '/nowhere/server.key' },
      /^TLS_CERTIFICATE: expected the path of a file/m,
    ],
    [{ TLS_KEY: '/nowhere/server.key' }, /^TLS_CERTIFICATE: TLS_KEY requires it/m],
    [{ TRUSTED_PROXIES: 'proxy.example.gov' }, /^TRUSTED_PROXIES: expected addresses/m],
    [{ CLIENT_CERTIFICATE_HEADER: 'client-cert' }, /^CLIENT_CERTIFICATE_HEADER: requires TRUSTED_PROXIES/m],
  ];
  for (const [at, [settings, message]] of wrong.entries()) {
    const home = await makeServerFixture(t, { settings });
    assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
    // The first one runs the whole program.
    const { code, stderr } = await (at === 0 ? home.runCommand('start') : runCommandInProcess(home, 'start'));
    assert.equal(code, 1, stderr);
    assert.match(stderr, message);
  }
});
