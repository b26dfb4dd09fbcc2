import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { freePort } from '../../test/support/free-port.ts';
import { createAdminServer } from '../api/admin-server.ts';
import { runCommandLine } from './command.ts';
import { healthCommand } from './health.ts';

/** Runs `health` for this port. Returns the exit code and the output. */
async function healthAt(adminPort: number, adminHost = '127.0.0.1', ...args: readonly string[]) {
  let said = '';
  const write = (text: string) => {
    said += text;
  };
  const terminal = { stdout: write, stderr: write, isInteractive: false, cwd: '/' };
  const command = healthCommand(() => ({ adminHost, adminPort }), terminal, fetch);
  return [await runCommandLine(['health', ...args], [command], terminal), said];
}

test('health prints the response of /readyz, with exit code 0 only if the server is ready', async (t) => {
  const admin = createAdminServer();
  t.after(() => admin.close());
  let status = 200;
  const get = async () => ({ status, headers: {}, body: status === 200 ? 'UP' : 'DOWN' });
  const port = await admin.listen({ host: '127.0.0.1', port: 0 }, [{ path: '/readyz', get }]);
  assert.deepEqual(await healthAt(port), [0, 'UP\n']);
  assert.deepEqual(await healthAt(port, '0.0.0.0'), [0, 'UP\n']);
  const ofBoth = createAdminServer();
  t.after(() => ofBoth.close());
  const six = await ofBoth.listen({ host: '::', port: 0 }, [{ path: '/readyz', get }]);
  assert.deepEqual(await healthAt(six, '::'), [0, 'UP\n']);
  status = 503;
  assert.deepEqual(await healthAt(port), [1, 'DOWN\n']);
  const [code, said] = await healthAt(port, '127.0.0.1', 'api');
  assert.deepEqual([code, /Usage: citizen-services health/.test(String(said))], [2, true]);
});

test('health fails with the reason if there is no server, if it redirects, or if ADMIN_PORT is 0', async (t) => {
  const free = await freePort();
  assert.deepEqual(await healthAt(free), [
    1,
    `Expected a response from http://127.0.0.1:${free}/readyz, received none: connect ECONNREFUSED 127.0.0.1:${free}. Check that the server runs with these settings.\n`,
  ]);
  const [code, said] = await healthAt(0);
  assert.deepEqual([code, /^ADMIN_PORT: expected a fixed port, received 0/.test(String(said))], [1, true]);
  const other = createServer(({ url }, response) =>
    response.writeHead(url === '/login' ? 200 : 302, { location: '/login' }).end(),
  );
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  // A server that listens on TCP has an address with a port.
  assert.equal((await healthAt((other.address() as AddressInfo).port))[0], 1);
});
