import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { type ClientSecretCredentials, fileCleanupScope } from '../support/server-process.ts';
import { openStaffSite, type StaffSite, type TestPerson } from '../support/staff-site.ts';
import { waitUntil } from '../support/wait-until.ts';

const thisFile = fileCleanupScope();
const sites = new Map<string, StaffSite>();
before(async () => {
  for (const { name: engine } of engines) sites.set(engine, await openStaffSite(thisFile, { engine }));
});
const siteOn = (engine: string) => sites.get(engine) ?? assert.fail(`no site on ${engine}`);

type Members = Readonly<Record<string, unknown>>;
const operator: TestPerson = { subject: 'olu', roles: ['operator'] };

type Asked = { readonly body?: Members; readonly person?: TestPerson };
async function ask(site: StaffSite, method: string, path: string, { body, person = operator }: Asked = {}) {
  return await site.request(await site.staffToken(person), method, `/v1/staff/${path}`, body);
}
const itemsOf = ({ json }: { readonly json: Members }) => json['items'] as readonly Members[];
const problemOf = ({ status, json }: { readonly status: number; readonly json: Members }) =>
  [status, String(json['type']).split('/').at(-1)] as const;

async function lastEntry(site: StaffSite, operation: string): Promise<Members> {
  const auditor = { subject: 'ada', roles: ['auditor'] };
  const [entry] = itemsOf(await ask(site, 'GET', `log?operation=${operation}`, { person: auditor }));
  return entry ?? assert.fail(`no entry of ${operation}`);
}

for (const { name: engine } of engines) {
  test(`${engine}: an operator pauses a channel, its messages wait, and they are delivered after it is resumed`, async () => {
    const site = siteOn(engine);
    const reason = 'The mail server rejects everything.';
    assert.equal((await ask(site, 'POST', 'queues/email/pause', { body: { reason } })).status, 200);
    assert.deepEqual(problemOf(await ask(site, 'POST', 'queues/email/pause', { body: { reason } })), [409, 'conflict']);
    const client = await site.clientToken();
    const sent = await site.request(client, 'POST', '/v1/notifications/send', {
      citizenId: 'demo-mary',
      subject: 'Hello',
      message: 'This waits.',
    });
    const deliveryStates = async () => {
      const shown = await site.request(client, 'GET', `/v1/notifications/${String(sent.json['id'])}`);
      const deliveries = shown.json['deliveries'] as readonly Members[];
      return deliveries.map(({ channel, status }) => `${channel} ${status}`);
    };
    await waitUntil(async () => (await deliveryStates()).includes('inbox sent'));
    assert.ok((await deliveryStates()).includes('email queued'), String(await deliveryStates()));
    const queue = itemsOf(await ask(site, 'GET', 'queues')).find(({ channel }) => channel === 'email');
    assert.equal(queue?.['due'], 1);
    const { name, reason: stated } = Object(queue?.['paused']);
    assert.deepEqual([name, stated], ['Name of olu', reason]);
    const attention = await ask(site, 'GET', 'attention');
    assert.deepEqual((attention.json['pausedChannels'] as readonly Members[])[0]?.['channel'], 'email');
    assert.equal((await ask(site, 'POST', 'queues/email/resume', { body: {} })).status, 400);
    const resumed = { body: { reason: 'The mail server works again.' } };
    assert.equal((await ask(site, 'POST', 'queues/email/resume', resumed)).status, 200);
    await waitUntil(async () => /email (sent|delivered)/.test(String(await deliveryStates())));
    assert.deepEqual(problemOf(await ask(site, 'POST', 'queues/email/resume', resumed)), [409, 'conflict']);
    const entry = await lastEntry(site, 'pauseChannel');
    assert.deepEqual(
      [entry['subject'], entry['reason'], entry['after'], (entry['events'] as readonly Members[]).length],
      ['olu', reason, { channel: 'email', paused: true }, 1],
    );
    const end = await lastEntry(site, 'resumeChannel');
    assert.deepEqual([end['reason'], end['after']], [resumed.body.reason, { channel: 'email', paused: false }]);
  });

  test(`${engine}: an operator reads the use of a client and disables it, which ends its tokens`, async () => {
    const site = siteOn(engine);
    const claims = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
    const [client] = site.server.readDemoFile().clients.filter(({ clientId }) => clientId === site.service);
    const token = await site.server.fetchAccessToken(undefined, client);
    assert.equal((await site.request(token, 'POST', '/v1/identity/verify', claims)).status, 200);
    const listed = itemsOf(await ask(site, 'GET', 'clients')).find(({ clientId }) => clientId === site.service);
    assert.ok(Number(listed?.['requests']) > 0 && listed?.['lastUsedOn'] !== null, JSON.stringify(listed));
    const shown = await ask(site, 'GET', `clients/${site.service}`);
    const { counts } = Object(shown.json['usage']);
    assert.ok(
      (counts as readonly Members[]).some(({ outcome }) => outcome === 'match'),
      JSON.stringify(counts),
    );
    assert.doesNotMatch(JSON.stringify(shown.json), /secretHash|cs_demo_/);
    const reason = 'Its secret was published.';
    const disabled = await ask(site, 'POST', `clients/${site.service}/disable`, { body: { reason } });
    assert.equal(disabled.status, 200, JSON.stringify(disabled.json));
    assert.deepEqual(problemOf(await ask(site, 'POST', `clients/${site.service}/disable`, { body: { reason } })), [
      409,
      'conflict',
    ]);
    assert.equal((await site.request(token, 'GET', '/v1/client')).status, 401);
    const entry = await lastEntry(site, 'disableClient');
    assert.deepEqual([entry['subject'], entry['reason']], ['olu', reason]);
    const after = itemsOf(await ask(site, 'GET', 'clients')).find(({ clientId }) => clientId === site.service);
    assert.notEqual(after?.['disabledAt'], null);
  });
}

test('an operator of a service sees only its client, and cannot pause a channel of all services', async () => {
  const site = siteOn('sqlite');
  const person = { ...operator, subject: 'una', service: 'service-one' };
  assert.deepEqual(itemsOf(await ask(site, 'GET', 'clients', { person })), []);
  const reason = 'A test.';
  for (const [method, path] of [
    ['GET', `clients/${site.service}`],
    ['POST', `clients/${site.service}/disable`],
  ] as const) {
    const answer = await ask(site, method, path, method === 'GET' ? { person } : { body: { reason }, person });
    assert.deepEqual(problemOf(answer), [404, 'client-not-found'], path);
  }
  for (const change of ['pause', 'resume'])
    assert.deepEqual(problemOf(await ask(site, 'POST', `queues/sms/${change}`, { body: { reason }, person })), [
      403,
      'affects-all-services',
    ]);
});

test('the list of what needs attention names messages about which the citizen must act, of the own service', async () => {
  const site = siteOn('postgres');
  const message = { citizenId: 'demo-mary', subject: 'Hello', message: 'This bounces.' };
  const args = ['clients', 'create', 'Tax', '--scopes', 'notifications:send', '--secret', '--json'];
  const client = JSON.parse((await runCommandInProcess(site.server, ...args)).stdout) as ClientSecretCredentials;
  const token = await site.server.fetchAccessToken(undefined, client);
  const sent = await site.request(token, 'POST', '/v1/notifications/send', message);
  const id = String(sent.json['id']);
  const db = await site.server.openDb();
  const sql =
    "update delivery set reason = 'address-refused', status = 'failed' where notification_id = $1 and channel = 'email' and status in ('sent', 'delivered') returning id";
  await waitUntil(async () => ((await db.write([{ sql, args: [id] }]))[0] ?? []).length === 1);
  await db.close();
  const namedFor = async (person: TestPerson) => {
    const { json } = await ask(site, 'GET', 'attention', { person });
    const failures = json['failures'] as readonly Members[];
    return failures.find(({ reason }) => reason === 'address-refused')?.['notifications'];
  };
  assert.deepEqual(await namedFor(operator), [id]);
  assert.deepEqual(await namedFor({ ...operator, service: client.clientId }), [id]);
  assert.deepEqual(await namedFor({ ...operator, service: 'other-service' }), []);
});

test('the list of what needs attention names webhooks that the server has disabled, with a contact of the client', async () => {
  const site = siteOn('postgres');
  const args = ['clients', 'create', 'Harbour', '--scopes', 'webhooks:manage', '--secret', '--json'];
  const made = await runCommandInProcess(site.server, ...args, '--contact-email', 'it@harbour.example');
  const client = JSON.parse(made.stdout) as ClientSecretCredentials;
  const token = await site.server.fetchAccessToken(undefined, client);
  const { json } = await site.request(token, 'POST', '/v1/webhooks', { url: 'http://127.0.0.1:1/' });
  const webhooks = async () => (await ask(site, 'GET', 'attention')).json['webhooks'];
  assert.deepEqual(await webhooks(), []);
  const db = await site.server.openDb();
  await db.write([{ sql: "update webhook set status = 'disabled' where id = $1", args: [String(json['id'])] }]);
  await db.close();
  const { clientId } = client;
  assert.deepEqual(await webhooks(), [
    { id: json['id'], clientId, organisation: 'Harbour', disabled: true, contact: 'it@harbour.example' },
  ]);
});

for (const { name: engine } of engines)
  test(`${engine}: the time of the last backup is unknown until one is recorded, and an older record does not replace it`, async () => {
    const site = siteOn(engine);
    const lastBackup = async () => (await ask(site, 'GET', 'attention')).json['lastBackupAt'];
    assert.equal(await lastBackup(), null);
    const record = async (begunAt: string) =>
      (await runCommandInProcess(site.server, 'backup', 'record', begunAt)).code;
    assert.equal(await record('2026-11-22T03:00:00Z'), 0);
    assert.equal(await record('2026-11-21T03:00:00+01:00'), 0);
    assert.equal(await record('9000-01-01T00:00:00Z'), 2);
    assert.equal(await record('yesterday'), 2);
    assert.equal(await lastBackup(), '2026-11-22T03:00:00.000Z');
  });
