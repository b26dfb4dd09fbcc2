import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, test } from 'node:test';
import {
  type ClientSettings,
  createClient,
  NetworkError,
  ProblemError,
  TimeoutError,
} from '../../client/src/client.ts';
import { type Clock, defaultClock } from '../../client/src/retry.ts';
import {
  type CleanupScope,
  fileCleanupScope,
  makeServerFixture,
  type ServerFixture,
} from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A request at the proxy; `isRejectedByLoad` if the server was too busy and answered 503, which tests ignore. */
type ProxiedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  isRejectedByLoad: boolean;
};

/** The fault of a request: the server executes it, and the answer is lost, delayed without end, or replaced. */
type ProxyFault =
  | 'lost'
  | 'held'
  | { readonly status: number; readonly headers?: OutgoingHttpHeaders; readonly body?: string }
  /** Forwarded with changed headers. */
  | { readonly with: OutgoingHttpHeaders };

/** A proxy on loopback that injects the faults of a test, and forwards everything else. */
async function startHttpFaultProxy(t: CleanupScope, target: string) {
  const passed: ProxiedRequest[] = [];
  const state: { faultOf: (passed: ProxiedRequest) => ProxyFault | undefined } = { faultOf: () => undefined };
  const proxy = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const proxied: ProxiedRequest = { method, path, headers, isRejectedByLoad: false };
    passed.push(proxied);
    const fault = state.faultOf(proxied);
    const changedHeaders = typeof fault === 'object' && 'with' in fault ? fault.with : {};
    const upstreamRequest = request(
      `${target}${path}`,
      { method, headers: { ...headers, ...changedHeaders } },
      (answer) => {
        proxied.isRejectedByLoad = fault === undefined && answer.statusCode === 503;
        if (fault === 'held') return answer.resume();
        if (fault === 'lost') return answer.on('end', () => incoming.socket.destroy()).resume();
        if (fault !== undefined && 'status' in fault) {
          return answer.on('end', () => outgoing.writeHead(fault.status, fault.headers).end(fault.body)).resume();
        }
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        return answer.pipe(outgoing);
      },
    );
    upstreamRequest.on('error', () => incoming.socket.destroy());
    outgoing.on('close', () => upstreamRequest.destroy());
    incoming.pipe(upstreamRequest);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  // A server that listens on TCP has an address with a port.
  const { port } = proxy.address() as AddressInfo;
  /** The number of requests of a method to paths with this prefix. */
  const count = (method: string, path: string) =>
    passed.filter((one) => one.method === method && one.path.startsWith(path) && !one.isRejectedByLoad).length;
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    count,
    injectFaults: (faultOf: typeof state.faultOf) => Object.assign(state, { faultOf }),
  };
}

// A proxy between the client and a server loses, delays or replaces responses.
const sendPath = '/v1/notifications/send';
const message = { citizenId: 'demo-mary', message: 'Your permit is ready.' };

let home: ServerFixture;
let proxy: Awaited<ReturnType<typeof startHttpFaultProxy>>;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
  // Waits until the new server rejects no requests because of load.
  await home.fetchAccessToken();
  proxy = await startHttpFaultProxy(thisFile, home.url);
});

/** A client that uses the proxy with these faults. Its clock advances only during pauses, which are recorded. */
function clientThrough(
  faultOf: (passed: ProxiedRequest) => ProxyFault | undefined,
  over: Partial<ClientSettings> = {},
) {
  const { clientId = '', clientSecret = '' } = home.readDemoFile().clients[0] ?? {};
  const pauses: number[] = [];
  const [begin, time] = [Date.now(), { ahead: 0 }];
  const clock: Clock = {
    now: () => begin + time.ahead,
    wait: async (ms) => {
      pauses.push(ms);
      time.ahead += ms;
    },
  };
  proxy.passed.length = 0;
  proxy.injectFaults(faultOf);
  const given = { baseUrl: proxy.url, clientId, clientSecret, clock, random: () => 0.5, ...over };
  return { client: createClient(given as ClientSettings), pauses, time };
}

/** Excludes pauses of a second or more, which a busy server requests. */
const isPauseAfterLoss = (ms: number) => ms < 1_000;

/** Applies this fault to the first requests to a path. */
function first(times: number, path: string, fault: ProxyFault) {
  let left = times;
  return (passed: ProxiedRequest) => {
    if (!passed.path.startsWith(path) || left === 0) return undefined;
    left -= 1;
    return fault;
  };
}

const problem = (status: number, slug: string, retryAfter?: string): ProxyFault => ({
  status,
  headers: {
    'content-type': 'application/problem+json',
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  },
  body: JSON.stringify({
    type: `https://api.example.gov/problems/${slug}`,
    title: slug,
    status,
    detail: 'A test fault.',
    fix: 'Wait.',
    retryable: true,
    instance: 'urn:uuid:00000000-0000-4000-8000-000000000000',
  }),
});

async function sentWith(client: ReturnType<typeof createClient>, reference: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of client.notifications({ reference })) ids.push(id);
  return ids;
}

test('a message whose response is lost twice is sent with one idempotency key and exists once', async () => {
  const { client, pauses } = clientThrough(first(2, sendPath, 'lost'));
  const { id } = await client.send({ ...message, reference: 'lost-twice' });
  const keys = proxy.passed.filter(({ path }) => path === sendPath).map(({ headers }) => headers['idempotency-key']);
  assert.equal(proxy.count('POST', sendPath), 3);
  assert.equal(new Set(keys).size, 1);
  assert.deepEqual(await sentWith(client, 'lost-twice'), [id]);
  assert.deepEqual(pauses.filter(isPauseAfterLoss), [125, 250]);
  const other = await client.send({ ...message, reference: 'lost-twice' });
  assert.notEqual(other.id, id);
  const own = { idempotencyKey: 'mine-1' };
  assert.equal((await client.send(message, own)).id, (await client.send(message, own)).id);
});

test('a request that receives 503 outcome-unknown is repeated with the same idempotency key after Retry-After', async () => {
  const { client, pauses } = clientThrough(first(1, sendPath, problem(503, 'outcome-unknown', '2')));
  const { id } = await client.send({ ...message, reference: 'unknown' });
  assert.deepEqual(await sentWith(client, 'unknown'), [id]);
  assert.ok(pauses.includes(2_125));
});

test('a document whose response is lost is deposited once, and a stream is not sent again', async () => {
  const about = { citizenId: 'demo-layla', title: 'Lost', mediaType: 'text/plain', kind: 'lost-answer' };
  const deposited = first(1, '/v1/documents', 'lost');
  const { client } = clientThrough(deposited);
  const content = new Blob(['PERMIT']);
  await client.deposit(content, about);
  assert.equal(proxy.count('POST', '/v1/documents'), 2);
  const records = [];
  for await (const { kind } of client.documents({ citizenId: 'demo-layla' }))
    if (kind === 'lost-answer') records.push(kind);
  assert.equal(records.length, 1);
  const other = clientThrough(first(1, '/v1/documents', 'lost'));
  await assert.rejects(other.client.deposit(content.stream(), about), NetworkError);
  assert.equal(proxy.count('POST', '/v1/documents'), 1);
});

test('a write without an idempotency key is repeated only if the server did not run it, and a read is always repeated', async () => {
  const { client } = clientThrough(first(1, '/v1/webhooks', 'lost'));
  await assert.rejects(client.call('createWebhook', { body: { url: 'http://127.0.0.1:9/' } }), NetworkError);
  assert.equal(proxy.count('POST', '/v1/webhooks'), 1);
  const unknown = clientThrough(first(1, '/v1/webhooks', problem(503, 'outcome-unknown', '1')));
  await assert.rejects(unknown.client.call('createWebhook', { body: { url: 'http://127.0.0.1:9/' } }), { status: 503 });
  const shed = clientThrough(first(1, '/v1/webhooks', problem(503, 'capacity-reduced', '1')));
  assert.equal((await shed.client.call('createWebhook', { body: { url: 'http://127.0.0.1:9/' } })).status, 201);
  assert.equal(shed.pauses[0], 1_125);
  const asked = clientThrough(first(1, '/v1/identity/verify', 'lost'));
  const claims = { citizenId: 'demo-mary', familyName: 'Smith', birthDate: '1981-04-25' };
  assert.equal((await asked.client.verify(claims)).decision, 'match');
  assert.ok(proxy.passed.every(({ path }) => !path.includes('?')));
  const checking = clientThrough(first(1, '/.well-known/jwks.json', 'lost'));
  const { token } = await checking.client.verify(claims);
  await assert.rejects(checking.client.verifyResult(token), { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' });
  assert.equal(proxy.count('GET', '/.well-known/jwks.json'), 2);
  const read = clientThrough(first(1, '/v1/events', 'lost'));
  assert.ok((await read.client.call('readEvents')).body.after);
});

test('concurrent calls share one token, and it is used until a minute before it expires', async () => {
  const { client, time } = clientThrough(() => undefined);
  await Promise.all([1, 2, 3].map(() => client.call('readEvents')));
  time.ahead = 539_000;
  await client.call('readEvents');
  assert.equal(proxy.count('POST', '/oauth2/token'), 1);
  time.ahead = 541_000;
  await client.call('readEvents');
  assert.equal(proxy.count('POST', '/oauth2/token'), 2);
  const lost = clientThrough(first(2, '/oauth2/token', 'lost'));
  await lost.client.call('readEvents');
  assert.equal(proxy.count('POST', '/oauth2/token'), 3);
});

test('a rejected token is replaced once, and a second rejection is returned to the caller', async () => {
  const invalidToken = { with: { authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.AAAA' } };
  const { client } = clientThrough(first(1, sendPath, invalidToken));
  assert.equal((await client.send(message)).status, 'accepted');
  assert.deepEqual([proxy.count('POST', '/oauth2/token'), proxy.count('POST', sendPath)], [2, 2]);
  const never = clientThrough(first(9, sendPath, invalidToken));
  await assert.rejects(never.client.send(message), { status: 401, slug: 'invalid-access-token' });
  assert.deepEqual([proxy.count('POST', '/oauth2/token'), proxy.count('POST', sendPath)], [2, 2]);
});

test('a client over its quota waits for the time in Retry-After, and receives the refusal if it has no retries', async () => {
  const order = ['clients', 'create', 'Slow', '--scopes', 'events:read', '--secret', '--quota', '1', '--json'];
  const made = await home.runCommand(...order);
  assert.equal(made.code, 0, made.stderr);
  const { clientId, clientSecret } = JSON.parse(made.stdout) as { clientId: string; clientSecret: string };
  const patient = clientThrough(() => undefined, { clientId, clientSecret, clock: defaultClock } as never);
  // Repeats until one call is refused. A slow machine needs more calls, because the quota grows with time.
  for (let calls = 0; proxy.count('GET', '/v1/events') === calls; calls += 1) await patient.client.call('readEvents');
  const hasty = clientThrough(() => undefined, { clientId, clientSecret, retries: 0 } as never);
  const calls = await Promise.allSettled(Array.from({ length: 12 }, () => hasty.client.call('readEvents')));
  const faults = calls.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const refused = faults.find((fault) => fault instanceof ProblemError && fault.status === 429);
  assert.ok(refused instanceof ProblemError);
  assert.equal(refused.slug, 'quota-exceeded');
  assert.ok(Number(refused.retryAfterMs) >= 1_000);
});

test('a client over its quota succeeds after any number of short delays, and stops after 55 seconds in total', async () => {
  const overQuota = problem(429, 'quota-exceeded', '1');
  const { client, pauses } = clientThrough(first(12, '/v1/events', overQuota));
  assert.equal((await client.call('readEvents')).status, 200);
  assert.equal(pauses.length, 12);
  assert.ok(pauses.every((ms) => ms >= 1_000));
  const endless = clientThrough(first(999, '/v1/events', overQuota));
  await assert.rejects(endless.client.call('readEvents'), { status: 429, slug: 'quota-exceeded' });
  const waitedMs = endless.pauses.reduce((sum, ms) => sum + ms, 0);
  assert.ok(waitedMs <= 55_000 && waitedMs > 45_000, `${waitedMs}`);
  // Without a delay of the server, the number is limited.
  const atOnce = clientThrough(first(999, '/v1/events', problem(429, 'quota-exceeded', '0')));
  await assert.rejects(atOnce.client.call('readEvents'), { status: 429 });
  assert.equal(proxy.count('GET', '/v1/events'), 5);
  const never = clientThrough(first(999, '/v1/events', overQuota), { retries: 0 });
  await assert.rejects(never.client.call('readEvents'), { status: 429 });
  assert.equal(proxy.count('GET', '/v1/events'), 1);
});

test('retries stop after the configured number, and at once if Retry-After is longer than a minute', async () => {
  const { client, pauses } = clientThrough(first(99, '/v1/events', 'lost'), { retries: 3 });
  await assert.rejects(client.call('readEvents'), NetworkError);
  assert.equal(proxy.count('GET', '/v1/events'), 4);
  assert.deepEqual(pauses.filter(isPauseAfterLoss), [125, 250, 500]);
  const far = clientThrough(first(99, '/v1/events', problem(503, 'capacity-reduced', '3600')));
  await assert.rejects(far.client.call('readEvents'), { status: 503, retryAfterMs: 3_600_000 });
  assert.ok(far.pauses.every((ms) => ms < 3_600_000));
  const proxied = clientThrough(first(99, '/v1/events', { status: 418, body: 'teapot' }));
  await assert.rejects(proxied.client.call('readEvents'), { status: 418, slug: 'blank', retryable: false });
  const moved = clientThrough(first(99, '/v1/events', { status: 302, headers: { location: `${home.url}/v1` } }));
  await assert.rejects(moved.client.call('readEvents'), { status: 302, slug: 'blank' });
  const html = clientThrough(first(99, '/v1/events', { status: 200, body: '<html>' }));
  await assert.rejects(html.client.call('readEvents'), { name: 'NetworkError', code: 'ANSWER_UNREADABLE' });
});

test('timeouts, refused connections and an abort by the caller have different errors', async () => {
  const { client } = clientThrough(first(99, '/v1/events', 'held'), { retries: 0 });
  await client.accessToken();
  await assert.rejects(client.call('readEvents', { timeoutMs: 200 }), (fault) => {
    return fault instanceof TimeoutError && fault.timeoutMs === 200;
  });
  const stopping = new AbortController();
  const before = proxy.count('GET', '/v1/events');
  const waiting = client.call('readEvents', { signal: stopping.signal });
  await waitUntil(async () => proxy.count('GET', '/v1/events') > before);
  stopping.abort(new RangeError('my own'));
  await assert.rejects(waiting, new RangeError('my own'));
  const nobody = clientThrough(() => undefined, { baseUrl: 'http://127.0.0.1:9', retries: 0 });
  await assert.rejects(nobody.client.call('readEvents'), { name: 'NetworkError' });
});
