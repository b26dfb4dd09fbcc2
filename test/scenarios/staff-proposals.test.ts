import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import { proposableOperations } from '../../src/staff/proposable/proposable-operations.ts';
import { engines } from '../support/database-engines.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, waitUntilSigned } from '../support/server-process.ts';
import { openStaffSite, type StaffSite, staffRoles, type TestPerson } from '../support/staff-site.ts';

const thisFile = fileCleanupScope();
const sites = new Map<string, StaffSite>();
before(async () => {
  for (const { name: engine } of engines) sites.set(engine, await openStaffSite(thisFile, { engine }));
});
const siteOn = (engine: string) => sites.get(engine) ?? assert.fail(`no site on ${engine}`);

type Members = Readonly<Record<string, unknown>>;
const listOf = (from: Members | undefined, name: string) => (from?.[name] ?? []) as readonly Members[];
const operator: TestPerson = { subject: 'olu', roles: ['operator'] };
const approver: TestPerson = { subject: 'alex', roles: ['approver'] };

async function propose(site: StaffSite, operation: string, input: Members, person = operator) {
  const body = { operation, input, reason: 'The case needs it.' };
  return await site.request(await site.staffToken(person), 'POST', '/v1/staff/proposals', body);
}

async function decide(site: StaffSite, id: unknown, decision: 'approve' | 'refuse', person = approver) {
  return await site.request(await site.staffToken(person), 'POST', `/v1/staff/proposals/${String(id)}/${decision}`, {});
}

const problemOf = ({ status, json }: { readonly status: number; readonly json: Members }) =>
  [status, String(json['type']).split('/').at(-1)] as const;

async function entriesOf(site: StaffSite, query: string): Promise<readonly Members[]> {
  const auditor = await site.staffToken({ subject: 'ada', roles: ['auditor'] });
  return (await site.request(auditor, 'GET', `/v1/staff/log?${query}`)).json['items'] as readonly Members[];
}

const publicKeys = async () => {
  const { publicKey } = await generateKeyPair('ES256');
  return { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] };
};

for (const { name: engine } of engines) {
  test(`${engine}: an approved erasure erases the citizen, and the staff log and one ledger event name both people`, async () => {
    const site = siteOn(engine);
    const proposed = await propose(site, 'eraseCitizen', { citizenId: 'demo-haruka' });
    assert.deepEqual([proposed.status, proposed.json['status']], [202, 'proposed'], JSON.stringify(proposed.json));
    const { id } = proposed.json;
    const approved = await decide(site, id, 'approve');
    assert.deepEqual([approved.status, approved.json['status']], [200, 'approved'], JSON.stringify(approved.json));
    assert.deepEqual(problemOf(await decide(site, id, 'approve')), [409, 'proposal-ended']);
    assert.deepEqual(problemOf(await decide(site, id, 'refuse')), [409, 'proposal-ended']);
    await waitUntilSigned(site.server);
    const [entry] = await entriesOf(site, 'operation=eraseCitizen');
    const { subject, reason, reference, before: earlier, after } = entry ?? {};
    assert.deepEqual(
      [subject, reason, reference, earlier, after],
      ['alex', 'The case needs it.', id, { erased: false }, { erased: true, keepsRegisterRow: false }],
    );
    const events = listOf(entry, 'events');
    assert.equal(events.length, 2);
    for (const { proof } of events) assert.match(String(proof), /^c2sp\.org\/tlog-proof@v1\n/);
    const read = await site.request(await site.staffToken(approver), 'GET', `/v1/staff/proposals/${String(id)}`);
    const { proposedBy, decision, input } = read.json;
    assert.deepEqual(proposedBy, { subject: 'olu', name: 'Name of olu' });
    assert.equal((decision as Members)['subject'], 'alex');
    // The erasure replaced the id of the citizen in the proposal too.
    assert.match(String((input as Members)['citizenId']), /^erased:[0-9a-f]{32}$/);
    const again = await propose(site, 'eraseCitizen', { citizenId: 'demo-never-known' });
    assert.deepEqual(problemOf(await decide(site, again.json['id'], 'approve')), [409, 'conflict']);
  });

  test(`${engine}: concurrent approvals of one proposal take effect once`, async () => {
    const site = siteOn(engine);
    const wanted = { name: 'Water Board', kind: 'test', scopes: ['notifications:send'], jwks: await publicKeys() };
    const proposed = await propose(site, 'createClient', wanted);
    assert.equal(proposed.status, 202, JSON.stringify(proposed.json));
    const others = ['alex', 'kim', 'lee'].map((subject) => ({ subject, roles: ['approver'] }));
    const results = await Promise.all(others.map((person) => decide(site, proposed.json['id'], 'approve', person)));
    assert.deepEqual(results.map(({ status }) => status).sort(), [200, 409, 409]);
    assert.equal((await entriesOf(site, 'operation=createClient')).length, 1);
  });
}

test('nobody approves or refuses their own proposal, also with all roles and also when it has ended', async () => {
  const site = siteOn('sqlite');
  const everything = { subject: 'root', roles: [...staffRoles] };
  const { json } = await propose(site, 'eraseCitizen', { citizenId: 'demo-anh' }, everything);
  for (const decision of ['approve', 'refuse'] as const)
    assert.deepEqual(problemOf(await decide(site, json['id'], decision, everything)), [403, 'own-proposal']);
  assert.equal((await decide(site, json['id'], 'refuse')).json['status'], 'refused');
  assert.deepEqual(problemOf(await decide(site, json['id'], 'approve', everything)), [403, 'own-proposal']);
  assert.deepEqual(problemOf(await decide(site, json['id'], 'approve')), [409, 'proposal-ended']);
});

test('a proposal needs a right of its operation, a valid input, and a state that allows it', async () => {
  const site = siteOn('sqlite');
  for (const { name, proposers } of proposableOperations)
    for (const role of staffRoles) {
      const scope = { support: 'staff:support', caseworker: 'staff:send', approver: 'staff:approve' }[String(role)];
      const own = scope ?? (role === 'operator' ? 'staff:operate' : 'staff:audit');
      const answer = await propose(site, name, {}, { subject: 'one', roles: [role], service: site.service });
      const isPermitted = proposers.some((one) => one === own);
      assert.deepEqual(
        problemOf(answer),
        isPermitted ? [400, 'bad-request'] : [403, 'missing-scope'],
        `${name} ${role}`,
      );
    }
  const impossible: Readonly<Record<string, Members>> = {
    releaseHold: { hold: 'hld_01JD3Y9Z8Q6W2V5T4R7N0M1KXC' },
    liftCitizenLock: { citizenId: 'demo-mary', messageToCitizen: 'You asked for it.' },
    addPolicy: { document: '{}' },
    createClient: { name: 'Both', kind: 'live', scopes: ['events:read'] },
  };
  for (const [operation, input] of Object.entries(impossible))
    assert.deepEqual(problemOf(await propose(site, operation, input)), [409, 'conflict'], operation);
  const unknown = { clientId: 'unknown', scopes: ['events:read'] };
  assert.deepEqual(problemOf(await propose(site, 'changeClient', unknown)), [404, 'client-not-found']);
});

test('operators of a service change only their own client, and learn nothing about another one', async () => {
  const site = siteOn('sqlite');
  const args = ['clients', 'create', 'Two', '--scopes', 'notifications:send', '--secret', '--json'];
  const made = await runCommandInProcess(site.server, ...args);
  const { clientId } = JSON.parse(made.stdout) as { readonly clientId: string };
  const una: TestPerson = { subject: 'uma', roles: ['operator'], service: clientId };
  for (const other of [site.service, 'unknown']) {
    const refused = await propose(site, 'changeClient', { clientId: other, scopes: ['events:read'] }, una);
    assert.deepEqual(problemOf(refused), [404, 'client-not-found'], other);
    assert.equal(refused.json['before'], undefined);
  }
  const own = await propose(site, 'changeClient', { clientId, scopes: ['events:read'] }, una);
  assert.equal(own.status, 202, JSON.stringify(own.json));
  const approved = await decide(site, own.json['id'], 'approve', { ...approver, service: clientId });
  assert.equal(approved.status, 200, JSON.stringify(approved.json));
});

test('an operation on all services is approved only by a person who belongs to no service', async () => {
  const site = siteOn('sqlite');
  const service = 'service-three';
  const wanted: Readonly<Record<string, Members>> = {
    eraseCitizen: { citizenId: 'demo-lukasz' },
    createClient: { name: 'Harbour', kind: 'test', scopes: ['notifications:send'], jwks: await publicKeys() },
    addPolicy: { document: JSON.stringify({ name: 'town-3', threshold: 0.99 }) },
  };
  for (const [operation, input] of Object.entries(wanted)) {
    const proposed = await propose(site, operation, input, { subject: 'uma', roles: ['operator'], service });
    assert.equal(proposed.status, 202, JSON.stringify(proposed.json));
    const { id } = proposed.json;
    const byService = await decide(site, id, 'approve', { ...approver, service });
    assert.deepEqual(problemOf(byService), [403, 'affects-all-services'], operation);
    assert.deepEqual(await entriesOf(site, `operation=${operation}&service=${service}`), []);
    assert.equal((await decide(site, id, 'approve')).status, 200, operation);
  }
});

test('a proposal that is not possible is in the staff log with its person, and one person can make 60 of them in an hour', async () => {
  const site = siteOn('sqlite');
  const nosy: TestPerson = { subject: 'nosy', roles: ['support'], service: site.service };
  const input = { citizenId: 'demo-eleni', messageToCitizen: 'You asked for it.' };
  for (let made = 0; made < 60; made += 1)
    assert.deepEqual(problemOf(await propose(site, 'liftCitizenLock', input, nosy)), [409, 'conflict']);
  const citizen = await site.citizenToken('demo-eleni');
  const locked = await site.request(citizen, 'POST', '/v1/register-lock', { locked: true });
  assert.ok(locked.status < 300, JSON.stringify(locked.json));
  // The response no longer depends on the lock.
  const refused = await propose(site, 'liftCitizenLock', input, nosy);
  assert.deepEqual(problemOf(refused), [429, 'look-ups-exceeded']);
  assert.ok(Number(refused.headers['retry-after']) > 3_000);
  const entries = await entriesOf(site, 'operation=rejectedProposal&subject=nosy');
  assert.equal(entries.length, 60);
  const [{ reason, after, events } = {}] = entries;
  assert.deepEqual([reason, after], ['The case needs it.', { proposed: 'liftCitizenLock' }]);
  assert.equal((events as readonly Members[]).length, 1);
  assert.equal((await propose(site, 'liftCitizenLock', input, { ...nosy, subject: 'sam' })).status, 202);
});

test('an approved change of a client records its rights before and after', async () => {
  const site = siteOn('sqlite');
  const wanted = { name: 'Parking', kind: 'live', scopes: ['notifications:send'], jwks: await publicKeys() };
  const created = await propose(site, 'createClient', wanted);
  await decide(site, created.json['id'], 'approve');
  const [made] = await entriesOf(site, 'operation=createClient');
  const clientId = Object(made?.['after']).clientId as unknown;
  const scopes = ['access-log:hide', 'notifications:send'];
  const change = await propose(site, 'changeClient', { clientId, scopes });
  assert.equal(change.status, 202, JSON.stringify(change.json));
  // Nothing changes before the approval.
  const changes = await entriesOf(site, 'operation=changeClient');
  assert.ok(changes.every(({ reference }) => reference !== change.json['id']));
  assert.equal((await decide(site, change.json['id'], 'approve')).status, 200);
  const [entry] = await entriesOf(site, 'operation=changeClient');
  const rights = { clientId, purposes: null, legalBases: null, policy: null };
  assert.deepEqual(
    [entry?.['before'], entry?.['after']],
    [
      { ...rights, scopes: ['notifications:send'] },
      { ...rights, scopes },
    ],
  );
});

test('a citizen lock is lifted by the approval, and the citizen sees the event without the names of staff', async () => {
  const site = siteOn('sqlite');
  const citizen = await site.citizenToken('demo-mary');
  const locked = await site.request(citizen, 'POST', '/v1/register-lock', { locked: true });
  assert.ok(locked.status < 300, JSON.stringify(locked.json));
  const input = { citizenId: 'demo-mary', messageToCitizen: 'You asked for it by letter.' };
  const proposed = await propose(site, 'liftCitizenLock', input, {
    subject: 'sam',
    roles: ['support'],
    service: site.service,
  });
  assert.equal(proposed.status, 202, JSON.stringify(proposed.json));
  assert.equal((await decide(site, proposed.json['id'], 'approve')).status, 200);
  await waitUntilSigned(site.server);
  const log = await site.request(citizen, 'GET', '/v1/access-log?before=999999999999999&limit=5');
  const uses = log.json['usages'] as readonly Members[];
  const lifted = uses.find(({ usage }) => usage === 'own-lock.lifted') ?? assert.fail(JSON.stringify(uses));
  assert.deepEqual([lifted['initiator'], lifted['details']], ['operator', { reason: 'You asked for it by letter.' }]);
  assert.doesNotMatch(JSON.stringify(uses), /"sam"|"alex"/);
});

test('support of a service proposes to release a hold on a document of the service, and no other hold', async () => {
  const site = siteOn('sqlite');
  const deposited = await fetch(`${site.server.url}/v1/documents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await site.clientToken()}`,
      'content-type': 'text/plain',
      'citizen-id': 'demo-aarav',
      'document-title': 'Permit',
    },
    body: 'A permit.',
  });
  const document = ((await deposited.json()) as Members)['id'];
  const place = async (...on: readonly string[]) => {
    const { code, stdout, stderr } = await runCommandInProcess(
      site.server,
      'holds',
      'add',
      ...on,
      '--reason',
      'Case 1',
    );
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  const [own, ofCitizen] = [await place(String(document)), await place('--citizen', 'demo-aarav')];
  const sam = { subject: 'sam', roles: ['support'], service: site.service };
  const found = await site.request(await site.staffToken(sam), 'POST', '/v1/staff/look-ups', {
    reason: 'citizen-asked',
    reference: 'CASE-1',
    citizenId: 'demo-aarav',
  });
  const [hit] = listOf(found.json, 'hits');
  assert.deepEqual(
    listOf(hit, 'holds').map(({ id, ofService }) => [id, ofService]),
    [
      [own, true],
      [ofCitizen, false],
    ],
  );
  assert.deepEqual(problemOf(await propose(site, 'releaseHold', { hold: ofCitizen }, sam)), [409, 'conflict']);
  const other = { ...sam, service: 'other-service' };
  assert.deepEqual(problemOf(await propose(site, 'releaseHold', { hold: own }, other)), [409, 'conflict']);
  const proposed = await propose(site, 'releaseHold', { hold: own }, sam);
  assert.equal(proposed.status, 202, JSON.stringify(proposed.json));
  assert.equal((await decide(site, proposed.json['id'], 'approve')).status, 200);
  const byOperator = await propose(site, 'releaseHold', { hold: ofCitizen });
  assert.equal(byOperator.status, 202, JSON.stringify(byOperator.json));
});

test('people of two services do not see or decide the proposals of each other', async () => {
  const site = siteOn('sqlite');
  const person = { subject: 'una', roles: ['operator'], service: 'service-one' };
  const { json } = await propose(site, 'eraseCitizen', { citizenId: 'demo-layla' }, person);
  const other = { ...approver, subject: 'other', service: 'service-two' };
  assert.deepEqual(problemOf(await decide(site, json['id'], 'approve', other)), [404, 'proposal-not-found']);
  const list = await site.request(await site.staffToken(other), 'GET', '/v1/staff/proposals?status=proposed');
  assert.deepEqual(list.json['items'], []);
  const own = await site.request(await site.staffToken(person), 'GET', '/v1/staff/proposals?status=proposed');
  assert.deepEqual(
    (own.json['items'] as readonly Members[]).map(({ id }) => id),
    [json['id']],
  );
  const attention = await site.request(await site.staffToken(operator), 'GET', '/v1/staff/attention');
  assert.ok(Number((attention.json['proposals'] as Members)['count']) >= 1);
  assert.equal((await decide(site, json['id'], 'refuse', { ...other, service: 'service-one' })).status, 200);
});

test('the pages of a list have only proposals of the own service in the wanted state, also if many others are newer', async () => {
  const site = siteOn('postgres');
  const una = { subject: 'una', roles: ['operator'], service: 'harbour' };
  const proposeMany = async (person: TestPerson, names: readonly string[]) => {
    const ids: unknown[] = [];
    for (const name of names) ids.push((await propose(site, 'eraseCitizen', { citizenId: name }, person)).json['id']);
    return ids;
  };
  const [expired, refused, ...waiting] = await proposeMany(una, ['list-1', 'list-2', 'list-3', 'list-4', 'list-5']);
  await proposeMany({ ...una, subject: 'other', service: 'market' }, ['list-6', 'list-7', 'list-8']);
  const member = { ...approver, service: 'harbour' };
  assert.equal((await decide(site, refused, 'refuse', member)).status, 200);
  const db = await site.server.openDb();
  await db.write([{ sql: 'update staff_proposal set expires_at = $1 where id = $2', args: [1, String(expired)] }]);
  await db.close();
  const pageFor = async (person: TestPerson, query: string) => {
    const { json } = await site.request(await site.staffToken(person), 'GET', `/v1/staff/proposals?${query}`);
    return { ids: listOf(json, 'items').map(({ id }) => id), next: json['next'] };
  };
  const newest = waiting.toReversed();
  const first = await pageFor(member, 'status=proposed&limit=2');
  assert.deepEqual(first, { ids: newest.slice(0, 2), next: newest[1] });
  const second = await pageFor(member, `status=proposed&limit=2&cursor=${String(first.next)}`);
  assert.deepEqual(second, { ids: newest.slice(2), next: null });
  assert.deepEqual(await pageFor(member, 'status=ended'), { ids: [refused, expired], next: null });
  assert.deepEqual((await pageFor(member, 'status=expired')).ids, [expired]);
  assert.deepEqual((await pageFor(member, 'operation=startBatch')).ids, []);
  // Without a right to decide or audit, people see their own proposals only.
  const helper = { ...una, roles: ['support'], service: 'market' };
  assert.deepEqual((await pageFor(helper, 'status=proposed')).ids, newest);
  assert.deepEqual((await pageFor({ ...helper, subject: 'sam' }, '')).ids, []);
  const attention = await site.request(await site.staffToken(una), 'GET', '/v1/staff/attention');
  assert.equal(Object(attention.json['proposals']).count, 3);
});

test('without four eyes a proposal takes effect at once, and the staff log has it', async (t) => {
  const site = await openStaffSite(t, { settings: { STAFF_FOUR_EYES: 'off' } });
  const proposed = await propose(site, 'eraseCitizen', { citizenId: 'demo-anh' });
  assert.deepEqual([proposed.status, proposed.json['status']], [202, 'approved'], JSON.stringify(proposed.json));
  const [entry] = await entriesOf(site, 'operation=eraseCitizen');
  assert.equal(entry?.['subject'], 'olu');
  const una: TestPerson = { subject: 'una', roles: ['operator'], service: site.service };
  const ofService = await propose(site, 'eraseCitizen', { citizenId: 'demo-mary' }, una);
  assert.deepEqual(problemOf(ofService), [403, 'affects-all-services']);
});
