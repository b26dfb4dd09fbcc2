import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { commandSocket } from '../../src/cli/running-server.ts';
import { freePort } from '../free-port.ts';
import { runHere } from '../run-here.ts';
import { until } from '../until.ts';
import { makeHome } from '../whole-server.ts';

test('a process that answers no calls says all the same whether it is well, to operators alone', async (t) => {
  const adminPort = await freePort();
  const home = await makeHome(t, { settings: { ADMIN_PORT: String(adminPort), ADMIN_HOST: 'localhost' } });
  assert.equal((await runHere(home, 'keys', 'create')).code, 0);
  assert.equal((await runHere(home, 'health')).code, 1);
  const server = home.launch('start', '--roles', 'worker,sequencer');
  await until(async () => server.stderr().includes(`metrics at http://localhost:${adminPort}/metrics`));
  const { code, stdout } = await home.run('health');
  assert.deepEqual([code, JSON.parse(stdout)], [0, { status: 'UP', ledger: 'ok' }]);
  const statusOf = async (path: string, method = 'GET') =>
    (await fetch(`http://localhost:${adminPort}${path}`, { method })).status;
  assert.deepEqual([await statusOf('/healthz'), await statusOf('/metrics')], [200, 200]);
  assert.deepEqual([await statusOf('/readyz', 'POST'), await statusOf('/openapi.json')], [405, 404]);
  await assert.rejects(fetch(home.url));
});

test('metrics are offered at an address of this machine or the start is refused, and by the demo on loopback only', async (t) => {
  const home = await makeHome(t, { settings: { ADMIN_HOST: '192.0.2.1' } });
  assert.equal((await runHere(home, 'keys', 'create')).code, 0);
  const refused = await runHere(home, 'start');
  assert.deepEqual(
    [
      refused.code,
      /192\.0\.2\.1 is no address of this machine: set ADMIN_HOST to one, or to 0\.0\.0\.0 for all$/m.test(
        refused.stderr,
      ),
    ],
    [1, true],
  );
  const demo = await runHere(home, 'demo');
  assert.deepEqual(
    [demo.code, /never listens beyond loopback: leave HOST and ADMIN_HOST out/.test(demo.stderr)],
    [1, true],
  );
});

test('a server takes commands before it says that it is ready', async (t) => {
  const home = await makeHome(t);
  assert.equal((await runHere(home, 'keys', 'create')).code, 0);
  home.launch('start');
  const socket = commandSocket(home.dataDir);
  // Without a pause, so that it is looked at as soon as it is ready.
  let status: number | undefined;
  for (const end = performance.now() + 60_000; status !== 200 && performance.now() < end; ) {
    status = (await fetch(`${home.url}/readyz`).catch(() => undefined))?.status;
  }
  assert.deepEqual([status, existsSync(socket)], [200, true]);
});
