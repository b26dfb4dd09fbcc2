import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { before, suite, test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { fetchOnce } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture } from '../support/server-process.ts';
import {
  callOnNewConnection,
  readMetricSum,
  startThreadedServer,
  type ThreadedServer,
  withTerminableThreads,
} from '../support/threaded-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const file = fileCleanupScope();

async function testSharedState({ home, server, token }: ThreadedServer): Promise<void> {
  const requests = 'citizen_services_requests_total';
  const before = await readMetricSum(server, requests);
  const { citizenId } = home.readDemoFile().citizens[0] ?? assert.fail();
  const ids: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    const send = { method: 'POST', path: '/v1/notifications/send', body: { citizenId, message: `Letter ${n}` } };
    const sent = await callOnNewConnection(home.url, token, send);
    assert.equal(sent.status, 202, JSON.stringify(sent.json));
    const id = String(sent.json['id']);
    const read = await callOnNewConnection(home.url, token, { path: `/v1/notifications/${id}` });
    assert.equal(read.status, 200, 'the other thread reads what one has stored');
    ids.push(id);
  }
  // The first thread answers these pages for both, from its memory.
  for (let n = 0; n < 12; n += 1) {
    const page = await fetchOnce(`${home.url}/outbox`);
    assert.deepEqual([page.status, (await page.text()).includes('Letter')], [200, true]);
  }
  for (let n = 0; n < 12; n += 1) {
    const ready = await fetchOnce(`${home.url}/readyz`);
    assert.deepEqual(await ready.json(), { status: 'UP', ledger: 'ok' });
  }
  // Only the first thread has the worker role, and it delivers the notifications of both.
  for (const id of ids) {
    await waitUntil(
      async () =>
        (await callOnNewConnection(home.url, token, { path: `/v1/notifications/${id}` })).json['status'] ===
        'delivered',
    );
  }
  assert.ok((await readMetricSum(server, requests)) >= before + 80, 'the requests of both threads are counted');
}

async function testStop({ home, server }: ThreadedServer): Promise<void> {
  const { code } = await server.stop('SIGTERM');
  assert.equal(code, 0, server.stderr());
  assert.doesNotMatch(server.stderr(), /An API thread ended/);
  const db = await home.openDb();
  const leases = await db.read("select fence from lease where name = 'ledger-sequencer'");
  await db.close();
  assert.deepEqual(leases, [{ fence: 1 }], 'the second thread took no lease of the first');
  const lines = server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  for (const line of lines) assert.doesNotThrow(() => JSON.parse(line), 'lines of two threads do not mix');
  assert.equal(new Set(lines).size, lines.length, 'each line is written once');
}

async function testSharedQuota({ home }: ThreadedServer): Promise<void> {
  const small = ['Small', '--scopes', 'identity:verify', '--secret', '--quota', '5', '--json'];
  const created = await home.runCommand('clients', 'create', ...small);
  const token = await home.fetchAccessToken(['identity:verify'], JSON.parse(created.stdout));
  const body = { citizenId: 'x', givenName: 'A', birthDate: '1990-01-01' };
  const startedAt = Date.now();
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async () => {
      return (await callOnNewConnection(home.url, token, { method: 'POST', path: '/v1/identity/verify', body })).status;
    }),
  );
  const seconds = (Date.now() - startedAt) / 1_000;
  const allowed = statuses.filter((status) => status !== 429).length;
  // The burst is twice the rate (docs), and the quota grows during the calls.
  assert.ok(allowed >= 5 && allowed <= 10 + 5 * Math.ceil(seconds) + 1, `${allowed} of 60 calls in ${seconds} s`);
}

for (const { name } of engines) {
  suite(`${name}: a server with two threads`, () => {
    let threaded: ThreadedServer;
    before(async () => {
      threaded = await startThreadedServer(file, name);
    });

    test(`${name}: a notification that one thread stores is read, delivered and counted through the other`, async () =>
      await testSharedState(threaded));

    test(`${name}: two threads share one quota`, async () => await testSharedQuota(threaded));

    test(`${name}: a server of two threads stops on SIGTERM, and its log lines are complete`, async () =>
      await testStop(threaded));
  });
}

test('a thread that fails ends the process with an error in the log', async (t) => {
  const { server } = await startThreadedServer(t, 'sqlite', withTerminableThreads('api-thread', t));
  const { code } = await server.stop('SIGUSR2');
  assert.equal(code, 1, server.stderr());
  assert.match(server.stderr(), /"level":"error".*An API thread ended with exit code 1/);
});

test('a start with two threads is refused while another program uses the port with SO_REUSEPORT', async (t) => {
  const home = await makeServerFixture(t, { settings: { API_THREADS: '2' } });
  const other = createServer();
  await new Promise<void>((resolve) => other.listen({ port: home.port, host: '127.0.0.1', reusePort: true }, resolve));
  t.after(() => other.close());
  const launched = home.launchCommand('demo');
  const { code } = await launched.exited;
  assert.equal(code, 1);
  assert.match(launched.stderr(), /is in use: stop the program that uses it, or set PORT/);
});
