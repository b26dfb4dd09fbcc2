import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '../../src/api/api-server.ts';
import { loadLimits } from '../../src/api/load-shedding.ts';
import { bindOperation, defineOperation, type OperationCall } from '../../src/api/operation.ts';
import { createHttpClient, type HttpResponse } from '../support/http-client.ts';
import { storelessServerOptions } from '../support/storeless-app.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A server with one operation, whose responses wait for `work`. */
async function serverOf(t: { after(run: () => unknown): void }, work: () => Promise<void>) {
  const request = {};
  const operation = defineOperation({
    name: 'work',
    since: '1.0',
    method: 'GET',
    path: '/v1/work',
    scope: null,
    callers: ['clients'],
    summary: '',
    description: '',
    request,
    responses: {},
    refusals: [],
    citizenData: false,
    run: async (_call: OperationCall<typeof request, null>) => {
      await work();
      return { plain: { status: 200, json: {} } };
    },
  });
  const server = createApiServer({ ...storelessServerOptions, operations: [bindOperation(operation, null)] });
  const port = await server.listen('127.0.0.1', 0);
  t.after(() => server.stop(1_000));
  return createHttpClient(`http://127.0.0.1:${port}`);
}

const problemOf = ({ status, headers, body }: HttpResponse) => [
  ...[status, headers['content-type'], Number(headers['retry-after']) >= 1],
  JSON.parse(body.toString()).type,
];
const refused = [503, 'application/problem+json', true, 'http://127.0.0.1/problems/capacity-reduced'];

test('[R62] requests over the limit are refused at once with 503, and accepted requests are answered', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let atWork = 0;
  const ask = await serverOf(t, () => {
    atWork += 1;
    return released;
  });
  // Small enough that the turns of the event loop stay short on a busy machine, and that the system can queue the connections.
  const atOnce = 50;
  const taken: Promise<HttpResponse>[] = [];
  while (taken.length < loadLimits.inFlight) {
    const wave = Math.min(atOnce, loadLimits.inFlight - taken.length);
    taken.push(...Array.from({ length: wave }, () => ask({ path: '/v1/work' })));
    await waitUntil(async () => atWork === taken.length, 60_000);
  }
  assert.deepEqual(problemOf(await ask({ path: '/v1/work' })), refused);
  release();
  const statuses = new Set((await Promise.all(taken)).map(({ status }) => status));
  assert.deepEqual([...statuses], [200]);
  // The many responses may have made turns of the event loop long. The server recovers soon.
  await waitUntil(async () => (await ask({ path: '/v1/work' })).status === 200, 60_000);
});

test('[R62] requests are refused while the turns of the event loop are long', async (t) => {
  let blocking = true;
  const ask = await serverOf(t, async () => {
    const end = performance.now() + 2 * loadLimits.loopDelayMs;
    while (blocking && performance.now() < end);
  });
  // Sequential requests without a pause: each turn of the event loop is as long as the work of one request.
  let shed: HttpResponse | undefined;
  for (const end = performance.now() + 60_000; shed === undefined; ) {
    assert.ok(performance.now() < end, 'nothing was refused');
    const answers = await Promise.all([ask({ path: '/v1/work' }), ask({ path: '/v1/work' })]);
    shed = answers.find(({ status }) => status !== 200);
  }
  assert.deepEqual(problemOf(shed), refused);
  blocking = false;
  await waitUntil(async () => (await ask({ path: '/v1/work' })).status === 200, 60_000);
});
