import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fileCleanupScope } from '../support/server-process.ts';
import { openStaffSite, type StaffSite } from '../support/staff-site.ts';

// Caseworkers act for their service; support reads a look-up again.
let site: StaffSite;

const thisFile = fileCleanupScope();
before(async () => {
  site = await openStaffSite(thisFile);
});

type Members = Readonly<Record<string, unknown>>;
const message = { citizenId: 'demo-mary', subject: 'A subject', message: 'A secret text.' };

const chrisOf = (service: string | undefined) =>
  site.staffToken({ subject: 'chris', roles: ['caseworker'], ...(service === undefined ? {} : { service }) });

async function entriesOf(operation: string): Promise<readonly Members[]> {
  const auditor = await site.staffToken({ subject: 'ada', roles: ['auditor'] });
  const log = await site.request(auditor, 'GET', `/v1/staff/log?operation=${operation}`);
  return log.json['items'] as readonly Members[];
}

test('a caseworker sends a message for the service, and the staff log names the person with the event of the message', async () => {
  const token = await chrisOf(site.service);
  const sent = await site.request(token, 'POST', '/v1/staff/notifications', message);
  assert.deepEqual([sent.status, sent.headers['location']], [202, undefined], JSON.stringify(sent.json));
  const client = await site.clientToken();
  const read = await site.request(client, 'GET', `/v1/notifications/${String(sent.json['id'])}`);
  assert.equal(read.status, 200);
  const [entry] = await entriesOf('sendServiceNotification');
  const { subject, service, after, events } = entry ?? {};
  assert.deepEqual(
    { subject, service, after, events: (events as readonly Members[]).length },
    {
      subject: 'chris',
      service: site.service,
      after: { notification: sent.json['id'], status: 'accepted' },
      events: 1,
    },
  );
  assert.doesNotMatch(JSON.stringify(entry), /secret/);
});

test('a preview of a caseworker sends nothing and is in the staff log', async () => {
  const token = await chrisOf(site.service);
  const shown = await site.request(token, 'POST', '/v1/staff/notifications/preview', message);
  const channels = (shown.json['channels'] as readonly Members[]).map(({ channel }) => channel);
  assert.deepEqual([shown.status, channels[0]], [200, 'inbox'], JSON.stringify(shown.json));
  assert.equal((await entriesOf('previewServiceNotification')).length, 1);
});

test('a caseworker without a service, or of a disabled or unknown one, cannot act for it', async () => {
  const [receiving, disabled] = [await createService('events:read'), await createService('notifications:send')];
  const ended = await site.server.runCommand('clients', 'disable', disabled);
  assert.equal(ended.code, 0, ended.stderr);
  const attempts = [
    [undefined, 'missing-scope'],
    ['unknown', 'service-needed'],
    [disabled, 'service-needed'],
    // The client of the service may not send.
    [receiving, 'missing-scope'],
  ] as const;
  for (const [service, problem] of attempts) {
    const { status, json } = await site.request(await chrisOf(service), 'POST', '/v1/staff/notifications', message);
    assert.deepEqual([status, String(json['type']).split('/').at(-1)], [403, problem], String(service));
  }
});

test('a template that a caseworker creates belongs to the service, and a caseworker of another service does not find it', async () => {
  const [token, other] = [await chrisOf(site.service), await chrisOf(await createService('notifications:send'))];
  const texts = [{ language: 'en', subject: 'Your permit', message: 'Dear ((name)), it is ready.' }];
  const body = { name: 'Permit is ready', defaultLanguage: 'en', texts };
  const created = await site.request(token, 'POST', '/v1/staff/templates', body);
  assert.equal(created.status, 201, JSON.stringify(created.json));
  const path = `/v1/staff/templates/${String(created.json['id'])}`;
  assert.deepEqual((await site.request(token, 'GET', path)).json, created.json);
  assert.equal((await site.request(other, 'GET', path)).status, 404);
  assert.deepEqual((await site.request(other, 'GET', '/v1/staff/templates')).json, { items: [] });
  assert.equal((await site.request(other, 'DELETE', path)).status, 404);
  assert.equal((await site.request(token, 'DELETE', path)).status, 200);
  const logged = [...(await entriesOf('createServiceTemplate')), ...(await entriesOf('removeServiceTemplate'))];
  const { id, name } = created.json;
  assert.deepEqual(
    logged.map(({ before: was, after }) => [was, after]),
    [
      [undefined, { template: id, name }],
      [
        { template: id, name },
        { removed: id, name },
      ],
    ],
  );
});

async function createService(scope: string): Promise<string> {
  const made = await site.server.runCommand('clients', 'create', 'Other', '--secret', '--json', '--scopes', scope);
  return (JSON.parse(made.stdout) as { clientId: string }).clientId;
}

test('a look-up is read again by the person who made it, without a second entry, and by nobody else', async () => {
  const act = { reason: 'citizen-asked', reference: 'CASE-1' };
  const [sam, kim] = await Promise.all(
    ['sam', 'kim'].map((subject) => site.staffToken({ subject, roles: ['support'], service: site.service })),
  );
  const made = await site.request(sam ?? '', 'POST', '/v1/staff/look-ups', { ...act, citizenId: 'demo-mary' });
  const path = `/v1/staff/look-ups/${String(made.json['id'])}`;
  const again = await site.request(sam ?? '', 'GET', path);
  assert.deepEqual([again.status, Object.keys(again.json)], [200, Object.keys(made.json)]);
  assert.equal((await site.request(kim ?? '', 'GET', path)).status, 404);
  assert.equal((await entriesOf('lookUpCitizen')).length, 1);
  const hits = again.json['hits'] as readonly Members[];
  assert.doesNotMatch(JSON.stringify(hits), /"hidden|CASE-1|"sam"/);
  const erased = await site.server.runCommand('citizens', 'erase', 'demo-lukasz', '--yes');
  assert.equal(erased.code, 0, erased.stderr);
  assert.equal((await site.request(sam ?? '', 'GET', path)).status, 404);
});
