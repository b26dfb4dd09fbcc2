import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from './database-engines.ts';
import { type CleanupScope, makeServerFixture, type RunningServer, type ServerFixture } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

export const callerCount = 48;
/** How many threads answer. */
export const threadsMetric = 'citizen_services_api_threads';
export const threadStartTimeoutMs = 75_000;

/** Asks until the server takes it: for a moment behind a busy one it may shed load, on a machine that others keep busy too. */
export async function retryWhileOverloaded<T extends { readonly status: number }>(send: () => Promise<T>): Promise<T> {
  let answer = await send();
  await waitUntil(async () => {
    if (answer.status === 503) answer = await send();
    return answer.status !== 503;
  });
  return answer;
}

/** A caller that opens a connection for every call, so that any thread may answer it. */
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

/** What the metrics of a server show, by name and labels. */
export async function readMetrics(server: RunningServer): Promise<ReadonlyMap<string, number>> {
  const at = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(`${server.stdout()}${server.stderr()}`)?.[0] ?? assert.fail();
  const lines = (await (await fetch(at)).text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** The sum of what a metric shows. */
export async function readMetricSum(server: RunningServer, name: string): Promise<number> {
  const shown = [...(await readMetrics(server))].filter(([key]) => key.startsWith(`${name}{`) || key === name);
  return shown.reduce((sum, [, value]) => sum + value, 0);
}

/** A server that is to be kept busy. */
export type LoadedServer = { readonly home: ServerFixture; readonly server: RunningServer; readonly token: string };

/** Starts the demo, of up to two threads. */
export async function startThreadedServer(
  t: CleanupScope,
  engine: Engine['name'],
  settings = {},
): Promise<LoadedServer> {
  const home = await makeServerFixture(t, {
    engine,
    settings: { API_THREADS: '2', VERIFY_QUANTUM_MS: '0', LOG_LEVEL: 'info', ...settings },
  });
  const server = await home.start('demo');
  assert.equal(await readMetricSum(server, threadsMetric), 1, 'a server that is not busy has one thread');
  return { home, server, token: await home.fetchAccessToken() };
}

/** Claims that are right of a citizen of the demo. */
export function matchingClaims(home: ServerFixture) {
  const { citizenId, givenName, birthDate } = home.readDemoFile().citizens[0] ?? assert.fail();
  return { citizenId, givenName, birthDate };
}

/**
 * Keeps the server busy, by callers who keep their connections, until that is so of an answer; gives how many questions about
 * claims were answered. Others ask for what needs no database, so that a slow one does not leave the server without work. On a machine
 * that others keep busy too the server may shed some.
 */
export async function loadUntil(
  condition: (answer: IncomingMessage) => boolean,
  { home, token }: LoadedServer,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: callerCount });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const claims = JSON.stringify(matchingClaims(home));
  const endsAt = Date.now() + threadStartTimeoutMs;
  let calls = 0;
  let isOver = false;
  const caller = async (kind: 'claims' | 'nothing stored') => {
    const [path, method, body] =
      kind === 'claims' ? (['/v1/identity/verify', 'POST', claims] as const) : (['/v1', 'GET', ''] as const);
    while (!isOver && Date.now() < endsAt) {
      const sent = request(`${home.url}${path}`, { agent, method, headers }).end(body);
      const [answer]: IncomingMessage[] = await once(sent, 'response');
      assert.ok(answer);
      await once(answer.resume(), 'end');
      if (answer.statusCode === 503) continue;
      assert.equal(answer.statusCode, 200);
      if (kind === 'claims') calls += 1;
      isOver ||= condition(answer);
    }
  };
  const callers = Array.from({ length: callerCount }, (_, at) => caller(at % 2 === 0 ? 'claims' : 'nothing stored'));
  await Promise.all(callers).finally(() => agent.destroy());
  return calls;
}

/** The same until a second thread answers; gives how many calls that took. */
export async function loadUntilSecondThread(loadedServer: LoadedServer): Promise<number> {
  let isOver = false;
  const waitForSecondThread = async () => {
    const endsAt = Date.now() + threadStartTimeoutMs;
    while (Date.now() < endsAt && (await readMetricSum(loadedServer.server, threadsMetric)) < 2) await pause(100);
    isOver = true;
  };
  const [calls] = await Promise.all([loadUntil(() => isOver, loadedServer), waitForSecondThread()]);
  assert.equal(await readMetricSum(loadedServer.server, threadsMetric), 2);
  return calls;
}
