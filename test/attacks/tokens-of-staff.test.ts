import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { operations } from '../../src/app/operations.ts';
import { fileCleanupScope, makeServerFixture } from '../support/server-process.ts';
import { openStaffSite, type StaffRole, type StaffSite, staffRoles } from '../support/staff-site.ts';

// Attacks: a token of staff as that of a client or citizen, and the reverse; a role that does what another role may do.
let site: StaffSite;

const thisFile = fileCleanupScope();
before(async () => {
  site = await openStaffSite(thisFile);
});

const everyRole: readonly StaffRole[] = staffRoles;

/** The roles that may call each operation of staff. A new operation without a row fails the test. */
const permitted: Readonly<Record<string, readonly StaffRole[]>> = {
  readStaffMember: everyRole,
  lookUpCitizen: ['support'],
  sendNotificationByLetter: ['support'],
  recordReturnedNotificationLetter: ['support'],
  // Each proposed operation has rights of its own; see staff-proposals.test.ts.
  proposeOperation: everyRole,
  listProposals: everyRole,
  readProposal: everyRole,
  approveProposal: ['approver'],
  refuseProposal: ['approver'],
  readStaffLog: ['auditor'],
  readAttention: ['operator'],
  readLookUp: ['support'],
  sendServiceNotification: ['caseworker'],
  previewServiceNotification: ['caseworker'],
  listServiceTemplates: ['caseworker'],
  readServiceTemplate: ['caseworker'],
  createServiceTemplate: ['caseworker'],
  removeServiceTemplate: ['caseworker'],
  listClients: ['operator'],
  readRegisteredClient: ['operator'],
  disableClient: ['operator'],
  listQueues: ['operator'],
  pauseChannel: ['operator'],
  resumeChannel: ['operator'],
  createServiceBatch: ['caseworker'],
  listServiceBatches: ['caseworker'],
  readServiceBatch: ['caseworker'],
  previewServiceBatch: ['caseworker'],
  listServiceBatchRows: ['caseworker'],
  readServiceBatchResults: ['caseworker'],
  startServiceBatch: ['caseworker'],
  cancelServiceBatch: ['caseworker'],
  readServiceClient: ['support', 'caseworker'],
  listServiceWebhooks: ['support', 'caseworker'],
  listServiceWebhookCalls: ['support', 'caseworker'],
  redeliverServiceWebhook: ['support', 'caseworker'],
  testServiceWebhook: ['support', 'caseworker'],
  readServiceNotification: ['caseworker'],
};

const staffOperations = operations.filter(({ callers }) => callers.includes('staff'));

/** A request that reaches the check of rights. Its empty body is refused only after that check. */
async function send(token: string, { method, path }: (typeof operations)[number]) {
  const body = method === 'GET' || method === 'DELETE' ? undefined : {};
  const { status, json } = await site.request(token, method, path.replaceAll(/\{\w+\}/g, 'x'), body);
  return { status, problem: String(json['type']).split('/').at(-1) };
}

test('each role may call its operations, and gets missing-scope for all others', async () => {
  for (const role of staffRoles) {
    const token = await site.staffToken({ subject: `one-${role}`, roles: [role], service: site.service });
    for (const operation of staffOperations) {
      const { status, problem } = await send(token, operation);
      const roles = permitted[operation.name] ?? assert.fail(`${operation.name} has no row in this test`);
      if (roles.includes(role)) assert.ok(status !== 401 && status !== 403, `${role} ${operation.name} ${problem}`);
      else assert.deepEqual([status, problem], [403, 'missing-scope'], `${role} ${operation.name}`);
    }
  }
});

test('a person without a known role is signed in and may do nothing', async () => {
  for (const roles of [[], ['superuser'], ['Support']]) {
    const token = await site.staffToken({ subject: 'nobody', roles });
    const me = await site.request(token, 'GET', '/v1/staff/me');
    assert.deepEqual([me.status, me.json['scopes']], [200, []]);
    for (const operation of staffOperations.filter(({ scope }) => scope !== 'any'))
      assert.equal((await send(token, operation)).problem, 'missing-scope', operation.name);
  }
});

test('a token of a client or of a citizen calls no operation of staff, whatever scopes and roles it states', async () => {
  const client = await site.clientToken();
  const citizen = await site.citizenToken('demo-mary');
  for (const operation of staffOperations)
    for (const token of [client, citizen])
      assert.deepEqual(await send(token, operation), { status: 403, problem: 'staff-token-needed' }, operation.name);
});

test('a token of staff calls no operation of clients or citizens', async () => {
  const token = await site.staffToken({ subject: 'all', roles: [...staffRoles], service: site.service });
  for (const operation of operations.filter(({ callers, scope }) => scope !== null && !callers.includes('staff'))) {
    const { status, problem } = await send(token, operation);
    const needed = operation.callers[0] === 'clients' ? 'client-token-needed' : 'citizen-token-needed';
    assert.deepEqual([status, problem], [403, needed], operation.name);
  }
});

test('a token of the issuer of staff is refused if it is for another client, names a citizen, or has an invalid claim', async () => {
  const person = { subject: 'sam', roles: ['support'], service: site.service };
  const refused: readonly Readonly<Record<string, unknown>>[] = [
    { client_id: site.service },
    { client_id: undefined },
    { citizen_id: 'demo-mary' },
    { aud: 'https://other.example/v1' },
    { roles: { admin: true } },
    { roles: ['support', 1] },
    { client: '' },
    { client: ['a'] },
    { client: null },
    { cnf: { jkt: 'x' } },
    // The staff log names users of the shell and clients so.
    { sub: 'shell:root' },
    { sub: 'client:tax-office' },
  ];
  for (const claims of refused) {
    const token = await site.staffToken(person, claims);
    assert.equal((await site.request(token, 'GET', '/v1/staff/me')).status, 401, JSON.stringify(claims));
  }
  const good = await site.request(await site.staffToken(person), 'GET', '/v1/staff/me');
  const me = { subject: 'sam', name: 'Name of sam', service: site.service, scopes: ['staff:support'] };
  assert.deepEqual([good.status, good.json], [200, me]);
});

test('a person without a service cannot look up citizens or send messages, whatever roles they have', async () => {
  const token = await site.staffToken({ subject: 'all', roles: [...staffRoles] });
  const me = await site.request(token, 'GET', '/v1/staff/me');
  assert.deepEqual([me.json['service'], me.json['scopes']], [null, ['staff:approve', 'staff:operate', 'staff:audit']]);
});

test('a server does not start if staff and citizens have the same issuer', async (t) => {
  const issuer = 'https://issuer.example';
  const server = await makeServerFixture(t, {
    settings: { TRUSTED_ISSUERS: issuer, STAFF_ISSUER: issuer, STAFF_CLIENT_ID: 'x', STAFF_CLIENT_SECRET: 'y' },
  });
  const { code, stderr } = await server.runCommand('demo');
  assert.notEqual(code, 0);
  assert.match(stderr, /STAFF_ISSUER: expected an issuer that is not in TRUSTED_ISSUERS/);
});
