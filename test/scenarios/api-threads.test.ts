import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Engine, engines } from '../engines.ts';
import { endingThreadsOf } from '../thread-end.ts';
import { makeHome, type ServerHome, type WholeServer } from '../whole-server.ts';

const busyCallers = 24;
const beginWithinMs = 75_000;

/** A caller that opens a connection for every call, so that any thread may answer it. */
async function call(
  url: string,
  token: string,
  { method = 'GET', path = '/', body = undefined as object | undefined },
) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, connection: 'close', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown>, response };
}

async function metric(server: WholeServer, name: string): Promise<number> {
  const at = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(`${server.stdout()}${server.stderr()}`)?.[0] ?? assert.fail();
  const text = await (await fetch(at)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** Keeps the server busy until a second thread answers; gives how many calls that took. */
async function untilTwo(home: ServerHome, server: WholeServer, token: string): Promise<number> {
  const endsAt = Date.now() + beginWithinMs;
  const { citizens } = home.demo();
  const [citizen] = citizens;
  const body = { citizenId: citizen?.citizenId, givenName: citizen?.givenName, birthDate: citizen?.birthDate };
  let calls = 0;
  let found = false;
  const caller = async () => {
    while (!found && Date.now() < endsAt) {
      const { status, json } = await call(home.url, token, { method: 'POST', path: '/v1/identity/verify', body });
      assert.equal(status, 200, JSON.stringify(json));
      calls += 1;
    }
  };
  const watcher = async () => {
    while (!found && Date.now() < endsAt) {
      found = (await metric(server, 'citizen_services_api_threads')) === 2;
      await pause(100);
    }
  };
  await Promise.all([watcher(), ...Array.from({ length: busyCallers }, caller)]);
  assert.ok(found, `no second thread answered within ${beginWithinMs} ms of load`);
  return calls;
}

async function startBusy(t: Parameters<typeof makeHome>[0], engine: Engine['name'], settings = {}) {
  const home = await makeHome(t, {
    engine,
    settings: { API_THREADS: '2', VERIFY_QUANTUM_MS: '0', LOG_LEVEL: 'info', ...settings },
  });
  const server = await home.start('demo');
  const token = await home.token();
  assert.equal(await metric(server, 'citizen_services_api_threads'), 1, 'a server that is not busy has one thread');
  return { home, server, token, calls: await untilTwo(home, server, token) };
}

for (const { name } of engines) {
  test(`${name}: a busy server answers from a second thread: what one has stored the other reads, counts and shows`, async (t) => {
    const { home, server, token, calls } = await startBusy(t, name);
    const requests = 'citizen_services_requests_total';
    const before = await metric(server, requests);
    assert.ok(before >= calls, `${before} of ${calls} calls were counted`);
    const { citizenId } = home.demo().citizens[0] ?? assert.fail();
    const ids: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      const send = { method: 'POST', path: '/v1/notifications/send', body: { citizenId, message: `Letter ${n}` } };
      const sent = await call(home.url, token, send);
      assert.equal(sent.status, 202, JSON.stringify(sent.json));
      const id = String(sent.json['id']);
      const read = await call(home.url, token, { path: `/v1/notifications/${id}` });
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
      let status: unknown;
      for (let tries = 0; tries < 200 && status !== 'delivered'; tries += 1) {
        status = (await call(home.url, token, { path: `/v1/notifications/${id}` })).json['status'];
        if (status !== 'delivered') await pause(50);
      }
      assert.equal(status, 'delivered', id);
    }
    assert.ok((await metric(server, requests)) >= before + 80, 'what both threads answered is counted');
    const { code } = await server.end('SIGTERM');
    assert.equal(code, 0, server.stderr());
    assert.doesNotMatch(server.stderr(), /a thread that answers calls ended/);
    const db = await home.openDb();
    t.after(() => db.close());
    assert.deepEqual(
      await db.read("select fence from lease where name = 'ledger-sequencer'"),
      [{ fence: 1 }],
      'the second thread took no lease from the first',
    );
    const lines = server
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    for (const line of lines) assert.doesNotThrow(() => JSON.parse(line), 'the lines of two threads stay whole');
    assert.equal(new Set(lines).size, lines.length, 'and each is told once');
  });
}

test('callers who keep their connections are asked to come anew, so that some of them reach the thread that has begun', async (t) => {
  const home = await makeHome(t, { settings: { API_THREADS: '2', VERIFY_QUANTUM_MS: '0' } });
  await home.start('demo');
  const token = await home.token();
  const agent = new Agent({ keepAlive: true, maxSockets: busyCallers });
  t.after(() => agent.destroy());
  const { citizenId, givenName, birthDate } = home.demo().citizens[0] ?? assert.fail();
  const options = {
    ...{ agent, method: 'POST' },
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  };
  const endsAt = Date.now() + beginWithinMs;
  let asked = 0;
  const caller = async () => {
    while (asked === 0 && Date.now() < endsAt) {
      const sent = request(`${home.url}/v1/identity/verify`, options).end(
        JSON.stringify({ citizenId, givenName, birthDate }),
      );
      const [answer]: IncomingMessage[] = await once(sent, 'response');
      assert.equal(answer?.statusCode, 200);
      await once(answer?.resume() ?? assert.fail(), 'end');
      if (answer?.headers.connection === 'close') asked += 1;
    }
  };
  await Promise.all(Array.from({ length: busyCallers }, caller));
  assert.ok(asked > 0, `of ${busyCallers} connections to the first thread none was let go`);
});

test('a thread that cannot start says why, and the first one goes on answering', async (t) => {
  const home = await makeHome(t, { settings: { API_THREADS: '2', VERIFY_QUANTUM_MS: '0', LOG_LEVEL: 'error' } });
  const server = await home.start('demo');
  const token = await home.token();
  rmSync(join(home.dataDir, 'root.key'));
  const endsAt = Date.now() + beginWithinMs;
  const told = () => server.stderr().includes('a thread could not start: no root key');
  const { citizenId, givenName, birthDate } = home.demo().citizens[0] ?? assert.fail();
  const body = { citizenId, givenName, birthDate };
  const caller = async () => {
    while (!told() && Date.now() < endsAt) {
      const { status, json } = await call(home.url, token, { method: 'POST', path: '/v1/identity/verify', body });
      assert.equal(status, 200, JSON.stringify(json));
    }
  };
  await Promise.all(Array.from({ length: busyCallers }, caller));
  assert.ok(told(), server.stderr());
  assert.equal(await metric(server, 'citizen_services_api_threads'), 1);
});

test('a thread that ends while it answers ends the process, which says why: a supervisor starts it whole again', async (t) => {
  const { server } = await startBusy(t, 'sqlite', endingThreadsOf('api-thread', t));
  const { code } = await server.end('SIGUSR2');
  assert.equal(code, 1, server.stderr());
  assert.match(server.stderr(), /"level":"error".*a thread that answers calls ended with code 1/);
});

test('two threads share one quota', async (t) => {
  const { home, token } = await startBusy(t, 'sqlite');
  const created = await home.run(
    'clients',
    'create',
    'Small',
    '--scopes',
    'identity:verify',
    '--secret',
    '--quota',
    '5',
    '--json',
  );
  const small = await home.token(['identity:verify'], JSON.parse(created.stdout));
  const body = { citizenId: 'x', givenName: 'A', birthDate: '1990-01-01' };
  const startedAt = Date.now();
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async () => {
      return (await call(home.url, small, { method: 'POST', path: '/v1/identity/verify', body })).status;
    }),
  );
  const seconds = (Date.now() - startedAt) / 1_000;
  const allowed = statuses.filter((status) => status !== 429).length;
  // The burst is twice the rate (docs), and more flows in while the calls last.
  assert.ok(allowed >= 5 && allowed <= 10 + 5 * Math.ceil(seconds) + 1, `${allowed} of 60 calls in ${seconds} s`);
  assert.notEqual(token, '');
});

test('a port that another program has is refused, also where threads may share it', async (t) => {
  const home = await makeHome(t, { settings: { API_THREADS: '2' } });
  const other = createServer();
  await new Promise<void>((resolve) => other.listen({ port: home.port, host: '127.0.0.1', reusePort: true }, resolve));
  t.after(() => other.close());
  const launched = home.launch('demo');
  const { code } = await launched.ended;
  assert.equal(code, 1);
  assert.match(launched.stderr(), /is taken: end the program that has it, or set PORT/);
});
