import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { bearerHeaders, createHttpClient, sendRawHttp, statusCodesIn } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { settledVitals } from '../support/server-vitals.ts';
import { createClientToken } from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';
import { hostileRequests } from './hostile-requests.ts';

let home: ServerFixture;
let token: string;
let adminPort: number;
const thisFile = fileCleanupScope();
before(async () => {
  adminPort = await freePort();
  home = await makeServerFixture(thisFile, { settings: { ADMIN_PORT: String(adminPort) } });
  await home.start();
  token = await createClientToken(home, 'Odd');
});

/** Sends all hostile requests, and returns the responses that differ from the expected ones. */
async function run(): Promise<string[]> {
  const wrong: string[] = [];
  for (const { title, bytes, statuses } of hostileRequests(token)) {
    const answer = await sendRawHttp(home.port, bytes);
    const [status = 0, ...more] = statusCodesIn(answer);
    const head = answer.slice(0, answer.indexOf('\r\n\r\n'));
    const faults = [
      statuses.includes(status) && more.length === 0 ? '' : `status ${[status, ...more]}`,
      status < 400 || /^content-type: application\/problem\+json\r?$/im.test(head) ? '' : 'no problem',
      /^cache-control: .*no-store/im.test(head) ? '' : 'may be cached',
      /^(?:set-cookie|access-control-\S+|b):/im.test(head) || (status >= 400 && /^location:/im.test(head))
        ? 'a header that was smuggled in'
        : '',
      answer.includes('evil.example') ? 'another host' : '',
      /node_modules|\bat \S+ \(|SQLITE|postgres|fastify/i.test(answer) ? 'what is inside' : '',
    ].filter((fault) => fault !== '');
    if (faults.length > 0) wrong.push(`${title}: ${faults.join(', ')}`);
  }
  return wrong;
}

test('each unusual path, body or header gets the problem that names its fault, and never 500', async () => {
  assert.deepEqual(await run(), []);
});

test('[R69] a page of another site cannot read a response that needs a token', async () => {
  const ask = createHttpClient(home.url);
  const origin = { origin: 'https://evil.example' };
  const call = await ask({ path: '/v1/notifications', headers: bearerHeaders(token, origin) });
  const preflight = await ask({
    method: 'OPTIONS',
    path: '/v1/notifications',
    headers: { ...origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
  });
  const buy = await ask({ method: 'OPTIONS', path: '/oauth2/token', headers: origin });
  for (const { headers } of [call, preflight, buy]) {
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control-')),
      [],
    );
  }
  assert.deepEqual([call.status, preflight.status, buy.status], [200, 204, 204]);
  const open = await ask({ path: '/openapi.json', headers: origin });
  assert.equal(open.headers['access-control-allow-origin'], '*');
});

test('[R18] the token endpoint and its metadata answer other methods with 405 and Allow', async () => {
  const ask = createHttpClient(home.url);
  const places = {
    '/oauth2/token': ['POST, OPTIONS', 'GET', 'PUT', 'DELETE', 'PATCH', 'QUERY', 'HEAD'],
    '/.well-known/oauth-authorization-server': ['GET, HEAD, OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'QUERY'],
    '/.well-known/jwks.json': ['GET, HEAD, OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'QUERY'],
    '/.well-known/oauth-protected-resource/v1': ['GET, HEAD, OPTIONS', 'POST', 'DELETE'],
    '/.well-known/api-catalog': ['GET, HEAD, OPTIONS', 'POST', 'DELETE'],
    '/openapi.json': ['GET, HEAD, OPTIONS', 'POST', 'DELETE'],
  };
  for (const [path, [allow, ...methods]] of Object.entries(places)) {
    for (const method of methods) {
      const { status, headers } = await ask({ method, path });
      assert.deepEqual(
        [status, headers.allow, headers['content-type'], headers['api-version'] === undefined],
        [405, allow, 'application/problem+json', false],
        `${method} ${path}`,
      );
    }
    const options = await ask({ method: 'OPTIONS', path });
    assert.deepEqual([options.status, options.headers.allow], [204, allow]);
  }
});

const settled = () =>
  settledVitals(adminPort, createHttpClient(home.url), { path: '/v1/notifications', headers: bearerHeaders(token) });

test('after many rounds of the attack, memory and event loop delay are as before', async (t) => {
  await run();
  const before = await settled();
  for (let times = 0; times < 6; times += 1) await run();
  const grown = async () => (await settled()).heap - before.heap;
  const mib = 1_048_576;
  // A heap grows and shrinks; a leak would stay.
  await waitUntil(async () => (await grown()) < 12 * mib, 60_000);
  const after = await settled();
  t.diagnostic(
    `heap ${Math.round(before.heap / mib)} to ${Math.round(after.heap / mib)} MiB, lag ${before.lagMs} to ${after.lagMs} ms`,
  );
  assert.ok(
    after.lagMs <= before.lagMs + 50,
    `the event loop was ${before.lagMs} ms late, and is ${after.lagMs} ms late`,
  );
});
