import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { scopes } from '../../src/api/operation.ts';
import { operations } from '../../src/app/operations.ts';
import { newClient } from '../../src/auth/client.ts';
import { insertClient } from '../../src/auth/client-store.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { type ExternalIssuer, startExternalIssuer } from '../support/external-issuer.ts';
import { bearerHeaders, createHttpClient, type HttpRequest, parseJsonBody } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { createResources, type ResourceIds, validRequest } from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';

// One client of a trusted issuer has every scope, as an operator could once create it. It acts for itself, and its citizens have
// tokens of the same client with the same scopes. The citizen attacks the client and another citizen.
let home: ServerFixture;
let issuer: ExternalIssuer;
let clientId = '';
let clientToken = '';
let mary: ResourceIds;
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  issuer = await startExternalIssuer(thisFile);
  home = await makeServerFixture(thisFile, { settings: { TRUSTED_ISSUERS: issuer.url } });
  await (await home.start('demo')).stop('SIGTERM');
  const credential = { by: 'issuer', issuer: issuer.url } as const;
  const made = newClient(
    { name: 'Both', kind: 'test', scopes: ['citizen:self'], credential },
    systemClock,
    systemRandom,
  );
  if ('fault' in made) assert.fail(made.fault);
  clientId = made.client.clientId;
  const db = await home.openDb();
  await db.write([insertClient({ ...made.client, scopes })]);
  await db.close();
  await home.start('demo');
  ask = createHttpClient(home.url);
  clientToken = await sign({});
  mary = await createResources(ask, clientToken);
});

const sign = async (claims: Readonly<Record<string, unknown>>) =>
  await issuer.sign({ client_id: clientId, sub: 'both', scope: scopes.join(' '), aud: `${home.url}/v1`, ...claims });

const tokenOf = async (citizenId: string, scope = scopes.join(' ')) => await sign({ citizen_id: citizenId, scope });

async function slugOf(asked: HttpRequest): Promise<string | number> {
  const answer = await ask(asked);
  if (answer.status < 400) return answer.status;
  return String(parseJsonBody(answer)['type']).split('/').at(-1) ?? '';
}

const ofOthers = operations.filter(({ callers }) => !callers.includes('staff'));
for (const operation of ofOthers.filter(({ scope, callers }) => scope !== null && !callers.includes('citizens'))) {
  test(`${operation.name} refuses a token that names a citizen, whatever scopes it has`, async () => {
    const asked = validRequest(operation.name, { token: await tokenOf('demo-layla'), ids: mary });
    assert.equal(await slugOf(asked), 'client-token-needed');
  });
}

for (const operation of ofOthers.filter(({ callers }) => !callers.includes('clients'))) {
  test(`${operation.name} refuses a token that names no citizen`, async () => {
    const path = operation.path.replace('{id}', mary.notification);
    const asked = { method: operation.method, path, headers: bearerHeaders(clientToken) };
    assert.equal(await slugOf(asked), 'citizen-token-needed');
  });
}

test('every operation with a scope is for clients or for citizens, and only documents are for both', () => {
  const both = operations.filter(({ scope, callers }) => scope !== null && callers.length === 2);
  assert.deepEqual([...new Set(both.map(({ scope }) => scope))], ['documents:read']);
});

// An Idempotency-Key belongs to the client, so a citizen could replay the stored response of another citizen of the same portal.
test('no operation for citizens stores its response under an Idempotency-Key', () => {
  const stored = operations.filter(
    (operation) => operation.callers.includes('citizens') && operation.idempotent === true,
  );
  assert.deepEqual(stored, []);
});

test('the objects of the client are unchanged after the attacks, and open with its own token', async () => {
  const paths = [`/v1/documents/${mary.document}`, `/v1/notifications/${mary.notification}`, `/v1/webhooks`];
  for (const path of paths) assert.equal(await slugOf({ path, headers: bearerHeaders(clientToken) }), 200, path);
});

test('a token of a citizen without citizen:self opens nothing, although its client may read documents', async () => {
  const token = await tokenOf('demo-mary', 'documents:read');
  const answer = await ask({ path: `/v1/documents/${mary.document}`, headers: bearerHeaders(token) });
  assert.deepEqual([answer.status, parseJsonBody(answer)['requiredScopes']], [403, ['citizen:self']]);
});

test('a token of a citizen cannot conceal its access from another citizen', async () => {
  const headers = bearerHeaders(await tokenOf('demo-mary'), {
    'access-log-hidden-until': new Date(Date.now() + 3_600_000).toISOString(),
    'access-log-hidden-reason': 'x',
  });
  assert.equal(await slugOf({ path: '/v1/documents?citizenId=demo-mary', headers }), 'hiding-not-permitted');
});

test('a citizen who asks for documents of another citizen gets 404 and leaves no entry in the log of that citizen', async () => {
  const layla = bearerHeaders(await tokenOf('demo-layla'));
  const maryHeaders = bearerHeaders(await tokenOf('demo-mary'));
  for (let calls = 0; calls < 3; calls += 1) {
    for (const path of ['/v1/documents?citizenId=demo-mary', `/v1/documents/${mary.document}`])
      assert.equal(await slugOf({ path, headers: layla }), 'document-not-found', path);
  }
  assert.equal(await slugOf({ path: '/v1/documents?citizenId=demo-layla', headers: layla }), 200);
  // Entries are numbered in their order, so an attempt would be in the log before the own list of this citizen.
  assert.equal(await slugOf({ path: '/v1/documents?citizenId=demo-mary', headers: maryHeaders }), 200);
  const listed = async () => {
    const { usages } = parseJsonBody(await ask({ path: '/v1/access-log', headers: maryHeaders })) as {
      usages: { usage: string; initiator?: string }[];
    };
    return usages.filter(({ usage }) => ['document.listed', 'document.refused', 'document.unknown'].includes(usage));
  };
  await waitUntil(async () => (await listed()).length > 0);
  assert.deepEqual(
    (await listed()).map(({ usage, initiator }) => [usage, initiator]),
    [['document.listed', 'citizen']],
  );
});

test('the list of endpoints is the same for everybody, also with the headers that conceal an access', async () => {
  const headers = { 'access-log-hidden-reason': 'x' };
  const answer = await ask({ path: '/v1', headers });
  assert.equal(answer.status, 200);
  const { endpoints } = parseJsonBody(answer) as { endpoints: { name: string; callers: string[] }[] };
  assert.deepEqual(
    endpoints.map(({ name, callers }) => [name, callers]),
    operations.map(({ name, callers }) => [name, callers]),
  );
});
