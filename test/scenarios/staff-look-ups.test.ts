import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, waitUntilSigned } from '../support/server-process.ts';
import { openStaffSite, type StaffSite } from '../support/staff-site.ts';
import { waitUntil } from '../support/wait-until.ts';

const thisFile = fileCleanupScope();
const sites = new Map<string, StaffSite>();
before(async () => {
  for (const { name: engine } of engines) sites.set(engine, await openStaffSite(thisFile, { engine }));
});
const siteOn = (engine: string) => sites.get(engine) ?? assert.fail(`no site on ${engine}`);

const reasons = { reason: 'citizen-asked', reference: 'CASE-4711' } as const;
type Members = Readonly<Record<string, unknown>>;
const listOf = (from: Members | undefined, name: string) => (from?.[name] ?? []) as readonly Members[];

const supportOf = (site: StaffSite, service?: string, subject = 'sam') =>
  site.staffToken({ subject, roles: ['support'], ...(service === undefined ? {} : { service }) });

async function lookUp(site: StaffSite, token: string, body: Members) {
  const { status, json, headers } = await site.request(token, 'POST', '/v1/staff/look-ups', { ...reasons, ...body });
  return { status, json, headers, hits: (json['hits'] ?? []) as readonly Members[] };
}

async function createService(site: StaffSite): Promise<string> {
  const args = ['clients', 'create', 'Other', '--scopes', 'notifications:send', '--secret', '--json'];
  const { stdout } = await runCommandInProcess(site.server, ...args);
  return (JSON.parse(stdout) as { readonly clientId: string }).clientId;
}

async function sendMessage(site: StaffSite, body: Members): Promise<string> {
  const message = { subject: 'A secret subject', message: 'A secret text.', ...body };
  const { status, json } = await site.request(await site.clientToken(), 'POST', '/v1/notifications/send', message);
  assert.equal(status, 202, JSON.stringify(json));
  return String(json['id']);
}

for (const { name: engine } of engines) {
  test(`${engine}: a look-up appears in the access log of the citizen and in the staff log, both with proofs`, async () => {
    const site = siteOn(engine);
    const id = await sendMessage(site, { citizenId: 'demo-mary', reference: 'tax-1' });
    const token = await supportOf(site, site.service);
    const found = await lookUp(site, token, { notificationId: id });
    assert.equal(found.status, 200, JSON.stringify(found.json));
    const [hit] = found.hits;
    assert.equal(hit?.['citizenId'], 'demo-mary');
    assert.doesNotMatch(JSON.stringify(found.json), /secret/);
    const messages = listOf(hit, 'messages');
    assert.ok(messages.some((one) => one['id'] === id));
    await waitUntilSigned(site.server);

    const citizen = await site.citizenToken('demo-mary');
    const log = await site.request(citizen, 'GET', '/v1/access-log?before=999999999999999&limit=5');
    assert.equal(log.status, 200, JSON.stringify(log.json));
    const usages = listOf(log.json, 'usages');
    const use = usages.find(({ usage }) => usage === 'staff.looked-up') ?? assert.fail(JSON.stringify(usages));
    assert.deepEqual(use['initiatorOrg'], { type: 'GOV', code: site.service, name: 'Demo Permit Service' });
    assert.deepEqual([use['details'], use['queryId']], [{ reason: 'citizen-asked' }, hit?.['event']]);
    assert.match(String(use['proof']), /^c2sp\.org\/tlog-proof@v1\n/);
    // The citizen learns the organisation, never the person or the case.
    const withoutProofs = usages.map(({ proof: _proof, ...shown }) => shown);
    assert.doesNotMatch(JSON.stringify(withoutProofs), /sam|CASE-4711/);

    const auditor = await site.staffToken({ subject: 'ada', roles: ['auditor'] });
    const entries = await site.request(auditor, 'GET', `/v1/staff/log?event=${String(use['queryId'])}`);
    const [entry, ...others] = entries.json['items'] as readonly Members[];
    const { subject, name, service, operation, reason, reference, after } = entry ?? {};
    assert.deepEqual(
      { subject, name, service, operation, reason, reference, after },
      {
        subject: 'sam',
        name: 'Name of sam',
        service: site.service,
        operation: 'lookUpCitizen',
        ...reasons,
        after: { by: 'notificationId', hits: 1 },
      },
    );
    assert.deepEqual([entry?.['id'], others], [found.json['entry'], []]);
    const [event] = listOf(entry, 'events');
    assert.match(String(event?.['proof']), /^c2sp\.org\/tlog-proof@v1\n/);
  });
}

test('a look-up finds a citizen by message, reference, id or claims, and shows channels, locks and holds without contents', async () => {
  const site = siteOn('sqlite');
  const id = await sendMessage(site, { citizenId: 'demo-mary', reference: 'tax-2' });
  const token = await supportOf(site, site.service);
  const claims = { givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
  const ways = [{ notificationId: id }, { messageReference: 'tax-2' }, { citizenId: 'demo-mary' }, { claims }];
  for (const way of ways) {
    const { status, hits, json } = await lookUp(site, token, way);
    assert.deepEqual(
      [status, hits.map(({ citizenId }) => citizenId)],
      [200, ['demo-mary']],
      JSON.stringify([way, json]),
    );
  }
  const [hit] = (await lookUp(site, token, { citizenId: 'demo-mary' })).hits;
  const { channels, locks, holds, deceased } = hit ?? {};
  assert.deepEqual([locks, holds, deceased], [{ byCitizen: false, byStaff: false }, [], false]);
  const email = (channels as readonly Members[]).find(({ channel }) => channel === 'email');
  assert.deepEqual(email?.['address'], 'd…@citizens.example');
  for (const way of [
    { notificationId: 'ntf_x' },
    { messageReference: 'tax-3' },
    { citizenId: 'unknown' },
    { claims: { ...claims, birthDate: '1981-04-26' } },
    { claims: { ...claims, familyName: 'Smythe-Jones' } },
  ])
    assert.deepEqual((await lookUp(site, token, way)).hits, [], JSON.stringify(way));
});

test('a look-up without a reason, a case or one way to name the citizen shows and records nothing', async () => {
  const site = siteOn('sqlite');
  const token = await supportOf(site, site.service, 'careless');
  const target = { citizenId: 'demo-mary' };
  const claims = { familyName: 'Smith', givenName: 'Mary' };
  for (const body of [
    { ...target, reason: 'citizen-asked' },
    { ...target, reference: 'CASE-1' },
    { ...target, reference: 'CASE-1', reason: 'curious' },
    { ...target, reference: '', reason: 'citizen-asked' },
    { ...reasons },
    { ...reasons, ...target, messageReference: 'tax-1' },
    { ...reasons, claims },
    { ...reasons, claims: { birthDate: '1981-04-25' } },
    { ...reasons, claims: { ...claims, birthDate: '1981-13-40' } },
    { ...reasons, claims: { ...claims, birthDate: 'April' } },
    { ...reasons, claims: { ...claims, birthDate: '2999-01-01' } },
  ]) {
    const { status, json } = await site.request(token, 'POST', '/v1/staff/look-ups', body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.doesNotMatch(JSON.stringify(json), /demo-mary|hits/);
  }
  const auditor = await site.staffToken({ subject: 'ada', roles: ['auditor'] });
  const log = await site.request(auditor, 'GET', '/v1/staff/log?subject=careless');
  assert.deepEqual(log.json['items'], []);
});

test('people of two services see the messages of their own service only', async () => {
  const site = siteOn('sqlite');
  const id = await sendMessage(site, { citizenId: 'demo-mary', reference: 'tax-9' });
  const otherService = await createService(site);
  const [own, other] = [await supportOf(site, site.service), await supportOf(site, otherService)];
  const messagesFor = async (token: string) => {
    const [hit] = (await lookUp(site, token, { citizenId: 'demo-mary' })).hits;
    return listOf(hit, 'messages').filter((one) => one['id'] === id).length;
  };
  assert.deepEqual([await messagesFor(own), await messagesFor(other)], [1, 0]);
  assert.deepEqual((await lookUp(site, other, { notificationId: id })).hits, []);
  assert.deepEqual((await lookUp(site, other, { messageReference: 'tax-9' })).hits, []);
  assert.equal((await lookUp(site, own, { messageReference: 'tax-9' })).hits.length, 1);
  for (const action of ['send-by-letter', 'returned-letter']) {
    const refused = await site.request(other, 'POST', `/v1/staff/notifications/${id}/${action}`, reasons);
    assert.equal(refused.status, 404);
  }
  // An auditor of a service reads only the entries of that service.
  const auditor = await site.staffToken({ subject: 'ada', roles: ['auditor'], service: otherService });
  const log = await site.request(auditor, 'GET', `/v1/staff/log?service=${site.service}`);
  const services = (log.json['items'] as readonly Members[]).map(({ service }) => service);
  assert.deepEqual([...new Set(services)], [otherService]);
});

test('a person whose service is unknown or disabled looks up nobody, and does not read an earlier look-up again', async () => {
  const site = siteOn('sqlite');
  const service = await createService(site);
  const token = await supportOf(site, service, 'former');
  const before = await lookUp(site, token, { citizenId: 'demo-mary' });
  assert.equal(before.status, 200, JSON.stringify(before.json));
  const disabled = await runCommandInProcess(site.server, 'clients', 'disable', service);
  assert.equal(disabled.code, 0, disabled.stderr);
  for (const unknown of [token, await supportOf(site, 'no-such-client'), await supportOf(site, 'citizen-services')]) {
    const refused = await lookUp(site, unknown, { citizenId: 'demo-mary' });
    assert.deepEqual([refused.status, String(refused.json['type']).split('/').at(-1)], [403, 'service-needed']);
    assert.doesNotMatch(JSON.stringify(refused.json), /demo-mary|hits/);
  }
  assert.equal((await site.request(token, 'GET', `/v1/staff/look-ups/${String(before.json['id'])}`)).status, 403);
});

test('a person who reached the limit of look-ups is refused until an hour has passed, and another person is not', async () => {
  const site = siteOn('sqlite');
  const [sam, kim] = [await supportOf(site, site.service, 'busy'), await supportOf(site, site.service, 'kim')];
  assert.equal((await lookUp(site, sam, { citizenId: 'demo-mary' })).status, 200);
  // A look-up that finds nobody counts too.
  for (let made = 1; made < 60; made += 1)
    assert.equal((await lookUp(site, sam, { citizenId: 'unknown' })).status, 200);
  const refused = await lookUp(site, sam, { citizenId: 'demo-mary' });
  assert.deepEqual([refused.status, refused.hits], [429, []]);
  assert.match(String(refused.json['type']), /look-ups-exceeded$/);
  const seconds = Number(refused.headers['retry-after']);
  assert.ok(seconds > 3_000 && seconds <= 3_600, String(seconds));
  assert.equal((await lookUp(site, kim, { citizenId: 'demo-mary' })).status, 200);
});

test('support sends a message by letter once, and records that the letter came back', async () => {
  const site = siteOn('sqlite');
  const token = await supportOf(site, site.service);
  const act = (id: string, action: string) =>
    site.request(token, 'POST', `/v1/staff/notifications/${id}/${action}`, { ...reasons, reason: 'not-delivered' });
  const id = await sendMessage(site, { citizenId: 'demo-lukasz', channels: ['inbox'] });
  assert.equal((await act(id, 'returned-letter')).status, 409);
  const asked = await act(id, 'send-by-letter');
  assert.equal(asked.status, 200, JSON.stringify(asked.json));
  const letterOf = async () => {
    const answer = await site.request(await site.clientToken(), 'GET', `/v1/notifications/${id}`);
    const deliveries = answer.json['deliveries'] as readonly Members[];
    return deliveries.findLast(({ channel }) => channel === 'letter');
  };
  await waitUntil(async () => !['queued', 'sending'].includes(String((await letterOf())?.['status'])));
  assert.equal((await letterOf())?.['status'], 'sent');
  assert.equal((await act(id, 'send-by-letter')).status, 409);
  assert.equal((await act(id, 'returned-letter')).status, 200);
  assert.equal((await act(id, 'returned-letter')).status, 409);
  const returned = await letterOf();
  assert.deepEqual([returned?.['status'], Object(returned?.['reason']).code], ['failed', 'letter-returned']);
  assert.equal((await act(id, 'send-by-letter')).status, 200);
  // Anh has no street in the register.
  const unreachable = await sendMessage(site, { citizenId: 'demo-anh', channels: ['inbox'] });
  const refused = await act(unreachable, 'send-by-letter');
  assert.deepEqual(
    [refused.status, String(refused.json['detail'])],
    [409, 'The register has no postal address of the citizen.'],
  );
  const auditor = await site.staffToken({ subject: 'ada', roles: ['auditor'] });
  const log = await site.request(auditor, 'GET', '/v1/staff/log?operation=recordReturnedNotificationLetter');
  const [entry] = log.json['items'] as readonly Members[];
  assert.deepEqual(
    [entry?.['before'], entry?.['after']],
    [
      { notification: id, letter: 'sent' },
      { notification: id, letter: 'returned' },
    ],
  );
});
