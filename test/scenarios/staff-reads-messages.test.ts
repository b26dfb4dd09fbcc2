import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, waitUntilSigned } from '../support/server-process.ts';
import { openStaffSite, type StaffSite } from '../support/staff-site.ts';

const thisFile = fileCleanupScope();
const sites = new Map<string, StaffSite>();
before(async () => {
  for (const { name: engine } of engines)
    sites.set(engine, await openStaffSite(thisFile, { engine, settings: { STAFF_LOOK_UPS_PER_HOUR: '2' } }));
});
const siteOn = (engine: string) => sites.get(engine) ?? assert.fail(`no site on ${engine}`);

type Members = Readonly<Record<string, unknown>>;
const act = { reason: 'complaint', reference: 'CASE-12' };
const problemOf = ({ status, json }: { readonly status: number; readonly json: Members }) =>
  [status, String(json['type']).split('/').at(-1)] as const;

async function sendMessage(site: StaffSite): Promise<string> {
  const message = { citizenId: 'demo-mary', subject: 'Your permit', message: 'It is **ready**. <b>' };
  const { json } = await site.request(await site.clientToken(), 'POST', '/v1/notifications/send', message);
  return String(json['id']);
}

type Reader = { readonly roles: readonly string[]; readonly service?: string; readonly subject?: string };
async function read(site: StaffSite, id: string, { subject = 'chris', ...reader }: Reader, body: Members = act) {
  const token = await site.staffToken({ subject, ...reader });
  return await site.request(token, 'POST', `/v1/staff/notifications/${id}/read`, body);
}

for (const { name: engine } of engines)
  test(`${engine}: a caseworker reads a message of their service with a reason, and the citizen and the staff log see it`, async () => {
    const site = siteOn(engine);
    const id = await sendMessage(site);
    const caseworker = { roles: ['caseworker'], service: site.service };
    assert.equal((await read(site, id, caseworker, { reason: 'complaint' })).status, 400);
    const shown = await read(site, id, caseworker);
    assert.deepEqual(
      [shown.status, shown.json['subject'], shown.json['message']],
      [200, 'Your permit', 'It is **ready**. <b>'],
    );
    assert.match(String(shown.json['html']), /<strong>ready<\/strong>\. &lt;b&gt;/);
    await waitUntilSigned(site.server);
    const citizen = await site.citizenToken('demo-mary');
    const log = await site.request(citizen, 'GET', '/v1/access-log?before=999999999999999&limit=5');
    const uses = log.json['usages'] as readonly Members[];
    const use = uses.find(({ usage }) => usage === 'notification.content-read') ?? assert.fail(JSON.stringify(uses));
    assert.deepEqual(
      [use['queryId'], use['details'], Object(use['initiatorOrg']).code],
      [shown.json['event'], { notification: id, reason: 'complaint' }, site.service],
    );
    const auditor = await site.staffToken({ subject: 'ada', roles: ['auditor'] });
    const entries = await site.request(auditor, 'GET', `/v1/staff/log?event=${String(shown.json['event'])}`);
    const [entry] = entries.json['items'] as readonly Members[];
    const { subject, operation, reason, reference, after } = entry ?? {};
    assert.deepEqual(
      { subject, operation, reason, reference, after },
      { subject: 'chris', operation: 'readServiceNotification', ...act, after: { notification: id } },
    );
    assert.doesNotMatch(JSON.stringify(entry), /Your permit|\*\*ready|demo-mary/);
  });

test('nobody else reads a message: not support, another service, the client of the server itself, or a person over the limit', async () => {
  const site = siteOn('sqlite');
  const id = await sendMessage(site);
  const { service } = site;
  const created = await runCommandInProcess(
    site.server,
    'clients',
    'create',
    'Other',
    '--scopes',
    'notifications:send',
    '--secret',
    '--json',
  );
  const { clientId: other } = JSON.parse(created.stdout) as { readonly clientId: string };
  const attempts = [
    [{ roles: ['support', 'approver', 'operator', 'auditor'], service }, 403, 'missing-scope'],
    [{ roles: ['caseworker'] }, 403, 'missing-scope'],
    [{ roles: ['caseworker'], service: other }, 404, 'notification-not-found'],
    [{ roles: ['caseworker'], service: 'citizen-services' }, 403, 'service-needed'],
  ] as const;
  for (const [reader, ...refused] of attempts)
    assert.deepEqual(problemOf(await read(site, id, { ...reader, subject: 'other' })), refused, JSON.stringify(reader));
  const busy = { roles: ['caseworker'], service, subject: 'busy' };
  for (let made = 0; made < 2; made += 1) assert.equal((await read(site, id, busy)).status, 200);
  const over = await read(site, id, busy);
  assert.deepEqual(problemOf(over), [429, 'look-ups-exceeded']);
  assert.doesNotMatch(JSON.stringify(over.json), /permit/);
  assert.equal((await read(site, id, { ...busy, subject: 'colleague' })).status, 200);
});
