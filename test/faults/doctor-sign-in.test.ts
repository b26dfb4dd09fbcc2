import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runDoctor } from '../support/doctor.ts';
import { startOpenIdProvider } from '../support/external-issuer.ts';
import { freePort } from '../support/free-port.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';

const linesOf = (findings: readonly { readonly status: string; readonly found: string }[]) =>
  findings.map(({ status, found }) => `${status}: ${found}`);

test('doctor starts a sign-in of citizens and reports what is missing', async (t) => {
  const home = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const away = `http://127.0.0.1:${await freePort()}`;
  const check = async (settings: Readonly<Record<string, string>>) =>
    (await runDoctor({ ...(home.environment as Record<string, string>), PUBLIC_URL: home.url, ...settings })).ofCheck(
      'sign-in',
    );
  assert.deepEqual(await check({}), []);
  const createClient = async (issuer: string, scopes: string) => {
    const ran = await runCommandInProcess(
      home,
      'clients',
      'create',
      'Pages',
      '--kind',
      'live',
      '--scopes',
      scopes,
      '--issuer',
      issuer,
      '--json',
    );
    assert.equal(ran.code, 0, ran.stderr);
    return String((JSON.parse(ran.stdout) as { clientId: string }).clientId);
  };
  const clientWithoutIssuer = await createClient(away, 'citizen:self');
  const secret = { SIGN_IN_CLIENT_SECRET: 'one of a test' };
  const signInSettings = (url: string, id: string) => ({
    TRUSTED_ISSUERS: url,
    SIGN_IN_ISSUER: url,
    SIGN_IN_CLIENT_ID: id,
  });
  const [client, answer] = await check({ ...signInSettings(away, clientWithoutIssuer), ...secret });
  assert.equal(client?.found, `${clientWithoutIssuer} lacks documents:read`);
  assert.match(client?.fix ?? '', /clients update pages-\w+ --scopes citizen:self,documents:read/);
  assert.match(answer?.found ?? '', /^citizens cannot sign in at http:/);
  assert.deepEqual(linesOf(await check({ ...signInSettings(away, 'nobody'), ...secret })).slice(0, 1), [
    'fault: no active client nobody',
  ]);

  const provider = await startOpenIdProvider(t, { clientId: 'pages', home: home.url });
  const key = join(home.dataDir, 'key.json');
  writeFileSync(key, JSON.stringify(provider.clientKey));
  const id = await createClient(provider.url, 'citizen:self,documents:read');
  const another = await startOpenIdProvider(t, { clientId: id, home: home.url });
  // The provider has registered another key for that id.
  const refused = await check({ ...signInSettings(another.url, id), SIGN_IN_CLIENT_KEY: key });
  assert.match(linesOf(refused).join('\n'), new RegExp(`fault: ${id} is not a client of http`));
  assert.match(linesOf(refused).join('\n'), /fault: citizens cannot sign in at .*\(invalid_client\)/);
  writeFileSync(key, JSON.stringify(another.clientKey));
  const own = await createClient(another.url, 'citizen:self,documents:read');
  const last = await startOpenIdProvider(t, { clientId: own, home: home.url });
  writeFileSync(key, JSON.stringify(last.clientKey));
  assert.deepEqual(linesOf(await check({ ...signInSettings(last.url, own), SIGN_IN_CLIENT_KEY: key })).slice(1), [
    `ok: ${last.url} accepts sign-ins`,
  ]);
});

test('a start with incompatible settings for the sign-in fails, and the message names the setting to fix', async (t) => {
  const home = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const key = join(home.dataDir, 'key.json');
  writeFileSync(key, '{"kty":"EC","crv":"P-256","x":"only the public part"}');
  const all = {
    TRUSTED_ISSUERS: 'https://login.example.gov',
    SIGN_IN_ISSUER: 'https://login.example.gov',
    SIGN_IN_CLIENT_ID: 'pages',
    SIGN_IN_CLIENT_SECRET: 'of a test',
  };
  const without = (name: keyof typeof all) => Object.fromEntries(Object.entries(all).filter(([one]) => one !== name));
  for (const [settings, expected] of [
    [without('TRUSTED_ISSUERS'), /SIGN_IN_ISSUER: expected exactly one of the URLs in TRUSTED_ISSUERS/],
    [without('SIGN_IN_ISSUER'), /SIGN_IN_CLIENT_ID: requires SIGN_IN_ISSUER/],
    [without('SIGN_IN_CLIENT_ID'), /SIGN_IN_CLIENT_ID: SIGN_IN_ISSUER requires it/],
    [without('SIGN_IN_CLIENT_SECRET'), /SIGN_IN_CLIENT_KEY: SIGN_IN_ISSUER requires this setting/],
    [{ ...all, SIGN_IN_CLIENT_KEY: key }, /SIGN_IN_CLIENT_KEY: .*not both/],
    [
      { ...without('SIGN_IN_CLIENT_SECRET'), SIGN_IN_CLIENT_KEY: key },
      /SIGN_IN_CLIENT_KEY: expected a private key as a JWK/,
    ],
    [{ ...without('SIGN_IN_CLIENT_SECRET'), SIGN_IN_CLIENT_KEY: '/nowhere' }, /SIGN_IN_CLIENT_KEY: .*cannot be read/],
    [{ ...all, SIGN_IN_ISSUER: 'http://login.example.gov' }, /SIGN_IN_ISSUER: .*expected an https URL/],
  ] as const) {
    const environment = { ...home.environment, ...settings };
    const ran = await runCommandInProcess({ ...home, environment }, 'start');
    assert.deepEqual([ran.code, expected.test(ran.stderr)], [1, true], ran.stderr);
    assert.doesNotMatch(ran.stderr, /of a test/);
  }
});

test('doctor warns about each missing statement in the footer, only with pages for citizens', async (t) => {
  const home = await makeServerFixture(t);
  const environment = home.environment as Record<string, string>;
  const issuer = 'https://login.example';
  const signIn = {
    TRUSTED_ISSUERS: issuer,
    SIGN_IN_ISSUER: issuer,
    SIGN_IN_CLIENT_ID: 'pages',
    SIGN_IN_CLIENT_SECRET: 'one of a test',
  };
  const warnings = async (settings: Readonly<Record<string, string>>) => {
    const report = await runDoctor({ ...environment, PUBLIC_URL: home.url, ...settings });
    return linesOf(report.ofCheck('settings')).filter((line) => line.includes('footer'));
  };
  const warning = (name: string) => `warn: the footer of the pages for citizens lacks the link of ${name}`;
  assert.deepEqual(await warnings(signIn), [warning('ACCESSIBILITY_URL'), warning('PRIVACY_URL')]);
  const accessibility = { ACCESSIBILITY_URL: 'https://portal.example/accessibility' };
  assert.deepEqual(await warnings({ ...signIn, ...accessibility }), [warning('PRIVACY_URL')]);
  assert.deepEqual(await warnings({}), []);
});
