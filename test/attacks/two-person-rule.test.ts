import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import { engines } from '../support/database-engines.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { type ClientSecretCredentials, fileCleanupScope } from '../support/server-process.ts';
import { withShiftedClock } from '../support/shifted-clock.ts';
import { openStaffSite, type StaffSite, staffRoles, type TestPerson } from '../support/staff-site.ts';

// Attacks: one person does what needs two, or a second person approves something else than they have seen.
const thisFile = fileCleanupScope();
const sites = new Map<string, StaffSite>();
before(async () => {
  for (const { name: engine } of engines) sites.set(engine, await openStaffSite(thisFile, { engine }));
});
const siteOn = (engine: string) => sites.get(engine) ?? assert.fail(`no site on ${engine}`);

type Members = Readonly<Record<string, unknown>>;
const olu: TestPerson = { subject: 'olu', roles: ['operator'] };
const alex: TestPerson = { subject: 'alex', roles: ['approver'] };

async function proposeClient(site: StaffSite, name: string): Promise<Members> {
  const { publicKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] };
  const input = { name, kind: 'live', scopes: ['identity:verify'], jwks };
  return await propose(site, 'createClient', input);
}

async function propose(site: StaffSite, operation: string, input: Members): Promise<Members> {
  const body = { operation, input, reason: 'The case needs it.' };
  const { status, json } = await site.request(await site.staffToken(olu), 'POST', '/v1/staff/proposals', body);
  assert.equal(status, 202, JSON.stringify(json));
  return json;
}

async function approve(site: StaffSite, { id }: Members, token: string, body: Members = {}): Promise<string> {
  const { status, json } = await site.request(token, 'POST', `/v1/staff/proposals/${String(id)}/approve`, body);
  return `${status} ${String(json['type'] ?? json['status'])
    .split('/')
    .at(-1)}`;
}

async function clientsNamed(site: StaffSite, wanted: string): Promise<readonly Members[]> {
  const { json } = await site.request(await site.staffToken(olu), 'GET', '/v1/staff/clients');
  return (json['items'] as readonly Members[]).filter(({ name }) => name === wanted);
}

type Attack = {
  readonly title: string;
  readonly token: (site: StaffSite) => Promise<string>;
  readonly body?: Members;
  readonly refused: string;
};

/** Each of them approves what Olu proposed. */
const attacks: readonly Attack[] = [
  {
    title: 'the proposer with the role of an approver',
    token: (site) => site.staffToken({ subject: 'olu', roles: ['approver'] }),
    refused: '403 own-proposal',
  },
  {
    title: 'the proposer in a second session, with another name and all roles',
    token: (site) => site.staffToken({ ...olu, roles: [...staffRoles] }, { name: 'Alex Approver', sid: 'second' }),
    refused: '403 own-proposal',
  },
  {
    title: 'the proposer as a person of a service',
    token: (site) => site.staffToken({ subject: 'olu', roles: ['approver'], service: site.service }),
    refused: '403 own-proposal',
  },
  {
    title: 'another operator without the role of an approver',
    token: (site) => site.staffToken({ subject: 'kim', roles: ['operator', 'auditor'] }),
    refused: '403 missing-scope',
  },
  {
    title: 'an approver of a service',
    token: (site) => site.staffToken({ ...alex, service: site.service }),
    refused: '404 proposal-not-found',
  },
  {
    title: 'a citizen with the subject and the scope of an approver, from the issuer of citizens',
    token: (site) => site.citizenToken('alex'),
    refused: '403 staff-token-needed',
  },
  {
    title: 'a client',
    token: (site) => site.clientToken(),
    refused: '403 staff-token-needed',
  },
  {
    title: 'an approver who also changes the input',
    token: (site) => site.staffToken(alex),
    body: { input: { scopes: ['access-log:hide'] } },
    refused: '400 bad-request',
  },
];

for (const { title, token, body, refused } of attacks)
  test(`a proposal cannot be approved by ${title}`, async () => {
    const site = siteOn('sqlite');
    const proposal = await proposeClient(site, title);
    assert.equal(await approve(site, proposal, await token(site), body), refused);
    assert.deepEqual(await clientsNamed(site, title), []);
    // The proposal itself is valid.
    assert.equal(await approve(site, proposal, await site.staffToken(alex)), '200 approved');
    assert.equal((await clientsNamed(site, title)).length, 1);
  });

test('a client conceals an access only after another person has approved the scope', async () => {
  const site = siteOn('sqlite');
  const args = ['clients', 'create', 'Police', '--scopes', 'identity:verify', '--secret', '--json'];
  const client = JSON.parse((await runCommandInProcess(site.server, ...args)).stdout) as ClientSecretCredentials;
  const { clientId } = client;
  const conceal = async () => {
    const response = await fetch(`${site.server.url}/v1/identity/verify`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await site.server.fetchAccessToken(undefined, client)}`,
        'content-type': 'application/json',
        'access-log-hidden-until': new Date(Date.now() + 3_600_000).toISOString(),
        'access-log-hidden-reason': 'Investigation',
      },
      body: JSON.stringify({ citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' }),
    });
    const { type } = (await response.json()) as Members;
    return type === undefined ? response.status : String(type).split('/').at(-1);
  };
  const scopes = ['identity:verify', 'access-log:hide'];
  const proposal = await propose(site, 'changeClient', { clientId, scopes });
  assert.equal(await conceal(), 'hiding-not-permitted');
  assert.equal(
    await approve(site, proposal, await site.staffToken({ ...olu, roles: ['approver'] })),
    '403 own-proposal',
  );
  assert.equal(await conceal(), 'hiding-not-permitted');
  assert.equal(await approve(site, proposal, await site.staffToken(alex)), '200 approved');
});

test('a change of a client is not approved if the client has changed since the approver could see it', async () => {
  const site = siteOn('sqlite');
  await approve(site, await proposeClient(site, 'Moving'), await site.staffToken(alex));
  const [made] = await clientsNamed(site, 'Moving');
  const clientId = String(made?.['clientId']);
  const proposal = await propose(site, 'changeClient', { clientId, purposes: ['parking permit'] });
  const changed = await runCommandInProcess(site.server, 'clients', 'update', clientId, '--scopes', 'documents:read');
  assert.equal(changed.code, 0, changed.stderr);
  assert.equal(await approve(site, proposal, await site.staffToken(alex)), '409 conflict');
  const again = await propose(site, 'changeClient', { clientId, purposes: ['parking permit'] });
  assert.equal(await approve(site, again, await site.staffToken(alex)), '200 approved');
});

for (const { name: engine } of engines) {
  test(`${engine}: ten concurrent approvals by two people take effect once`, async () => {
    const site = siteOn(engine);
    const proposal = await proposeClient(site, 'Raced');
    const tokens = [await site.staffToken(alex), await site.staffToken({ ...alex, subject: 'kim' })];
    const approvals = await Promise.all(
      [...tokens, ...tokens, ...tokens, ...tokens, ...tokens].map((token) => approve(site, proposal, token)),
    );
    assert.deepEqual(approvals.sort(), ['200 approved', ...Array.from({ length: 9 }, () => '409 proposal-ended')]);
    assert.equal((await clientsNamed(site, 'Raced')).length, 1);
  });

  test(`${engine}: an approval during which the server is killed has taken effect completely or not at all`, async () => {
    const site = siteOn(engine);
    for (let round = 0; round < 4; round += 1) {
      const name = `Killed ${round}`;
      const proposal = await proposeClient(site, name);
      const token = await site.staffToken(alex);
      // The kill comes while the request is on its way, in progress, or answered.
      const approval = approve(site, proposal, token).catch(() => 'no answer');
      if (round % 2 === 1) await site.request(token, 'GET', '/v1/staff/me').catch(() => undefined);
      await site.restart('SIGKILL');
      const answered = await approval;
      const shown = await site.request(token, 'GET', `/v1/staff/proposals/${String(proposal['id'])}`);
      const { status } = shown.json;
      assert.equal((await clientsNamed(site, name)).length, status === 'approved' ? 1 : 0, `${name} ${String(status)}`);
      if (answered === '200 approved') assert.equal(status, 'approved', name);
      const next = await approve(site, proposal, token);
      assert.equal(next, status === 'approved' ? '409 proposal-ended' : '200 approved', name);
      assert.equal((await clientsNamed(site, name)).length, 1, name);
    }
  });
}

test('a proposal cannot be approved after 72 hours', async () => {
  const site = siteOn('sqlite');
  const [early, late] = [await proposeClient(site, 'Early'), await proposeClient(site, 'Late')];
  const shiftTo = async (hours: number) => {
    Object.assign(site.server.environment, withShiftedClock(hours * 3_600_000));
    await site.restart('SIGTERM');
    return await site.staffToken(alex, { now: Math.floor(Date.now() / 1_000) + hours * 3_600 });
  };
  assert.equal(await approve(site, early, await shiftTo(71)), '200 approved');
  assert.equal(await approve(site, late, await shiftTo(73)), '409 proposal-ended');
});
