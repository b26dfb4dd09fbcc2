import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, waitUntilSigned } from '../support/server-process.ts';
import { openStaffSite, type StaffSite } from '../support/staff-site.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

const thisFile = fileCleanupScope();
const sites = new Map<string, StaffSite>();
before(async () => {
  for (const { name: engine } of engines) sites.set(engine, await openStaffSite(thisFile, { engine }));
});
const siteOn = (engine: string) => sites.get(engine) ?? assert.fail(`no site on ${engine}`);

type Members = Readonly<Record<string, unknown>>;

async function entriesOf(site: StaffSite, query: string): Promise<readonly Members[]> {
  const auditor = await site.staffToken({ subject: 'ada', roles: ['auditor'] });
  return (await site.request(auditor, 'GET', `/v1/staff/log?${query}`)).json['items'] as readonly Members[];
}

/** Runs a command that must succeed, and returns what it prints. */
async function run(site: StaffSite, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommandInProcess(site.server, ...args);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** Runs the commands that the staff log records, and returns their names. */
async function runRecordedCommands(site: StaffSite): Promise<readonly string[]> {
  const policy = join(makeTestFolder('cs-shell-'), 'town.json');
  writeFileSync(policy, JSON.stringify({ name: 'town-1', threshold: 0.99 }));
  const client = await run(site, 'clients', 'create', 'Water', '--scopes', 'events:read', '--secret', '--json');
  const { clientId } = JSON.parse(client) as { readonly clientId: string };
  const hold = await run(site, 'holds', 'add', '--citizen', 'demo-haruka', '--reason', 'Court order 4');
  await site.request(await site.citizenToken('demo-anh'), 'POST', '/v1/register-lock', { locked: true });
  const message = { citizenId: 'demo-haruka', subject: 'Hello', message: 'A text.' };
  const sent = await site.request(await site.clientToken(), 'POST', '/v1/notifications/send', message);
  const commands: readonly (readonly [string, string, ...string[]])[] = [
    ['clients', 'update', clientId, '--scopes', 'events:read,access-log:hide'],
    ['clients', 'bind', clientId, 'dpop'],
    ['webhooks', 'hosts', clientId, '--set', 'hooks.example.gov'],
    ['clients', 'disable', clientId],
    ['policies', 'add', policy],
    ['retention-classes', 'add', 'permit', '--keep-days', '10', '--basis', 'Building Act'],
    ['holds', 'release', hold],
    ['citizens', 'lock', 'demo-haruka'],
    ['citizens', 'unlock', 'demo-haruka'],
    ['citizens', 'unlock', 'demo-anh', '--own', '--reason', 'You asked for it.'],
    ['ledger', 'access-log', 'demo-haruka'],
    ['notifications', 'show', String(sent.json['id'])],
    ['citizens', 'erase', 'demo-haruka', '--yes'],
  ];
  for (const command of commands) await run(site, ...command);
  return ['clients create', 'holds add', ...commands.map(([group, verb]) => `${group} ${verb}`)];
}

for (const { name: engine } of engines) {
  test(`${engine}: each command that changes or shows data names its user and the change in the staff log, without the citizen`, async () => {
    const site = siteOn(engine);
    const operations = await runRecordedCommands(site);
    await waitUntilSigned(site.server);
    const subject = `shell:${userInfo().username}`;
    const entries = await entriesOf(site, `subject=${encodeURIComponent(subject)}`);
    const shown = entries.map(({ operation, before: was, after }) => [operation, was, after]).toReversed();
    const changes = new Map(shown.map(([operation, was, after]) => [String(operation), { was, after }]));
    assert.deepEqual(
      shown.map(([operation]) => operation),
      operations,
    );
    const scopesOf = (state: unknown) => Object(state).scopes as unknown;
    const update = changes.get('clients update');
    assert.deepEqual(
      [scopesOf(update?.was), scopesOf(update?.after)],
      [['events:read'], ['access-log:hide', 'events:read']],
    );
    assert.deepEqual(changes.get('citizens lock'), { was: { locked: false }, after: { locked: true } });
    assert.deepEqual(changes.get('citizens erase'), {
      was: { erased: false },
      after: { erased: true, keepsRegisterRow: false },
    });
    assert.doesNotMatch(JSON.stringify(entries), /demo-haruka|demo-anh|secretHash|cs_/);
    for (const entry of entries) {
      const events = entry['events'] as readonly Members[];
      assert.ok(events.length > 0, JSON.stringify(entry));
      for (const { proof } of events) assert.match(String(proof), /^c2sp\.org\/tlog-proof@v1\n/);
    }
  });

  test(`${engine}: concealed accesses and batches of a client are in the staff log with the client and the rows, and other acts are not`, async () => {
    const site = siteOn(engine);
    const created = await run(
      site,
      'clients',
      'create',
      'Police',
      '--secret',
      '--json',
      '--scopes',
      'identity:verify,notifications:send,notifications:read,access-log:hide',
    );
    const { clientId, clientSecret } = JSON.parse(created) as {
      readonly clientId: string;
      readonly clientSecret: string;
    };
    const token = await site.server.fetchAccessToken(undefined, { clientId, clientSecret });
    const claims = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
    const hiddenUntil = new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+Z$/, '.000Z');
    const response = await fetch(`${site.server.url}/v1/identity/verify`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'access-log-hidden-until': hiddenUntil,
        'access-log-hidden-reason': 'Investigation%2012',
      },
      body: JSON.stringify(claims),
    });
    assert.equal(response.status, 200, await response.text());
    assert.equal((await site.request(token, 'POST', '/v1/identity/verify', claims)).status, 200);
    const batch = await fetch(`${site.server.url}/v1/notification-batches?start=manual`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body: 'citizenId,subject,message\ndemo-mary,Hello,Text\n',
    });
    const { id } = (await batch.json()) as { readonly id: string };
    assert.equal(batch.status, 202, id);
    const path = `/v1/notification-batches/${id}`;
    await waitUntil(async () => (await site.request(token, 'GET', path)).json['state'] === 'ready');
    assert.equal((await site.request(token, 'POST', `${path}/start`)).status, 200);
    await waitUntilSigned(site.server);
    const entries = await entriesOf(site, `subject=${encodeURIComponent(`client:${clientId}`)}`);
    const shown = entries.map(({ operation, name, service, reason, reference, after }) => ({
      operation,
      name,
      service,
      reason,
      reference,
      after,
    }));
    const head = { name: 'Police', service: clientId };
    const ofBatch = { ...head, reason: undefined, reference: id };
    assert.deepEqual(shown.toReversed(), [
      {
        ...head,
        operation: 'verifyIdentity',
        reason: 'Investigation 12',
        reference: undefined,
        after: { hiddenUntil },
      },
      { ...ofBatch, operation: 'createNotificationBatch', after: { state: 'checking', rows: 1 } },
      { ...ofBatch, operation: 'startNotificationBatch', after: { state: 'sending', rows: 1 } },
    ]);
    assert.doesNotMatch(JSON.stringify(entries), /demo-mary/);
  });
}
