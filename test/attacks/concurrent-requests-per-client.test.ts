import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createApiServer } from '../../src/api/api-server.ts';
import type { Authorizer } from '../../src/api/dispatch.ts';
import { loadLimits } from '../../src/api/load-shedding.ts';
import { createLog } from '../../src/api/log.ts';
import { bindOperation, defineOperation, type OperationCall } from '../../src/api/operation.ts';
import { createConcurrencyLimiter } from '../../src/auth/concurrency-limiter.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createHttpClient, parseJsonBody } from '../support/http-client.ts';
import { storelessContext } from '../support/storeless-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const request = {};
const head = {
  since: '1.0',
  method: 'GET',
  scope: 'events:read',
  callers: ['clients'],
  summary: '',
  description: '',
} as const;
const shape = { request, refusals: [], citizenData: false } as const;

/**
 * A server on which the token is the name of the client. One operation waits, and one streams a response whose second half waits.
 */
async function openServer(t: { after(run: () => unknown): void }, most: number) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let [waiting, streaming] = [0, 0];
  const waits = defineOperation({
    ...head,
    ...shape,
    name: 'waits',
    path: '/v1/waits',
    responses: {},
    run: async (_call: OperationCall<typeof request, null>) => {
      waiting += 1;
      await released;
      return { plain: { status: 200, json: {} } };
    },
  });
  const streams = defineOperation({
    ...head,
    ...shape,
    name: 'streams',
    path: '/v1/streams',
    responses: {},
    run: async (_call: OperationCall<typeof request, null>) => {
      streaming += 1;
      return { plain: { status: 200, headers: {}, stream: inTwo(released) } };
    },
  });
  const places = createConcurrencyLimiter(most);
  const authorizer: Authorizer = {
    authenticate: async (token = '') => ({ clientId: token, scopes: new Set(['events:read']) }),
    takeQuota: () => ({ headers: {} }),
    acquireSlot: places.acquire,
  };
  const server = createApiServer({
    app: { ...storelessContext, authorizer },
    operations: [bindOperation(waits, null), bindOperation(streams, null)],
    pages: [],
    mounts: [],
    publicUrl: 'http://127.0.0.1',
    apiVersion: '1.0.0',
    random: systemRandom,
    log: createLog('silent'),
  });
  const port = await server.listen('127.0.0.1', 0);
  t.after(async () => {
    release();
    await server.stop(1_000);
  });
  const exchange = createHttpClient(`http://127.0.0.1:${port}`);
  const ask = async (authorization: string, path = '/v1/waits') => await exchange({ path, headers: { authorization } });
  return { port, ask, release, waiting: () => waiting, streaming: () => streaming };
}

/** Yields one chunk at once and one later. */
async function* inTwo(later: Promise<void>): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(65_536);
  await later;
  yield Buffer.alloc(1);
}

/**
 * Small enough that the turns of the event loop stay short on a busy machine. With long turns the server would refuse requests.
 */
const atOnce = 50;

test('a client with long requests can use half of the capacity, and other clients are served', async (t) => {
  const { ask, release, waiting } = await openServer(t, loadLimits.perClient);
  const asked: ReturnType<typeof ask>[] = [];
  while (asked.length < loadLimits.perClient) {
    asked.push(...Array.from({ length: Math.min(atOnce, loadLimits.perClient - asked.length) }, () => ask('greedy')));
    await waitUntil(async () => waiting() === asked.length, 60_000);
  }
  const more = await ask('greedy');
  assert.equal(more.status, 503);
  assert.equal(parseJsonBody(more)['type'], 'http://127.0.0.1/problems/capacity-reduced');
  const other = ask('other');
  await waitUntil(async () => waiting() === loadLimits.perClient + 1);
  release();
  assert.equal((await other).status, 200);
  assert.deepEqual([...new Set((await Promise.all(asked)).map(({ status }) => status))], [200]);
  assert.equal((await ask('greedy')).status, 200);
});

test('a stream counts as a concurrent request until its client has received it or disconnects', async (t) => {
  const { port, ask, release, streaming } = await openServer(t, 2);
  const [first, second] = [1, 2].map(() => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write('GET /v1/streams HTTP/1.1\r\nhost: x\r\nauthorization: greedy\r\n\r\n');
    t.after(() => socket.destroy());
    return socket.resume();
  });
  await waitUntil(async () => streaming() === 2);
  assert.equal((await ask('greedy', '/v1/streams')).status, 503);
  first?.destroy();
  // The server notices the closed connection a moment later.
  const asked: ReturnType<typeof ask>[] = [];
  await waitUntil(async () => {
    asked.push(ask('greedy', '/v1/streams'));
    return streaming() === 3;
  });
  assert.equal((await ask('greedy', '/v1/streams')).status, 503);
  release();
  await Promise.all(asked);
  await waitUntil(async () => second !== undefined && second.bytesRead > 65_536);
  await waitUntil(async () => (await ask('greedy')).status === 200);
});
