import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Engine } from './database-engines.ts';
import { fetchOnce } from './http-client.ts';
import { type CleanupScope, makeServerFixture, type RunningServer, type ServerFixture } from './server-process.ts';
import { makeTestFolder } from './test-folder.ts';
import { waitUntil } from './wait-until.ts';

const clientCount = 48;
const threadsMetric = 'citizen_services_api_threads';

/** Repeats a request that the server refused because of its load. */
export async function retryWhileOverloaded<T extends { readonly status: number }>(send: () => Promise<T>): Promise<T> {
  let answer = await send();
  await waitUntil(async () => {
    if (answer.status === 503) answer = await send();
    return answer.status !== 503;
  });
  return answer;
}

/** Sends a request on a new connection, so that any thread may answer it. */
export async function callOnNewConnection(
  url: string,
  token: string,
  { method = 'GET', path = '/', body = undefined as object | undefined },
) {
  const response = await retryWhileOverloaded(() =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, connection: 'close', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  return { status: response.status, json: (await response.json()) as Record<string, unknown>, response };
}

/** The values of a server's metrics, by name and labels. */
export async function readMetrics(server: RunningServer): Promise<ReadonlyMap<string, number>> {
  const at = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(`${server.stdout()}${server.stderr()}`)?.[0] ?? assert.fail();
  const lines = (await (await fetchOnce(at)).text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** The sum of a metric over its labels. */
export async function readMetricSum(server: RunningServer, name: string): Promise<number> {
  const shown = [...(await readMetrics(server))].filter(([key]) => key.startsWith(`${name}{`) || key === name);
  return shown.reduce((sum, [, value]) => sum + value, 0);
}

/** A demo server with two threads that answer requests. */
export type ThreadedServer = { readonly home: ServerFixture; readonly server: RunningServer; readonly token: string };

/** Starts the demo with two threads, and waits until both answer. */
export async function startThreadedServer(
  t: CleanupScope,
  engine: Engine['name'],
  settings = {},
): Promise<ThreadedServer> {
  const home = await makeServerFixture(t, {
    engine,
    settings: { API_THREADS: '2', VERIFY_QUANTUM_MS: '0', LOG_LEVEL: 'info', ...settings },
  });
  const server = await home.start('demo');
  await waitUntil(async () => (await readMetricSum(server, threadsMetric)) === 2);
  return { home, server, token: await home.fetchAccessToken() };
}

/** Claims that match a citizen of the demo. */
export function matchingClaims(home: ServerFixture) {
  const { citizenId, givenName, birthDate } = home.readDemoFile().citizens[0] ?? assert.fail();
  return { citizenId, givenName, birthDate };
}

/**
 * Sends verifications from many clients at once, each on a connection of its own. On a busy machine the server may shed some,
 * which the client repeats.
 */
export async function verifyConcurrently({ home, token }: ThreadedServer, requestsPerClient: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clientCount });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const claims = JSON.stringify(matchingClaims(home));
  const client = async () => {
    for (let sent = 0; sent < requestsPerClient; sent += 1) {
      const { statusCode } = await retryWhileOverloaded(async () => {
        const outgoing = request(`${home.url}/v1/identity/verify`, { agent, method: 'POST', headers }).end(claims);
        const [response = assert.fail()]: IncomingMessage[] = await once(outgoing, 'response');
        await once(response.resume(), 'end');
        return { status: response.statusCode ?? 0, statusCode: response.statusCode };
      });
      assert.equal(statusCode, 200);
    }
  };
  await Promise.all(Array.from({ length: clientCount }, client)).finally(() => agent.destroy());
  return clientCount * requestsPerClient;
}

/** A preload with which SIGUSR2 terminates the threads of a process that run one program, like a crash of the threads. */
const preloadFor = (program: string) => `
const threads = require('node:worker_threads');
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(file, options) {
    super(file, options);
    if (String(file).includes('${program}')) process.on('SIGUSR2', () => void this.terminate());
  }
};
require('node:module').syncBuiltinESMExports();
`;

/** Settings of a server in which SIGUSR2 terminates the threads that run that program. */
export function withTerminableThreads(program: string, t: TestContext): { readonly NODE_OPTIONS: string } {
  const folder = makeTestFolder('cs-preload-');
  t.after(() => rmSync(folder, { recursive: true }));
  const preload = join(folder, 'preload.cjs');
  writeFileSync(preload, preloadFor(program));
  return { NODE_OPTIONS: `--require "${preload}"` };
}
