import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { bearerHeaders, createHttpClient, parseJsonBody } from '../support/http-client.ts';
import { fileCleanupScope, waitUntilSigned } from '../support/server-process.ts';
import { openStaffSite, type StaffSite, type TestPerson } from '../support/staff-site.ts';
import { waitUntil } from '../support/wait-until.ts';

const thisFile = fileCleanupScope();
const sites = new Map<string, StaffSite>();
before(async () => {
  for (const { name: engine } of engines)
    sites.set(engine, await openStaffSite(thisFile, { engine, settings: { STAFF_BATCH_LIMIT: '2' } }));
});
const siteOn = (engine: string) => sites.get(engine) ?? assert.fail(`no site on ${engine}`);

type Members = Readonly<Record<string, unknown>>;
const base = '/v1/staff/notification-batches';
const caseworker = (service: string, subject = 'chris'): TestPerson => ({ subject, roles: ['caseworker'], service });
const approver = (service: string): TestPerson => ({ subject: 'alex', roles: ['approver'], service });
const rowsOf = (citizens: readonly string[]) =>
  `citizenId,subject,message\r\n${citizens.map((id) => `${id},Waste,We collect it on Monday.\r\n`).join('')}`;

const problemOf = ({ status, json }: { readonly status: number; readonly json: Members }) =>
  [status, String(json['type']).split('/').at(-1)] as const;

async function upload(site: StaffSite, person: TestPerson, csv: string, query = '') {
  const answer = await createHttpClient(site.server.url)({
    method: 'POST',
    path: `${base}${query}`,
    headers: bearerHeaders(await site.staffToken(person), { 'content-type': 'text/csv' }),
    body: csv,
  });
  return { status: answer.status, json: parseJsonBody(answer) };
}

/** Sends a request such as `GET /v1/staff/client` as that person. */
async function as(site: StaffSite, person: TestPerson, line: string, body?: unknown) {
  const [method = '', path = ''] = line.split(' ');
  return await site.request(await site.staffToken(person), method, path, body);
}

/** Uploads a file, and waits until the server has checked it. Returns the path of the batch. */
async function uploadReady(site: StaffSite, csv: string): Promise<string> {
  const person = caseworker(site.service);
  const created = await upload(site, person, csv, '?name=Waste');
  assert.equal(created.status, 202, JSON.stringify(created.json));
  const path = `${base}/${String(created.json['id'])}`;
  await waitUntil(async () => (await as(site, person, `GET ${path}`)).json['state'] === 'ready');
  return path;
}

async function entriesOf(site: StaffSite, operation: string): Promise<readonly Members[]> {
  const auditor: TestPerson = { subject: 'ada', roles: ['auditor'] };
  const { json } = await as(site, auditor, `GET /v1/staff/log?operation=${operation}`);
  return json['items'] as readonly Members[];
}

for (const { name: engine } of engines) {
  test(`${engine}: a caseworker starts a batch within the limit, and its ledger events and the staff log name the person`, async () => {
    const site = siteOn(engine);
    const person = caseworker(site.service);
    const path = await uploadReady(site, rowsOf(['demo-mary', 'demo-layla']));
    const preview = await as(site, person, `GET ${path}/preview`);
    assert.deepEqual(
      [preview.json['columns'], preview.json['rows']],
      [
        ['citizenId', 'subject', 'message'],
        [
          { row: 1, values: ['demo-mary', 'Waste', 'We collect it on Monday.'] },
          {
            row: 2,
            values: ['demo-layla', 'Waste', 'We collect it on Monday.'],
          },
        ],
      ],
    );
    const { messages, planned } = preview.json['estimate'] as Members;
    assert.deepEqual([messages, planned], [2, 2]);
    const started = await as(site, person, `POST ${path}/start`, { reason: 'The bins change.' });
    assert.deepEqual([started.status, started.json['proposal']], [200, null], JSON.stringify(started.json));
    assert.equal(Object(started.json['batch']).state, 'sending');
    await waitUntil(async () => (await as(site, person, `GET ${path}`)).json['state'] === 'done');
    const rows = await as(site, person, `GET ${path}/rows`);
    assert.equal((rows.json['items'] as readonly Members[]).length, 2);
    await waitUntilSigned(site.server);
    const [entry] = await entriesOf(site, 'startServiceBatch');
    const { subject, service, reason, reference, before: earlier, after } = entry ?? {};
    assert.deepEqual(
      { subject, service, reason, reference, before: earlier, after },
      {
        subject: 'chris',
        service: site.service,
        reason: 'The bins change.',
        reference: path.slice(base.length + 1),
        before: { state: 'ready' },
        after: { state: 'sending' },
      },
    );
    for (const { proof } of (entry?.['events'] ?? []) as readonly Members[])
      assert.match(String(proof), /^c2sp\.org\/tlog-proof@v1\n/);
    const citizen = await site.citizenToken('demo-mary');
    const log = await site.request(citizen, 'GET', '/v1/access-log?before=999999999999999&limit=5');
    const uses = log.json['usages'] as readonly Members[];
    const read = uses.find(({ usage }) => usage === 'notification.status-read') ?? assert.fail(JSON.stringify(uses));
    assert.equal((read['initiatorOrg'] as Members)['code'], site.service);
    assert.doesNotMatch(JSON.stringify(uses), /chris/);
  });

  test(`${engine}: a batch over the limit that is started three times at once makes one proposal, which another person approves`, async () => {
    const site = siteOn(engine);
    const person = caseworker(site.service);
    const path = await uploadReady(site, rowsOf(['demo-mary', 'demo-layla', 'demo-lukasz']));
    const start = () => as(site, person, `POST ${path}/start`, { reason: 'New bins.' });
    const starts = await Promise.all([start(), start(), start()]);
    const proposed = starts.find(({ status }) => status === 200) ?? assert.fail(JSON.stringify(starts));
    const { batch, proposal } = proposed.json;
    assert.deepEqual([Object(batch).state, typeof proposal], ['ready', 'string']);
    const others = starts.filter((one) => one !== proposed).map(problemOf);
    assert.deepEqual(others, Array(2).fill([409, 'conflict']));
    assert.equal((await as(site, person, `GET ${path}`)).json['state'], 'ready');
    const input = { batch: path.slice(base.length + 1) };
    const again = { operation: 'startBatch', input, reason: 'New bins.' };
    assert.deepEqual(problemOf(await as(site, person, 'POST /v1/staff/proposals', again)), [409, 'conflict']);
    const approve = `/v1/staff/proposals/${String(proposed.json['proposal'])}/approve`;
    const both = { ...person, roles: ['caseworker', 'approver'] };
    assert.deepEqual(problemOf(await as(site, both, `POST ${approve}`, {})), [403, 'own-proposal']);
    const ofOther = approver('another-service');
    assert.deepEqual(problemOf(await as(site, ofOther, `POST ${approve}`, {})), [404, 'proposal-not-found']);
    assert.equal((await as(site, approver(site.service), `POST ${approve}`, {})).status, 200);
    await waitUntil(async () => (await as(site, person, `GET ${path}`)).json['state'] === 'done');
    const [entry] = await entriesOf(site, 'startBatch');
    assert.deepEqual([entry?.['subject'], entry?.['after']], ['alex', { state: 'sending' }]);
  });

  test(`${engine}: small batches of one person over the limit together wait for another person, also two at the same time`, async () => {
    const site = siteOn(engine);
    const person = caseworker(site.service, 'sam');
    const paths: string[] = [];
    for (let batch = 0; batch < 4; batch += 1) paths.push(await uploadReady(site, rowsOf(['demo-mary'])));
    const starts = await Promise.all(paths.map((path) => as(site, person, `POST ${path}/start`, { reason: 'Bins.' })));
    assert.deepEqual(
      starts.map(({ status }) => status),
      [200, 200, 200, 200],
      JSON.stringify(starts),
    );
    assert.equal(starts.filter(({ json }) => json['proposal'] === null).length, 2);
    const waiting = starts.find(({ json }) => json['proposal'] !== null)?.json ?? {};
    assert.equal(Object(waiting['batch']).state, 'ready');
    const approve = `POST /v1/staff/proposals/${String(waiting['proposal'])}/approve`;
    assert.equal((await as(site, approver(site.service), approve, {})).status, 200);
    // The limit is of one person.
    const other = caseworker(site.service, 'olivia');
    const path = await uploadReady(site, rowsOf(['demo-mary']));
    assert.equal((await as(site, other, `POST ${path}/start`, { reason: 'Bins.' })).json['proposal'], null);
  });
}

test('the approval of a batch that was cancelled meanwhile is refused', async () => {
  const site = siteOn('sqlite');
  const person = caseworker(site.service);
  const path = await uploadReady(site, rowsOf(['demo-mary', 'demo-layla', 'demo-lukasz']));
  const proposed = await as(site, person, `POST ${path}/start`, { reason: 'The bins change.' });
  assert.equal((await as(site, person, `POST ${path}/cancel`)).json['state'], 'cancelled');
  const approve = `/v1/staff/proposals/${String(proposed.json['proposal'])}/approve`;
  assert.deepEqual(problemOf(await as(site, approver(site.service), `POST ${approve}`, {})), [409, 'conflict']);
});

test('a batch is approved although a citizen has changed the channels that its estimate counts', async (t) => {
  const site = await openStaffSite(t, { settings: { STAFF_BATCH_LIMIT: '2', SMS_URL: 'http://127.0.0.1:1/sms' } });
  const person = caseworker(site.service);
  const path = await uploadReady(site, rowsOf(['demo-mary', 'demo-layla', 'demo-lukasz']));
  const estimateOf = async () => JSON.stringify((await as(site, person, `GET ${path}/preview`)).json['estimate']);
  const proposed = await as(site, person, `POST ${path}/start`, { reason: 'The bins change.' });
  const seen = await estimateOf();
  const preferences = { channels: [], declined: ['sms'], hours: null, language: null };
  const lukasz = await site.citizenToken('demo-lukasz');
  assert.equal((await site.request(lukasz, 'POST', '/v1/contact-preferences', preferences)).status, 200);
  assert.notEqual(await estimateOf(), seen);
  const approve = `/v1/staff/proposals/${String(proposed.json['proposal'])}/approve`;
  assert.equal((await as(site, approver(site.service), `POST ${approve}`, {})).status, 200);
});

test('the staff log names who downloaded the results of a batch for each use that a citizen sees', async (t) => {
  const site = await openStaffSite(t, { settings: { STAFF_FOUR_EYES: 'off' } });
  const person = caseworker(site.service);
  const rows = Array.from({ length: 110 }, (_, at) => `demo-mary,Bins ${at},inbox\r\n`);
  const path = await uploadReady(site, `citizenId,message,channels\r\n${rows.join('')}`);
  await as(site, person, `POST ${path}/start`, { reason: 'Bins.' });
  await waitUntil(async () => (await as(site, person, `GET ${path}`)).json['state'] === 'done');
  const headers = bearerHeaders(await site.staffToken(person));
  assert.equal((await createHttpClient(site.server.url)({ path: `${path}/results`, headers })).status, 200);
  await waitUntilSigned(site.server);
  const citizen = await site.citizenToken('demo-mary');
  const log = await site.request(citizen, 'GET', '/v1/access-log?before=999999999999999&limit=100');
  const uses = log.json['usages'] as readonly Members[];
  const reads = uses.filter(({ usage }) => usage === 'notification.status-read').map(({ queryId }) => String(queryId));
  assert.ok(reads.length > 90, JSON.stringify(log.json));
  for (const id of [reads[0], reads.at(-1)]) {
    const auditor: TestPerson = { subject: 'ada', roles: ['auditor'] };
    const [entry, ...others] = (await as(site, auditor, `GET /v1/staff/log?event=${id}`)).json['items'] as Members[];
    assert.deepEqual([entry?.['subject'], entry?.['operation'], others], ['chris', 'readServiceBatchResults', []]);
    const events = ((entry?.['events'] ?? []) as readonly Members[]).map((event) => event['id']);
    assert.ok(events.includes(id) && events.length <= 102, `${events.length} events`);
  }
});

test('an upload of staff never starts by itself', async () => {
  const site = siteOn('sqlite');
  const person = caseworker(site.service);
  const answer = await upload(site, person, rowsOf(['demo-mary']), '?start=automatic');
  assert.deepEqual(problemOf(answer), [400, 'bad-request']);
});

test('staff see and change only batches and webhooks of their own service, and without a service none', async () => {
  const site = siteOn('sqlite');
  const path = await uploadReady(site, rowsOf(['demo-mary']));
  const other = await site.server.runCommand(
    'clients',
    'create',
    'Other',
    '--secret',
    '--json',
    '--scopes',
    'notifications:send,notifications:read,webhooks:manage',
  );
  const { clientId } = JSON.parse(other.stdout) as { readonly clientId: string };
  const person = caseworker(clientId, 'olga');
  for (const [method, action] of [
    ['GET', ''],
    ['GET', '/preview'],
    ['GET', '/rows'],
    ['GET', '/results'],
    ['POST', '/start'],
    ['POST', '/cancel'],
  ] as const) {
    const answer = await as(
      site,
      person,
      `${method} ${path}${action}`,
      action === '/start' ? { reason: 'Mine.' } : undefined,
    );
    assert.deepEqual(problemOf(answer), [404, 'batch-not-found'], action);
  }
  assert.deepEqual((await as(site, person, `GET ${base}`)).json['items'], []);
  const client = await as(site, person, 'GET /v1/staff/client');
  assert.equal(client.json['clientId'], clientId);
  const webhook = await site.request(await site.clientToken(), 'POST', '/v1/webhooks', {
    url: 'http://127.0.0.1:1/calls',
  });
  const calls = `/v1/staff/webhooks/${String(webhook.json['id'])}`;
  assert.deepEqual(problemOf(await as(site, person, `GET ${calls}/calls`)), [404, 'webhook-not-found']);
  assert.deepEqual(problemOf(await as(site, person, `POST ${calls}/redeliver`)), [404, 'webhook-not-found']);
  const own = caseworker(site.service);
  assert.equal((await as(site, own, `POST ${calls}/redeliver`)).status, 202);
  const [redelivery] = await entriesOf(site, 'redeliverServiceWebhook');
  assert.deepEqual(redelivery?.['before'], { status: 'active', waiting: 0, dead: 0 });
  assert.equal((await as(site, own, `POST ${calls}/test`, {})).json['outcome'], 'unreachable');
  const nobody = { subject: 'nina', roles: ['caseworker'] };
  assert.deepEqual(problemOf(await as(site, nobody, `GET ${base}`)), [403, 'missing-scope']);
});

test('without four eyes a batch over the limit starts, and its preview counts text messages and letters', async (t) => {
  const site = await openStaffSite(t, { settings: { STAFF_FOUR_EYES: 'off', STAFF_BATCH_LIMIT: '1' } });
  const person = caseworker(site.service);
  // Only demo-lukasz has a phone number and a postal address.
  const rows = [
    'demo-lukasz,Hello,sms',
    'demo-lukasz,Hello again,sms letter',
    'demo-mary,Hello,sms',
    'demo-mary,,letter',
  ];
  const csv = `citizenId,message,channels\r\n${rows.join('\r\n')}\r\n`;
  const path = await uploadReady(site, csv);
  const { json } = await as(site, person, `GET ${path}/preview`);
  assert.deepEqual(json['estimate'], { messages: 3, planned: 3, textMessages: 2, letters: 1 });
  const started = await as(site, person, `POST ${path}/start`, { reason: 'A trial.' });
  assert.deepEqual([started.status, started.json['proposal']], [200, null], JSON.stringify(started.json));
  assert.equal(Object(started.json['batch']).state, 'sending');
});
