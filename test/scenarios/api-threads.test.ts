import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import {
  callerCount,
  callOnNewConnection,
  type LoadedServer,
  loadUntil,
  loadUntilSecondThread,
  readMetricSum,
  startThreadedServer,
} from '../support/server-load.ts';
import { fileCleanupScope, makeServerFixture } from '../support/server-process.ts';
import { withTerminableThreads } from '../support/terminate-threads.ts';
import { waitUntil } from '../support/wait-until.ts';

const file = fileCleanupScope();

/** The same until one of the callers is asked to come anew. */
async function busyUntilAsked(busy: LoadedServer): Promise<number> {
  let asked = false;
  const calls = await loadUntil(({ headers }) => {
    asked ||= headers.connection === 'close';
    return asked;
  }, busy);
  assert.ok(asked, `of ${callerCount} connections to the first thread none was let go`);
  return calls;
}

async function whatOneStoresTheOtherReads({ home, server, token }: LoadedServer): Promise<void> {
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
    assert.equal(read.status, 200, 'what was answered is seen by whoever answers next');
    ids.push(id);
  }
  // Pages of what the first thread has in memory.
  for (let n = 0; n < 12; n += 1) {
    const page = await fetch(`${home.url}/outbox`, { headers: { connection: 'close' } });
    assert.deepEqual([page.status, (await page.text()).includes('Letter')], [200, true]);
  }
  for (let n = 0; n < 12; n += 1) {
    const ready = await fetch(`${home.url}/readyz`, { headers: { connection: 'close' } });
    assert.deepEqual(await ready.json(), { status: 'UP', ledger: 'ok' });
  }
  // Each notification is delivered, though the thread that took it has no worker.
  for (const id of ids) {
    await waitUntil(
      async () =>
        (await callOnNewConnection(home.url, token, { path: `/v1/notifications/${id}` })).json['status'] ===
        'delivered',
    );
  }
  assert.ok((await readMetricSum(server, requests)) >= before + 80, 'what both threads answered is counted');
}

async function endsWell({ home, server }: LoadedServer): Promise<void> {
  const { code } = await server.stop('SIGTERM');
  assert.equal(code, 0, server.stderr());
  assert.doesNotMatch(server.stderr(), /a thread that answers calls ended/);
  const db = await home.openDb();
  const leases = await db.read("select fence from lease where name = 'ledger-sequencer'");
  await db.close();
  assert.deepEqual(leases, [{ fence: 1 }], 'the second thread took no lease from the first');
  const lines = server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  for (const line of lines) assert.doesNotThrow(() => JSON.parse(line), 'the lines of two threads stay whole');
  assert.equal(new Set(lines).size, lines.length, 'and each is told once');
}

async function quotaIsShared({ home }: LoadedServer): Promise<void> {
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
  // The burst is twice the rate (docs), and more flows in while the calls last.
  assert.ok(allowed >= 5 && allowed <= 10 + 5 * Math.ceil(seconds) + 1, `${allowed} of 60 calls in ${seconds} s`);
}

for (const { name } of engines) {
  suite(`${name}: a busy server`, () => {
    let busy: LoadedServer;
    before(async () => {
      busy = await startThreadedServer(file, name);
    });

    test(`${name}: callers who keep their connections are asked to come anew, so that some of them reach the thread that has begun`, async () => {
      const calls = await busyUntilAsked(busy);
      assert.equal(await readMetricSum(busy.server, 'citizen_services_api_threads'), 2);
      const counted = await readMetricSum(busy.server, 'citizen_services_requests_total');
      assert.ok(counted >= calls, `${counted} of ${calls} calls were counted`);
    });

    test(`${name}: a busy server answers from a second thread: what one has stored the other reads, counts and shows`, async () =>
      await whatOneStoresTheOtherReads(busy));

    test(`${name}: two threads share one quota`, async () => await quotaIsShared(busy));

    test(`${name}: a server of two threads ends when it is told to, and its log is whole`, async () =>
      await endsWell(busy));
  });
}

test('a thread that cannot start says why, and the first one goes on answering', async (t) => {
  const alone = await startThreadedServer(t, 'sqlite', { LOG_LEVEL: 'error' });
  const { home, server } = alone;
  rmSync(join(home.dataDir, 'root.key'));
  const told = () => server.stderr().includes('a thread could not start: no root key');
  await loadUntil(told, alone);
  assert.ok(told(), server.stderr());
  assert.equal(await readMetricSum(server, 'citizen_services_api_threads'), 1);
});

test('a thread that ends while it answers ends the process, which says why: a supervisor starts it whole again', async (t) => {
  const busy = await startThreadedServer(t, 'sqlite', withTerminableThreads('api-thread', t));
  const { server } = busy;
  await loadUntilSecondThread(busy);
  const { code } = await server.stop('SIGUSR2');
  assert.equal(code, 1, server.stderr());
  assert.match(server.stderr(), /"level":"error".*a thread that answers calls ended with code 1/);
});

test('a port that another program has is refused, also where threads may share it', async (t) => {
  const home = await makeServerFixture(t, { settings: { API_THREADS: '2' } });
  const other = createServer();
  await new Promise<void>((resolve) => other.listen({ port: home.port, host: '127.0.0.1', reusePort: true }, resolve));
  t.after(() => other.close());
  const launched = home.launchCommand('demo');
  const { code } = await launched.exited;
  assert.equal(code, 1);
  assert.match(launched.stderr(), /is taken: end the program that has it, or set PORT/);
});
