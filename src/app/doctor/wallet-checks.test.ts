import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { keyPemOf, makeEntityList, makeTestIssuer, type TestIssuer } from '../../../test/support/credential-issuers.ts';
import { engines } from '../../../test/support/database-engines.ts';
import { makeTestFolder } from '../../../test/support/test-folder.ts';
import { newClient } from '../../auth/client.ts';
import { insertClient } from '../../auth/client-store.ts';
import { readSettings } from '../../config/settings.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import { rememberList, storeFetchedList } from '../../wallet/trust/wallet-list-store.ts';
import { checkWallets } from './wallet-checks.ts';

const now = Date.parse('2026-06-15T00:00:00Z');
const dayMs = 86_400_000;

type Installation = {
  readonly leaf?: TestIssuer;
  readonly issuers: (file: (name: string, text: string) => string) => object;
  readonly settings?: Readonly<Record<string, string>>;
  readonly citizenIdFrom?: string;
};

/** Writes the files of an installation, and returns the check of it on a new database. */
async function install(t: TestContext, { leaf, issuers, settings = {}, citizenIdFrom }: Installation) {
  const [sqlite] = engines;
  assert.ok(sqlite);
  const db = await sqlite.open(t);
  const folder = makeTestFolder('cs-doctor-');
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const access = leaf ?? (await makeTestIssuer('Access', { issuer: await makeTestIssuer('CA', { ca: true }) }));
  const pid = {
    types: { mso_mdoc: 'eu.europa.ec.eudi.pid.1' },
    issuers: [issuers(file)],
    assurance: { framework: 'eidas', level: 'high' },
    statusUnknown: 'refuse',
    citizenIdFrom,
  };
  const context = {
    settings: readSettings({
      WALLET_TRUST: file('trust.json', JSON.stringify({ pid })),
      WALLET_CERTIFICATE_FILE: file('access.pem', access.pem),
      WALLET_CERTIFICATE_KEY_FILE: file('access.key', await keyPemOf(access)),
      ...settings,
    }),
    clock: { now: () => now },
    database: async () => undefined,
    schema: async () => undefined,
    root: undefined,
  };
  const check = async () => [(await checkWallets(db, context)) ?? []].flat();
  return { db, check };
}

test('an expired certificate is a fault, one that expires within 30 days a warning, and one with more time needs no action', async (t) => {
  const ca = await makeTestIssuer('CA', { ca: true });
  const issuers = (file: (name: string, text: string) => string) => ({ certificates: file('ca.pem', ca.pem) });
  for (const [to, is] of [
    ['2026-06-14', 'fault'],
    ['2026-07-14', 'warn'],
    ['2026-07-16', 'ok'],
  ] as const) {
    const { check } = await install(t, { leaf: await makeTestIssuer('Access', { issuer: ca, to }), issuers });
    const [finding, ...others] = await check();
    assert.deepEqual([finding?.is, others], [is, []]);
    assert.match(finding?.found ?? '', new RegExp(`^client id x509_hash:[\\w-]{43}, valid until ${to}$`));
  }
});

test('an expired registration certificate, or one that expires within 30 days, is a warning that names its client', async (t) => {
  const ca = await makeTestIssuer('CA', { ca: true });
  const { db, check } = await install(t, { issuers: (file) => ({ certificates: file('ca.pem', ca.pem) }) });
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const until = (date: string) => `${part({})}.${part({ exp: Date.parse(date) / 1_000 })}.c2lnbmF0dXJl`;
  const options = { name: 'Permits', kind: 'test', scopes: ['identity:verify'], credential: 'secret' } as const;
  const created = newClient(options, { now: () => now }, systemRandom);
  assert.ok('client' in created);
  const client = {
    ...created.client,
    clientId: 'permits',
    registrationCertificates: {
      garden: `${part({})}.${part({})}.c2lnbmF0dXJl`,
      parking: until('2026-06-15'),
      permit: until('2026-07-15'),
      tax: until('2026-07-14'),
    },
  };
  await db.write([insertClient(client), insertClient({ ...client, clientId: 'closed', disabledAt: now })]);
  const found = 'warn: permits: the registration certificate of the purpose';
  assert.deepEqual(
    (await check()).slice(1).map(({ is, found: text }) => `${is}: ${text}`),
    [`${found} parking expired on 2026-06-15`, `${found} tax is valid until 2026-07-14`],
  );
});

test('a country of citizen ids that no CA has is a warning', async (t) => {
  const ca = await makeTestIssuer('CA', { ca: true, country: 'NL' });
  const issuers = (file: (name: string, text: string) => string) => ({ certificates: file('ca.pem', ca.pem) });
  const warnings = async (citizenIdFrom: string) => {
    const { check } = await install(t, { issuers, citizenIdFrom });
    return (await check()).slice(1).map(({ is, found }) => `${is}: ${found}`);
  };
  assert.deepEqual(await warnings('NL'), []);
  assert.deepEqual(await warnings('BE'), [
    'warn: pid: no issuer has the country BE in its CA certificate, so its numbers are not used',
  ]);
});

test('a list in a file is a fault from its NextUpdate on', async (t) => {
  const list = JSON.stringify(makeEntityList({}, { nextUpdate: '2026-06-15T00:00:00Z' }));
  const { check } = await install(t, { issuers: (file) => ({ list: file('list.json', list) }) });
  const found = (await check()).filter(({ is }) => is !== 'ok');
  assert.deepEqual(
    found.map(({ is, found: text }) => [is, text.replace(/\S+\//, '')]),
    [['fault', 'pid: list.json is valid until 2026-06-15']],
  );
});

test('a list at a URL is a warning until it was fetched, and a fault after it has expired', async (t) => {
  const url = 'https://lists.example/pid';
  const signer = await makeTestIssuer('Signer', { to: '2026-07-01' });
  const { db, check } = await install(t, {
    issuers: (file) => ({ list: url, signer: file('signer.pem', signer.pem) }),
  });
  const key = { credential: 'pid', url };
  const statuses = async () => (await check()).slice(1).map(({ is, found }) => `${is}: ${found}`);
  const ofSigner = `warn: pid: the certificate of the signer of ${url} is valid until 2026-07-01`;
  assert.deepEqual(await statuses(), [ofSigner, 'warn: pid: no list of issuers yet, so their credentials are refused']);
  await db.write([rememberList(key, 'issuers', now)]);
  assert.deepEqual(await statuses(), [ofSigner, 'warn: pid: 1 of 1 lists of issuers not fetched yet']);
  const fetched = { fetchedAt: now - dayMs, content: new Uint8Array(1), nextFetchAt: now, sequenceNumber: 1 };
  await db.write([storeFetchedList(key, { ...fetched, expiresAt: now + 1 })]);
  const age = 'pid: 1 lists of issuers, the oldest fetched 24 h ago';
  assert.deepEqual(await statuses(), [ofSigner, `ok: ${age}`]);
  await db.write([storeFetchedList(key, { ...fetched, expiresAt: now })]);
  assert.deepEqual(await statuses(), [ofSigner, `fault: ${age}; one has expired`]);
});
