import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import pg from 'pg';
import { commandSocketPath } from '../../src/cli/command-socket.ts';
import { freePort } from '../support/free-port.ts';
import { fetchOnce } from '../support/http-client.ts';
import { createDatabase, databaseNameOf, dropDatabase, queryServer } from '../support/postgres-databases.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

test('a process without the API role reports its health, on the admin address only', async (t) => {
  const adminPort = await freePort();
  const home = await makeServerFixture(t, { settings: { ADMIN_PORT: String(adminPort), ADMIN_HOST: 'localhost' } });
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  assert.equal((await runCommandInProcess(home, 'health')).code, 1);
  const server = home.launchCommand('start', '--roles', 'worker,sequencer');
  await waitUntil(async () => server.stderr().includes(`metrics at http://localhost:${adminPort}/metrics`));
  const { code, stdout } = await home.runCommand('health');
  assert.deepEqual([code, JSON.parse(stdout)], [0, { status: 'UP', ledger: 'ok' }]);
  const statusOf = async (path: string, method = 'GET') =>
    (await fetch(`http://localhost:${adminPort}${path}`, { method })).status;
  assert.deepEqual([await statusOf('/healthz'), await statusOf('/metrics')], [200, 200]);
  assert.deepEqual([await statusOf('/readyz', 'POST'), await statusOf('/openapi.json')], [405, 404]);
  await assert.rejects(fetch(home.url));
});

test('an admin address of another machine stops the start, and the demo accepts a loopback address only', async (t) => {
  const home = await makeServerFixture(t, { settings: { ADMIN_HOST: '192.0.2.1' } });
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const refused = await runCommandInProcess(home, 'start');
  assert.deepEqual(
    [
      refused.code,
      /192\.0\.2\.1 is not an address of this machine: set ADMIN_HOST to one of its addresses, or to 0\.0\.0\.0 for all\. See docs\/reference\/settings\.md#admin_host$/m.test(
        refused.stderr,
      ),
    ],
    [1, true],
  );
  const demo = await runCommandInProcess(home, 'demo');
  assert.deepEqual(
    [demo.code, /expected a loopback address for the demo, received .*\. Remove both settings/.test(demo.stderr)],
    [1, true],
  );
});

test('a server accepts commands before it reports that it is ready', async (t) => {
  const home = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  home.launchCommand('start');
  const socket = commandSocketPath(home.dataDir);
  // Without a pause, to check the socket as soon as the server is ready.
  let status: number | undefined;
  for (const end = performance.now() + 60_000; status !== 200 && performance.now() < end; ) {
    status = (await fetchOnce(`${home.url}/readyz`).catch(() => undefined))?.status;
  }
  assert.deepEqual([status, existsSync(socket)], [200, true]);
});

test('postgres: a server is not ready while its database stores no events, and ready afterwards', async (t) => {
  const databaseUrl = await createDatabase('empty');
  const role = `keeper_${process.pid}`;
  // Privileges of a superuser cannot be revoked.
  await queryServer(`create role ${role} login`);
  await queryServer(`alter database ${databaseNameOf(databaseUrl)} owner to ${role}`);
  const settings = { DATABASE_URL: databaseUrl.replace('postgres@/', `${role}@localhost/`) };
  const home = await makeServerFixture(t, { settings });
  t.after(async () => {
    await dropDatabase(databaseUrl);
    await queryServer(`drop role ${role}`);
  });
  const server = await home.start();
  const ready = async () => {
    const answer = await fetchOnce(`${home.url}/readyz`);
    return [answer.status, answer.headers.get('retry-after'), ((await answer.json()) as { status: string }).status];
  };
  const [up, down] = [
    [200, null, 'UP'],
    [503, '5', 'DOWN'],
  ];
  const looks = [await ready()];
  await runAsOwner(databaseUrl, `revoke insert on ledger_event from ${role}`);
  looks.push(await ready(), await ready());
  await runAsOwner(databaseUrl, `grant insert on ledger_event to ${role}`);
  assert.deepEqual([...looks, await ready()], [up, down, down, up]);
  await server.stop('SIGTERM');
  assert.equal(server.stderr().match(/"not ready: .*42501: permission denied for table ledger_event/g)?.length, 1);
});

async function runAsOwner(databaseUrl: string, sql: string): Promise<void> {
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  await owner.query(sql);
  await owner.end();
}
