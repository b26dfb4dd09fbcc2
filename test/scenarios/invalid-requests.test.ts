import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { operations } from '../../src/app/operations.ts';
import { issueAccessToken } from '../../src/auth/access-token.ts';
import { openSigningKeys } from '../../src/auth/signing-key-store.ts';
import { demoCitizens, demoDocuments } from '../../src/cli/demo-data.ts';
import { apiVersion } from '../../src/config/version.ts';
import { readRootKey } from '../../src/crypto/root-key-file.ts';
import { problems } from '../../src/kernel/problem-catalogue.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { makeDemoWithExternalIssuer, startExternalIssuer } from '../support/external-issuer.ts';
import {
  bearerHeaders,
  createHttpClient,
  type HttpResponse,
  parseJsonBody,
  postJson,
  sendRawHttp,
} from '../support/http-client.ts';
import { fileCleanupScope, type RunningServer, type ServerFixture } from '../support/server-process.ts';
import { staffRoles } from '../support/staff-site.ts';
import {
  createClientToken,
  createResources,
  markers,
  type RequestContext,
  sampledOperations,
  validMessage,
  validRequest,
} from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createWalletSettings } from '../support/wallet-settings.ts';
import type { InvalidRequest } from './invalid-request.ts';
import { invalidForAnyOperation } from './invalid-requests-any-operation.ts';
import { invalidJsonBodies } from './invalid-requests-json-bodies.ts';
import { invalidForOneOperation } from './invalid-requests-one-operation.ts';

const table: readonly InvalidRequest[] = [...invalidForAnyOperation, ...invalidJsonBodies, ...invalidForOneOperation];

let home: ServerFixture;
let server: RunningServer;
let world: RequestContext;
/** The same with tokens that name a citizen, and with those of staff. */
let worldOfCitizens: RequestContext;
let worldOfStaff: RequestContext;
/** A new connection for each request, because some responses close theirs. */
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  const staffIssuer = await startExternalIssuer(thisFile);
  const made = await makeDemoWithExternalIssuer(thisFile, {
    ...(await createWalletSettings()),
    STAFF_ISSUER: staffIssuer.url,
    STAFF_CLIENT_ID: 'staff-pages',
    STAFF_CLIENT_SECRET: 'a secret of this test',
    LOG_LEVEL: 'trace',
    CLAMAV: 'off',
  });
  home = made.home;
  const citizen = { client_id: made.citizensClient, sub: 'mary', citizen_id: 'demo-mary', aud: `${home.url}/v1` };
  const expired = await expiredToken();
  // Started as in production: unlike the demo it prints no token.
  server = await home.start('start');
  ask = createHttpClient(home.url);
  const token = await home.fetchAccessToken();
  const usedIdempotencyKey = 'used';
  const sent = await ask(
    postJson(token, '/v1/notifications/send', validMessage, { 'idempotency-key': usedIdempotencyKey }),
  );
  world = {
    url: home.url,
    token,
    expiredToken: expired,
    usedIdempotencyKey,
    sentNotification: String(parseJsonBody(sent)['id']),
    tokenWithoutScope: await home.fetchAccessToken(['access-log:hide']),
    singlePurposeToken: await createClientToken(home, 'One Purpose', '--purposes', 'permit'),
    ids: await createResources(ask, token),
    otherClientIds: await createResources(ask, await createClientToken(home, 'Another')),
  };
  // A receipt is 409 until its event has a number.
  await waitUntil(async () => (await ask(validRequest('readReceipt', world))).status === 200);
  worldOfCitizens = {
    ...world,
    token: await made.issuer.sign({ ...citizen, scope: 'citizen:self' }),
    tokenWithoutScope: await made.issuer.sign({ ...citizen, scope: 'documents:read' }),
  };
  const service = home.readDemoFile().clients[0]?.clientId;
  const person = { client_id: 'staff-pages', sub: 'sam', client: service, aud: `${home.url}/v1` };
  worldOfStaff = {
    ...world,
    token: await staffIssuer.sign({ ...person, roles: staffRoles }),
    tokenWithoutScope: await staffIssuer.sign({ ...person, roles: [] }),
  };
});

async function expiredToken(): Promise<string> {
  const db = await home.openDb();
  const keys = await openSigningKeys({ db, root: readRootKey(join(home.dataDir, 'root.key')), clock: systemClock });
  await db.close();
  const { clientId = '', scopes = [] } = home.readDemoFile().clients[0] ?? {};
  const anHourAgo = { now: () => systemClock.now() - 3_600_000 };
  return issueAccessToken({ publicUrl: home.url, keys, clock: anHourAgo, random: systemRandom }, { clientId, scopes });
}

test('the table of invalid requests contains every operation of the endpoint register', (t) => {
  const absent = operations.map(({ name }) => name).filter((name) => !sampledOperations.includes(name));
  // Only a warning, because another change may add an operation before its valid request.
  if (absent.length > 0)
    t.skip(`NOT IN THE TABLE: ${absent.join(', ')}; add a valid request to test/support/valid-requests.ts`);
});

/** Operations that this file skips, because they delete their resource, need one that has not ended, or need a citizen or a member of staff. */
const ofOthers = operations.filter(({ callers }) => !callers.includes('clients')).map(({ name }) => name);
const ofStaff = operations.filter(({ callers }) => callers.includes('staff')).map(({ name }) => name);
const untried = new Set([
  'cancelNotification',
  'cancelNotificationBatch',
  'cancelPresentation',
  'withdrawDocument',
  'removeWebhook',
  ...ofOthers,
]);

test('the valid request of each operation receives 2xx', async () => {
  for (const name of sampledOperations.filter((one) => !untried.has(one))) {
    const { status, headers: expectedHeaders, body } = await ask(validRequest(name, world));
    assert.ok(status >= 200 && status < 300, `${name}: ${status} ${body}`);
    assert.equal(expectedHeaders['api-version'], apiVersion);
  }
});

function contextOf(operation: string): RequestContext {
  if (ofStaff.includes(operation)) return worldOfStaff;
  return ofOthers.includes(operation) ? worldOfCitizens : world;
}

for (const line of table) {
  test(`a request with ${line.title} receives ${line.expected.join(' ')}: ${line.operations.join(', ')}`, async () => {
    for (const operation of line.operations) {
      const context = contextOf(operation);
      const wrong = line.make(validRequest(operation, context), context, operation);
      const answer = 'path' in wrong ? await ask(wrong) : await askRaw(wrong);
      assertProblem(answer, line, operation);
    }
  });
}

const nowhere = [
  ...['/v2', '/v1/identity', '/v1/document', '/v1/documents/', '/problems/', '/.env', '//v1', '/v1/../v1', '/v1;x=1'],
  ...['/index.html', '/metrics', '/v1%2Fdocuments', '/%2e%2e/root.key', '/v1/documents/a/b'],
];

test('an unknown path receives 404 not-found, with and without a token', async () => {
  const line: InvalidRequest = { title: '', operations: [], make: (good) => good, expected: [404, 'not-found'] };
  for (const path of nowhere) {
    for (const expectedHeaders of [{}, bearerHeaders(world.token)]) {
      assertProblem(await ask({ path, headers: expectedHeaders }), line, path);
    }
  }
});

test('a path that OAuth libraries guess receives 404 and the URL of the token endpoint', async () => {
  const tokenUrl = `${home.url}/oauth2/token`;
  for (const path of [
    '/token',
    '/oauth/token',
    '/v1/oauth2/token',
    '/oauth2/token/',
    '/connect/token',
    '/oauth2/v1/token',
  ]) {
    for (const method of ['GET', 'POST']) {
      const answer = await ask({ method, path });
      const problem = parseJsonBody(answer);
      assert.deepEqual([answer.status, problem['tokenUrl']], [404, tokenUrl], path);
      assert.ok(String(problem['detail']).includes(tokenUrl), path);
    }
  }
  const discovery = parseJsonBody(await ask({ path: '/.well-known/openid-configuration' }));
  assert.match(String(discovery['detail']), /\/\.well-known\/oauth-authorization-server\.$/);
});

test('every 401 has the URL of the token endpoint, as a member and in its texts', async () => {
  const tokenUrl = `${home.url}/oauth2/token`;
  for (const authorization of [undefined, 'Basic x', 'Bearer x', `Bearer ${world.expiredToken}`]) {
    const answer = await ask({
      path: '/v1/notifications',
      headers: authorization === undefined ? {} : { authorization },
    });
    const problem = parseJsonBody(answer);
    assert.deepEqual([answer.status, problem['tokenUrl']], [401, tokenUrl]);
    assert.match(`${problem['detail']} ${problem['fix']}`, /\/oauth2\/token|tokenUrl/);
  }
});

const pages = [
  '/',
  '/docs',
  '/problems',
  '/problems/conflict',
  '/openapi.json',
  '/v1/openapi.json',
  '/healthz',
  '/readyz',
  '/favicon.ico',
];

test('a page for browsers accepts only GET and HEAD', async () => {
  const expectedHeaders = { allow: 'GET, HEAD, OPTIONS' };
  const line: InvalidRequest = {
    title: '',
    operations: [],
    make: (good) => good,
    expected: [405, 'method-not-allowed'],
    expectedHeaders,
  };
  for (const path of pages) {
    const { status } = await ask({ path });
    assert.equal(status, 200, path);
    assertProblem(await ask({ method: 'POST', path, body: 'x' }), line, path);
  }
});

test('every problem in the table of invalid requests has a page', async () => {
  for (const slug of new Set(table.map(({ expected }) => expected[1]))) {
    const { status, headers: expectedHeaders } = await ask({ path: `/problems/${slug}` });
    assert.deepEqual([status, expectedHeaders['content-type']], [200, 'text/html; charset=utf-8']);
  }
});

test('a client over its quota receives Retry-After, and another client is served', async () => {
  const token = await createClientToken(home, 'Few Requests', '--quota', '1');
  const path = '/v1/documents?citizenId=demo-mary';
  const answers: HttpResponse[] = [];
  // Faster than the quota grows. A machine that pauses allows one more request.
  while (answers.every(({ status }) => status === 200))
    answers.push(await ask({ path, headers: bearerHeaders(token) }));
  assert.ok(answers.length > 2, `${answers.length}`);
  const expectedHeaders = { 'retry-after': /^[1-4]$/, ratelimit: /^"documents:read";r=0;t=[12]$/ };
  const line: InvalidRequest = {
    title: '',
    operations: [],
    make: (good) => good,
    expected: [429, 'quota-exceeded'],
    expectedHeaders,
  };
  assertProblem(answers.at(-1) ?? assert.fail(), line, path);
  assert.equal((await ask({ path, headers: bearerHeaders(world.token) })).status, 200);
});

async function askRaw(bytes: Buffer): Promise<HttpResponse> {
  const text = await sendRawHttp(home.port, bytes);
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const expectedHeaders = lines.map((one) => [
    one.slice(0, one.indexOf(':')).toLowerCase(),
    one.slice(one.indexOf(':') + 2),
  ]);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(expectedHeaders),
    body: Buffer.from(body),
  };
}

/** Checks the whole response against the problem contract and the row of the table. */
function assertProblem(
  { status, headers: expectedHeaders, body }: HttpResponse,
  line: InvalidRequest,
  operation: string,
): void {
  const said = `${operation}: ${body}`;
  const [wantedStatus, slug] = line.expected;
  assert.deepEqual([status, expectedHeaders['content-type']], [wantedStatus, 'application/problem+json'], said);
  const { detail, instance, issues, ...rest } = parseJsonBody({ body });
  const { title, retryable = false } = problems[slug];
  const { type, title: shownTitle, status: shownStatus, retryable: shownRetryable } = rest;
  assert.deepEqual(
    { type, title: shownTitle, status: shownStatus, retryable: shownRetryable },
    { type: `${home.url}/problems/${slug}`, title, status, retryable },
    said,
  );
  assert.ok(typeof detail === 'string' && detail.length > 0, said);
  assert.match(
    String(instance),
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    said,
  );
  assert.equal(expectedHeaders['request-id'], instance, said);
  assert.equal(expectedHeaders['api-version'], apiVersion, said);
  assert.equal(expectedHeaders['x-content-type-options'], 'nosniff', said);
  assert.match(String(expectedHeaders['cache-control']), /no-store/, said);
  assert.deepEqual(issuesOf(issues), [...(line.expectedIssues ?? [])].sort(), said);
  const expected =
    typeof line.expectedHeaders === 'function' ? line.expectedHeaders(operation) : (line.expectedHeaders ?? {});
  for (const [name, value] of Object.entries(expected)) {
    if (typeof value === 'string') assert.equal(expectedHeaders[name], value, `${name} of ${said}`);
    else assert.match(String(expectedHeaders[name]), value, `${name} of ${said}`);
  }
  for (const mark of Object.values(markers))
    assert.ok(!said.includes(mark), `an answer repeats what was sent: ${said}`);
}

function issuesOf(issues: unknown): string[] {
  if (!Array.isArray(issues)) return [];
  return issues
    .map((issue: Record<string, unknown>) => `${issue['in']} ${issue['pointer'] ?? issue['name']} ${issue['code']}`)
    .sort();
}

test('at the most verbose level, the log holds no claim, name, message, document, token or secret', async () => {
  const stoppedAt = performance.now();
  assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
  assert.ok(performance.now() - stoppedAt < 20_000, 'none of the refused requests holds up the stop');
  assert.equal(server.stdout(), '');
  // Random ids, client ids and ports can contain a postal code by chance.
  const chance = /urn:uuid:[0-9a-f-]{36}|"(?:time|pid|durationMs)":[\d.]+|"clientId":"[^"]*"|127\.0\.0\.1:\d+/g;
  const log = server.stderr().replaceAll(chance, '');
  const refused = log.split('\n').filter((line) => line.includes('"problem":'));
  assert.ok(refused.length > table.length, 'the refusals are in the log');
  const { token, tokenWithoutScope, expiredToken: expired, singlePurposeToken } = world;
  const secrets = [token, tokenWithoutScope, expired, singlePurposeToken].flatMap((one) => one.split('.').slice(1));
  const people = demoCitizens.flatMap(({ citizenId, givenName, familyName, birthDate, email, postalCode }) => {
    return [citizenId, givenName, familyName, birthDate, email, postalCode];
  });
  const texts = demoDocuments.flatMap(({ title, text }) => [title, ...text.split('\n')]);
  const rootKey = readFileSync(join(home.dataDir, 'root.key'), 'utf8').trim();
  const clients = home.readDemoFile().clients.map(({ clientSecret }) => clientSecret);
  const private_ = [...Object.values(markers), ...secrets, ...people, ...texts, ...clients, rootKey, 'Bearer'];
  // Shorter ones, such as the postal code 101, can occur in any number.
  const found = private_.filter((text) => (text.length > 3 || /\P{ASCII}/u.test(text)) && log.includes(text));
  assert.deepEqual(found, []);
});
