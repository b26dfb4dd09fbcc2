import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { sandboxIssuer } from '../../../client/src/sandbox-issuer.ts';
import {
  keyPemOf,
  makeEntityList,
  makeTestIssuer,
  pemOf,
  signStatusList,
  signWithChain,
  type TestIssuer,
} from '../../../test/support/credential-issuers.ts';
import { type Engine, engines } from '../../../test/support/database-engines.ts';
import { type ListServer, startListServer } from '../../../test/support/list-server.ts';
import { makeTestFolder } from '../../../test/support/test-folder.ts';
import { createVirtualTime } from '../../../test/support/virtual-time.ts';
import { createLog } from '../../api/log.ts';
import { readSettings } from '../../config/settings.ts';
import type { Database, Statement } from '../../db/database.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import { openWalletTrust } from './open-wallet-trust.ts';
import { sandboxAnchor } from './sandbox-anchor.ts';
import type { CredentialKind, CredentialStatus } from './wallet-trust.ts';

const start = Date.parse('2026-06-15T00:00:00Z');
const hourMs = 3_600_000;
const log = createLog('silent');

let operator: TestIssuer;
let ca: TestIssuer;
let otherCa: TestIssuer;
let issuer: TestIssuer;
let access: TestIssuer;
before(async () => {
  operator = await makeTestIssuer('Operator');
  [ca, otherCa] = [await makeTestIssuer('PID CA', { ca: true }), await makeTestIssuer('Other CA', { ca: true })];
  issuer = await makeTestIssuer('PID issuer', { issuer: ca });
  access = await makeTestIssuer('Access', { issuer: await makeTestIssuer('Access CA', { ca: true }) });
});

/** Writes a trust file and the files that it names. Returns the settings. */
async function writeTrust(kind: object): Promise<Record<string, string>> {
  const folder = makeTestFolder('cs-wallet-');
  mkdirSync(join(folder, 'data'));
  const path = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  path('signer.pem', operator.pem);
  path('cas.pem', ca.pem + otherCa.pem);
  const pid = {
    types: { 'dc+sd-jwt': 'urn:eudi:pid:1' },
    issuers: [{ certificates: 'cas.pem' }],
    assurance: { framework: 'eidas', level: 'high' },
    statusUnknown: 'refuse',
    ...kind,
  };
  return {
    DATA_DIR: join(folder, 'data'),
    WALLET_TRUST: path('trust.json', JSON.stringify({ pid })),
    WALLET_CERTIFICATE_FILE: path('access.pem', access.pem),
    WALLET_CERTIFICATE_KEY_FILE: path('access.key', await keyPemOf(access)),
    WEBHOOK_PRIVATE_TARGETS: 'true',
  };
}

type Opened = Awaited<ReturnType<typeof openProcess>>;

/** Opens the trust of one process on the database. `faults` has the messages of its log. */
async function openProcess(db: Database, environment: Record<string, string>, isDemo = false) {
  const { clock, timer, advance } = createVirtualTime(start);
  const faults: string[] = [];
  const causeOf = (fault: unknown) =>
    fault instanceof Error
      ? [fault.message, ...(fault.cause instanceof Error ? [fault.cause.message] : [])].join(': ')
      : '';
  let idle: () => Promise<unknown> = async () => undefined;
  const opened = await openWalletTrust({
    settings: readSettings(environment),
    clock,
    timer,
    isClockSure: async () => true,
    random: systemRandom,
    log: { ...log, fault: (where, fault) => faults.push(`${where}: ${causeOf(fault)}`) },
    db,
    claim: async (statement: Statement) => (await db.write([statement]))[0] ?? [],
    publicUrl: 'http://localhost:3000',
    isDemo,
  });
  const startJob = async () => {
    const running = await opened.jobs[0]?.start();
    assert.ok(running !== undefined && 'idle' in running && typeof running.idle === 'function');
    const { idle: untilIdle } = running;
    idle = () => untilIdle();
    return running;
  };
  return { ...opened, clock, faults, startJob, advance: (ms: number) => advance(ms, () => idle()) };
}

function kindOf({ trust }: Opened): CredentialKind {
  const kind = trust.kinds.get('pid');
  assert.ok(kind);
  return kind;
}

/** The statuses of the credentials of an issuer in a list. */
async function statusesIn(
  one: Opened,
  uri: string,
  indexes: readonly number[],
  by = issuer,
): Promise<CredentialStatus[]> {
  const [kind, now] = [kindOf(one), one.clock.now()];
  const found = await one.trust.findIssuer(kind, [by.der], now);
  assert.ok(found);
  return await Promise.all(indexes.map((index) => one.trust.statusOf(kind, { uri, index }, now, found)));
}

const seconds = (ms: number) => Math.floor(ms / 1_000);

for (const engine of engines) {
  test(`${engine.name}: a list that a credential names is unknown until the job has fetched it, and then each process uses it`, async (t) => {
    const { server, db } = await open(t, engine);
    const environment = await writeTrust({ statusHosts: [server.host] });
    const [worker, api] = [await openProcess(db, environment), await openProcess(db, environment)];
    const uri = server.urlOf('/status');
    server.texts.set('/status', await signStatusList([issuer], uri, [0, 1, 2], { iat: seconds(start), ttl: 7_200 }));
    assert.deepEqual(await statusesIn(api, uri, [0, 1]), ['unknown', 'unknown']);
    assert.deepEqual(server.requested, []);
    await worker.startJob();
    await worker.advance(10_000);
    await api.advance(10_000);
    assert.deepEqual(await statusesIn(api, uri, [0, 1, 2, 3]), ['valid', 'revoked', 'suspended', 'unknown']);
    assert.deepEqual(await statusesIn(worker, uri, [2]), ['suspended']);
    // Half of its ttl later the job fetches the list again. The other process sees it within a minute.
    server.texts.set('/status', await signStatusList([issuer], uri, [1], { iat: seconds(start) + 1, ttl: 7_200 }));
    await worker.advance(3_500_000);
    assert.deepEqual(server.requested, ['/status']);
    await worker.advance(120_000);
    assert.deepEqual(server.requested, ['/status', '/status']);
    await api.advance(3_620_000);
    assert.deepEqual(await statusesIn(api, uri, [0]), ['revoked']);
    assert.deepEqual([worker.faults, api.faults], [[], []]);
  });
}

test('presentations at the same time read a changed status list once', async (t) => {
  const { server, db } = await open(t);
  const uri = server.urlOf('/status');
  server.texts.set('/status', await signStatusList([issuer], uri, [1], { iat: seconds(start) }));
  const environment = await writeTrust({ statusLists: [uri] });
  const worker = await openProcess(db, environment);
  await worker.startJob();
  await worker.advance(10_000);
  let reads = 0;
  const read: Database['read'] = (sql, args) => {
    if (sql.includes('content')) reads += 1;
    return db.read(sql, args);
  };
  const api = await openProcess({ ...db, read }, environment);
  const statuses = await statusesIn(
    api,
    uri,
    Array.from({ length: 20 }, () => 0),
  );
  assert.deepEqual([new Set(statuses), reads], [new Set(['revoked']), 1]);
});

test('a process that has an earlier list of issuers uses a status list of their new signer', async (t) => {
  const { server, db } = await open(t);
  const uri = server.urlOf('/status');
  const environment = await writeTrust({
    issuers: [{ list: server.urlOf('/list'), signer: 'signer.pem' }],
    statusLists: [uri],
  });
  const publish = async (signer: TestIssuer, sequence: number) => {
    const entities = { Ministry: { 'PID/Issuance': [ca], 'PID/Revocation': [signer] } };
    const nextUpdate = new Date(start + 24 * hourMs).toISOString();
    server.texts.set('/list', await signWithChain(makeEntityList(entities, { sequence, nextUpdate }), {}, [operator]));
    const times = { iat: seconds(start) + sequence, ttl: 24 * 3_600 };
    server.texts.set('/status', await signStatusList([signer], uri, [sequence], times));
  };
  const [worker, api] = [await openProcess(db, environment), await openProcess(db, environment)];
  await publish(await makeTestIssuer('First signer'), 1);
  await worker.startJob();
  await worker.advance(10_000);
  assert.deepEqual(await statusesIn(api, uri, [0]), ['revoked']);
  await api.advance(61_000);
  await api.trust.findIssuer(kindOf(api), [issuer.der], api.clock.now());
  await publish(await makeTestIssuer('Second signer'), 2);
  await worker.advance(7 * hourMs);
  assert.deepEqual([await statusesIn(api, uri, [0]), api.faults], [['suspended'], []]);
});

test('a status list is used until it expires, also while its host does not answer', async (t) => {
  const { server, db } = await open(t);
  const uri = server.urlOf('/status');
  const worker = await openProcess(db, await writeTrust({ statusLists: [uri] }));
  server.texts.set('/status', await signStatusList([issuer], uri, [0], { iat: seconds(start), ttl: 3_600 }));
  const { gauges } = await worker.startJob();
  await worker.advance(10_000);
  server.texts.clear();
  await worker.advance(7_000_000);
  assert.deepEqual(await statusesIn(worker, uri, [0]), ['valid']);
  const gauge = (name: string) => {
    const found = gauges?.find((one) => one.name.endsWith(name));
    return found?.label === undefined ? [] : [...found.read()];
  };
  assert.deepEqual(
    gauge('seconds_left').map(([list, left]) => [list, left > 0 && left < 300]),
    [['pid status', true]],
  );
  assert.deepEqual(
    gauge('age_seconds').map(([list, age]) => [list, age > 6_900]),
    [['pid status', true]],
  );
  await worker.advance(300_000);
  assert.deepEqual(await statusesIn(worker, uri, [0]), ['unknown']);
  assert.match(
    worker.faults[0] ?? '',
    /^wallet-lists: could not fetch a list from http:\/\/127.0.0.1:\d+: .*status 404$/,
  );
});

test('a list on another host is never requested, and one of another issuer or an earlier copy is not used', async (t) => {
  const { server, db } = await open(t);
  const [own, others] = [server.urlOf('/own'), server.urlOf('/others')];
  const list = { 'PID/Issuance': [ca] };
  const folder = makeTestFolder('cs-wallet-');
  const file = join(folder, 'list.json');
  writeFileSync(file, JSON.stringify(makeEntityList({ A: list, B: { 'PID/Issuance': [otherCa] } })));
  const issuers = [{ list: file }];
  const worker = await openProcess(db, await writeTrust({ issuers, statusHosts: [server.host] }));
  await worker.startJob();
  assert.deepEqual(await statusesIn(worker, own, [0]), ['unknown']);
  assert.deepEqual(await statusesIn(worker, others, [0]), ['unknown']);
  assert.deepEqual(await statusesIn(worker, 'http://localhost:1/status', [0]), ['unknown']);
  assert.deepEqual(await statusesIn(worker, 'file:///etc/passwd', [0]), ['unknown']);
  const stored = async () => (await db.read('select url from wallet_list order by url')).map(({ url }) => url);
  assert.deepEqual(await stored(), [others, own]);
  const otherIssuer = await makeTestIssuer('Other issuer', { issuer: otherCa });
  server.texts.set('/own', await signStatusList([issuer], own, [1], { iat: seconds(start), ttl: 600 }));
  server.texts.set('/others', await signStatusList([otherIssuer], others, [0], { iat: seconds(start), ttl: 600 }));
  await worker.advance(10_000);
  assert.deepEqual(server.requested.toSorted(), ['/others', '/own']);
  assert.deepEqual(await statusesIn(worker, own, [0]), ['revoked']);
  assert.deepEqual(await statusesIn(worker, others, [0]), ['unknown']);
  assert.deepEqual(await statusesIn(worker, others, [0], otherIssuer), ['valid']);
  server.texts.set('/own', await signStatusList([issuer], own, [0], { iat: seconds(start) - 1, ttl: 600 }));
  await worker.advance(400_000);
  assert.deepEqual(await statusesIn(worker, own, [0]), ['revoked']);
  assert.match(worker.faults[0] ?? '', /received an older list/);
  // After the host was removed from the settings, its lists are deleted.
  const later = await openProcess(db, await writeTrust({ issuers }));
  await later.startJob();
  const requests = server.requested.length;
  await later.advance(700_000);
  assert.deepEqual([await stored(), server.requested.length, later.faults], [[], requests, []]);
});

test('issuers of a list at a URL are trusted after it was fetched, while it lists them, and until its NextUpdate', async (t) => {
  const { server, db } = await open(t);
  const publish = async (entities: Parameters<typeof makeEntityList>[0], sequence: number, by = operator) => {
    const nextUpdate = new Date(start + (sequence + 1) * hourMs).toISOString();
    server.texts.set('/list', await signWithChain(makeEntityList(entities, { sequence, nextUpdate }), {}, [by]));
  };
  const uri = server.urlOf('/status');
  server.texts.set('/status', await signStatusList([issuer], uri, [2], { iat: seconds(start), ttl: 864_000 }));
  const one = await openProcess(
    db,
    await writeTrust({ issuers: [{ list: server.urlOf('/list'), signer: 'signer.pem' }], statusLists: [uri] }),
  );
  const kind = kindOf(one);
  const found = async () => (await one.trust.findIssuer(kind, [issuer.der], one.clock.now()))?.name;
  await publish({ Ministry: { 'PID/Issuance': [ca] } }, 1);
  assert.deepEqual([await found(), one.trust.keyIdsOf(kind)], [undefined, []]);
  await one.startJob();
  await one.advance(10_000);
  const keyId = Buffer.from(ca.keyId).toString('base64url');
  assert.deepEqual([await found(), one.trust.keyIdsOf(kind)], ['Ministry', [keyId]]);
  assert.deepEqual([await statusesIn(one, uri, [0]), one.faults], [['suspended'], []]);
  await publish({ Ministry: { 'PID/Issuance': [otherCa] } }, 2);
  await one.advance(hourMs);
  assert.equal(await found(), undefined);
  // A list that somebody else has signed, or an earlier one, changes nothing.
  await publish({ Ministry: { 'PID/Issuance': [ca] } }, 3, access);
  await one.advance(hourMs);
  await publish({ Ministry: { 'PID/Issuance': [ca] } }, 1);
  await one.advance(hourMs / 2);
  assert.equal(await found(), undefined);
  await publish({ Ministry: { 'PID/Issuance': [ca] } }, 5);
  await one.advance(hourMs / 4);
  assert.equal(await found(), 'Ministry');
  server.texts.clear();
  await one.advance(3 * hourMs);
  assert.equal(await found(), 'Ministry');
  await one.advance(hourMs);
  assert.deepEqual([await found(), one.trust.keyIdsOf(kind)], [undefined, []]);
});

test('the signatures of a chain are verified once, also if the list has many entities', async (t) => {
  const { db } = await open(t);
  const file = join(makeTestFolder('cs-wallet-'), 'list.json');
  const entities = Array.from({ length: 50 }, (_, index) => [`Entity ${index}`, { 'PID/Issuance': [ca] }] as const);
  writeFileSync(file, JSON.stringify(makeEntityList(Object.fromEntries(entities))));
  const one = await openProcess(db, await writeTrust({ issuers: [{ list: file }] }));
  const root = await makeTestIssuer('Unknown root', { ca: true });
  const middle = await makeTestIssuer('Unknown CA', { ca: true, issuer: root });
  const leaf = await makeTestIssuer('Unknown issuer', { issuer: middle });
  const { mock } = t.mock.method(X509Certificate.prototype, 'verify');
  const chain = [leaf, middle, root].map(({ der }) => der);
  assert.equal(await one.trust.findIssuer(kindOf(one), chain, start), undefined);
  assert.equal(mock.callCount(), 2);
});

test('an issuer has the name of its entity, and the countries of its certificate and of its anchor', async (t) => {
  const { db } = await open(t);
  const anchor = await makeTestIssuer('German CA', { ca: true, country: 'DE' });
  const leaf = await makeTestIssuer('Issuer for another country', { issuer: anchor, country: 'NL' });
  const file = join(makeTestFolder('cs-wallet-'), 'list.json');
  const entities = { Other: { 'PID/Issuance': [otherCa] }, Ministry: { 'PID/Issuance': [anchor, ca] } };
  writeFileSync(file, JSON.stringify(makeEntityList(entities)));
  const one = await openProcess(db, await writeTrust({ issuers: [{ list: file }] }));
  const found = async (by: TestIssuer) => {
    const { anchor: _, ...names } = (await one.trust.findIssuer(kindOf(one), [by.der], start)) ?? assert.fail();
    return names;
  };
  assert.deepEqual(await found(leaf), { name: 'Ministry', certificateCountry: 'NL', anchorCountry: 'DE' });
  assert.deepEqual(await found(issuer), {
    name: 'Ministry',
    certificateCountry: undefined,
    anchorCountry: undefined,
  });
});

test('without WALLET_TRUST a server trusts nothing, and the demo trusts the sandbox issuer and makes a certificate once', async (t) => {
  const { db } = await open(t);
  const dataDir = makeTestFolder('cs-wallet-');
  const server = await openProcess(db, { DATA_DIR: dataDir });
  assert.deepEqual([server.trust.kinds.size, server.certificate, server.jobs], [0, undefined, []]);
  const demo = await openProcess(db, { DATA_DIR: dataDir, SIMULATORS: 'true' }, true);
  const chain = sandboxIssuer.chain.map((der) => Buffer.from(der, 'base64'));
  assert.equal((await demo.trust.findIssuer(kindOf(demo), chain, start))?.name, 'Sandbox issuer');
  assert.deepEqual([demo.certificate?.dnsNames, demo.certificate?.chain.length], [['localhost'], 1]);
  assert.equal(statSync(join(dataDir, 'wallet-demo.pem')).mode & 0o777, 0o600);
  const content = readFileSync(join(dataDir, 'wallet-demo.pem'), 'utf8');
  const again = await openProcess(db, { DATA_DIR: dataDir, SIMULATORS: 'true' }, true);
  assert.equal(again.certificate?.hash, demo.certificate?.hash);
  assert.equal(readFileSync(join(dataDir, 'wallet-demo.pem'), 'utf8'), content);
});

test('a trust file with the sandbox CA needs SIMULATORS, and each wrong file is refused with its fault', async (t) => {
  const { db } = await open(t);
  const sandboxFile = join(makeTestFolder('cs-wallet-'), 'sandbox.pem');
  writeFileSync(sandboxFile, pemOf('CERTIFICATE', sandboxAnchor));
  const sandbox = await writeTrust({ issuers: [{ certificates: sandboxFile }] });
  await assert.rejects(openProcess(db, sandbox), { name: 'SettingError', message: /received the sandbox CA/ });
  assert.equal((await openProcess(db, { ...sandbox, SIMULATORS: 'true' })).trust.kinds.size, 1);
  const refused: readonly (readonly [kind: object, message: RegExp])[] = [
    [{ statusUnknown: 'ignore' }, /^WALLET_TRUST: .*\/pid\/statusUnknown: must be one of "refuse", "accept"\. See/],
    [{ types: {} }, /\/pid\/types/],
    [{ other: 1 }, /\/pid\/other: is not a known member/],
    [
      { issuers: [{ list: 'https://example.org/list' }] },
      /\/pid\/issuers: expected a URL as `list` with the certificate/,
    ],
    [{ issuers: [{ certificates: 'absent.pem' }] }, /absent\.pem.* \(ENOENT\)/],
    [{ issuers: [{ certificates: 'trust.json' }] }, /trust\.json.*expected one or more certificates as PEM/],
    [{ issuers: [{ list: 'trust.json' }] }, /trust\.json.*must have required properties LoTE/],
    [{ citizenIdFrom: 'Utopia' }, /\/pid\/citizenIdFrom/],
  ];
  for (const [kind, message] of refused)
    await assert.rejects(openProcess(db, await writeTrust(kind)), { name: 'SettingError', message });
  await assert.rejects(openProcess(db, { WALLET_TRUST: '/absent/trust.json' }), {
    message: /^WALLET_TRUST: expected the path of a file, received "\/absent\/trust\.json", which does not exist\. See/,
  });
  const { WALLET_CERTIFICATE_KEY_FILE: _key, ...withoutKey } = await writeTrust({});
  await assert.rejects(openProcess(db, withoutKey), { message: /^WALLET_CERTIFICATE_KEY_FILE: expected the path/ });
});

async function open(
  t: TestContext,
  engine: Engine | undefined = engines[0],
): Promise<{ server: ListServer; db: Database }> {
  assert.ok(engine);
  return { server: await startListServer(t), db: await engine.open(t) };
}
