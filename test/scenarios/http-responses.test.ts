import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { operationMethods } from '../../src/api/operation.ts';
import { operations } from '../../src/app/operations.ts';
import { apiVersion } from '../../src/config/version.ts';
import { problems } from '../../src/kernel/problem-catalogue.ts';
import {
  createHttpClient,
  type HttpRequest,
  type HttpResponse,
  parseJsonBody,
  postJson,
} from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { createResources, type ResourceIds, validMessage, validRequest } from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';

let home: ServerFixture;
let ask: ReturnType<typeof createHttpClient>;
let token = '';
let ids: ResourceIds;
const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start('demo');
  ask = createHttpClient(home.url);
  token = await home.fetchAccessToken();
  ids = await createResources(ask, token);
});

// Each of them answers 200 with the token of a client alone.
const ofClients = operations.filter(({ callers }) => !callers.includes('staff'));
const reading = ofClients.filter((one) => operationMethods(one).includes('HEAD') && one.scope !== 'citizen:self');
const good = (name: string): HttpRequest => validRequest(name, { token, ids });

/** Repeats a valid request until it is no longer 409: a receipt is 409 until its event has a number. */
async function settled(name: string) {
  let got = await ask(good(name));
  await waitUntil(async () => {
    if (got.status === 409) got = await ask(good(name));
    return got.status !== 409;
  });
  return got;
}

test('HEAD of every read operation answers like GET, without the body', async () => {
  for (const { name } of reading) {
    const got = await settled(name);
    const head = await ask({ ...good(name), method: 'HEAD' });
    assert.deepEqual([head.status, head.body.length], [got.status, 0], name);
    assert.deepEqual(Object.keys(head.headers).sort(), Object.keys(got.headers).sort(), name);
    assert.equal(head.headers['content-type'], got.headers['content-type'], name);
  }
});

test('HEAD of a verification is refused before a decision', async () => {
  const { path } = good('verifyIdentityByQuery');
  const head = await ask({ ...good('verifyIdentityByQuery'), method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.allow, head.body.length], [405, 'GET, POST, QUERY, OPTIONS', 0], path);
});

test('OPTIONS of every path lists the same methods as a 405 response', async () => {
  for (const [path, those] of Map.groupBy(operations, ({ path }) => path)) {
    const methods = those.flatMap(operationMethods);
    const filled = path.replaceAll(/\{\w+\}/g, 'x');
    const allow = [...methods, 'OPTIONS'].join(', ');
    const options = await ask({ method: 'OPTIONS', path: filled });
    assert.deepEqual([options.status, options.headers.allow, options.body.length], [204, allow, 0], path);
    const patched = await ask({ method: 'PATCH', path: filled });
    assert.deepEqual([patched.status, patched.headers.allow], [405, allow], path);
  }
});

test('every path of the OpenAPI document, relative to its server URL, exists on this server', async () => {
  const { servers, paths } = parseJsonBody(await ask({ path: '/openapi.json' })) as {
    readonly servers: readonly { readonly url: string }[];
    readonly paths: Readonly<Record<string, unknown>>;
  };
  assert.deepEqual(
    servers.map(({ url }) => url),
    [`${home.url}/v1`],
  );
  for (const path of Object.keys(paths)) {
    const options = await ask({ method: 'OPTIONS', path: `/v1${path.replaceAll(/\{\w+\}/g, 'x')}` });
    assert.equal(options.status, 204, path);
  }
  const endpointsAt = async (path: string) => parseJsonBody(await ask({ path }))['endpoints'];
  assert.deepEqual(await endpointsAt('/v1/'), await endpointsAt('/v1'));
});

/** Operations that end the things that other requests use. */
const ends = new Set(['removeWebhook', 'withdrawDocument']);

/** Headers that every response has, and headers that none has. */
function assertHeaders({ headers }: HttpResponse, what: string): void {
  const wanted = {
    'api-version': apiVersion,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  };
  for (const [name, value] of Object.entries(wanted)) assert.equal(headers[name], value, `${name} of ${what}`);
  assert.match(String(headers['content-security-policy']), /(?:frame-ancestors 'none'|sandbox)/, what);
  assert.match(String(headers['cache-control']), /no-store/, what);
  for (const name of ['server', 'x-powered-by', 'access-control-allow-origin', 'set-cookie']) {
    assert.equal(headers[name], undefined, `${name} of ${what}`);
  }
}

test('every response has the version and the security headers, and is not cacheable or readable from other origins', async () => {
  const origin = { origin: 'https://elsewhere.example' };
  for (const { name } of ofClients) {
    const asked = good(name);
    if (!ends.has(name)) {
      assertHeaders(await ask({ ...asked, headers: { ...asked.headers, ...origin } }), name);
    }
    assertHeaders(
      await ask({ ...asked, headers: { ...origin, authorization: 'Bearer none' } }),
      `${name} without a token`,
    );
  }
  const preflight = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' };
  const answer = await ask({ method: 'OPTIONS', path: '/v1/documents', headers: { ...origin, ...preflight } });
  assertHeaders(answer, 'a preflight');
  assertHeaders(await ask({ path: '/v1/nowhere', headers: origin }), 'an unknown path');
});

test('a problem states its fix, and its type is the URL of a page about cause and fix', async () => {
  const { type, status, fix: shownFix } = parseJsonBody(await ask({ path: '/v1/nowhere' }));
  assert.deepEqual([type, status, shownFix], [`${home.url}/problems/not-found`, 404, problems['not-found'].fix]);
  for (const [slug, { cause, fix }] of Object.entries(problems)) {
    const page = await ask({ path: `/problems/${slug}` });
    const text = String(page.body)
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>');
    assert.equal(page.status, 200, slug);
    assert.ok(text.includes(cause) && text.includes(fix), slug);
  }
});

test('an instant is accepted with any offset and returned in UTC', async () => {
  const at = Math.ceil(Date.now() / 1_000) * 1_000 + 86_400_000;
  const local = new Date(at + 5.5 * 3_600_000).toISOString().replace('.000Z', '+05:30');
  const sent = await ask(postJson(token, '/v1/notifications/send', { ...validMessage, sendAt: local }));
  assert.equal(sent.status, 202, String(sent.body));
  const read = parseJsonBody(await ask({ ...good('readNotification'), path: String(sent.headers.location) }));
  assert.equal(read['sendAt'], new Date(at).toISOString());
  const bodies = await Promise.all(reading.map(({ name }) => ask(good(name))));
  for (const { body, headers } of bodies) {
    if (headers['content-type'] !== 'application/json; charset=utf-8') continue;
    for (const [instant] of String(body).matchAll(/"\d{4}-\d\d-\d\dT[^"]*"/g)) assert.match(instant, /Z"$/);
  }
});

test('a URI of 8 KiB is accepted, and one more byte receives 414', async () => {
  const start = '/docs?x=';
  const path = start + 'y'.repeat(8_192 - start.length);
  assert.equal((await ask({ path })).status, 200);
  assert.equal((await ask({ path: `${path}y` })).status, 414);
});

test('a trace header is accepted and ignored: the server chooses the id of a request', async () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01`, tracestate: 'vendor=1', 'request-id': 'mine' };
  const answers = [await ask({ path: '/v1', headers }), await ask({ path: '/v1', headers })];
  const own = answers.map((answer) => String(answer.headers['request-id']));
  for (const id of own) assert.match(id, /^urn:uuid:[0-9a-f-]{36}$/);
  assert.notEqual(own[0], own[1]);
  for (const answer of answers) assert.ok(!`${JSON.stringify(answer.headers)}${answer.body}`.includes(trace));
});

test('the documentation asks clients to tolerate unknown members and values', async () => {
  const { info } = parseJsonBody(await ask({ path: '/v1/openapi.json' })) as {
    readonly info: { readonly description: string };
  };
  assert.match(info.description, /Ignore members and values that you do not know/);
});
