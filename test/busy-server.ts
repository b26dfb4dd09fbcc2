import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from './engines.ts';
import { until } from './until.ts';
import { type Afterwards, makeHome, type ServerHome, type WholeServer } from './whole-server.ts';

export const busyCallers = 48;
/** How many threads answer. */
export const threadsMetric = 'citizen_services_api_threads';
export const beginWithinMs = 75_000;

/** Asks until the server takes it: for a moment behind a busy one it may shed load, on a machine that others keep busy too. */
export async function untilTaken<T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> {
  let answer = await ask();
  await until(async () => {
    if (answer.status === 503) answer = await ask();
    return answer.status !== 503;
  });
  return answer;
}

/** A caller that opens a connection for every call, so that any thread may answer it. */
export async function call(
  url: string,
  token: string,
  { method = 'GET', path = '/', body = undefined as object | undefined },
) {
  const response = await untilTaken(() =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, connection: 'close', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  return { status: response.status, json: (await response.json()) as Record<string, unknown>, response };
}

/** What the metrics of a server show, by name and labels. */
export async function metricsOf(server: WholeServer): Promise<ReadonlyMap<string, number>> {
  const at = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(`${server.stdout()}${server.stderr()}`)?.[0] ?? assert.fail();
  const lines = (await (await fetch(at)).text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** The sum of what a metric shows. */
export async function metric(server: WholeServer, name: string): Promise<number> {
  const shown = [...(await metricsOf(server))].filter(([key]) => key.startsWith(`${name}{`) || key === name);
  return shown.reduce((sum, [, value]) => sum + value, 0);
}

/** A server that is to be kept busy. */
export type Busy = { readonly home: ServerHome; readonly server: WholeServer; readonly token: string };

/** Starts the demo, of up to two threads. */
export async function startServer(t: Afterwards, engine: Engine['name'], settings = {}): Promise<Busy> {
  const home = await makeHome(t, {
    engine,
    settings: { API_THREADS: '2', VERIFY_QUANTUM_MS: '0', LOG_LEVEL: 'info', ...settings },
  });
  const server = await home.start('demo');
  assert.equal(await metric(server, threadsMetric), 1, 'a server that is not busy has one thread');
  return { home, server, token: await home.token() };
}

/** Claims that are right of a citizen of the demo. */
export function claimsIn(home: ServerHome) {
  const { citizenId, givenName, birthDate } = home.demo().citizens[0] ?? assert.fail();
  return { citizenId, givenName, birthDate };
}

/**
 * Keeps the server busy, by callers who keep their connections, until that is so of an answer; gives how many questions about
 * claims were answered. Others ask for what needs no database, so that a slow one does not leave the server without work. On a machine
 * that others keep busy too the server may shed some.
 */
export async function busyUntil(isSo: (answer: IncomingMessage) => boolean, { home, token }: Busy): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: busyCallers });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const claims = JSON.stringify(claimsIn(home));
  const endsAt = Date.now() + beginWithinMs;
  let calls = 0;
  let isOver = false;
  const caller = async (isAbout: 'claims' | 'nothing stored') => {
    const [path, method, body] =
      isAbout === 'claims' ? (['/v1/identity/verify', 'POST', claims] as const) : (['/v1', 'GET', ''] as const);
    while (!isOver && Date.now() < endsAt) {
      const sent = request(`${home.url}${path}`, { agent, method, headers }).end(body);
      const [answer]: IncomingMessage[] = await once(sent, 'response');
      assert.ok(answer);
      await once(answer.resume(), 'end');
      if (answer.statusCode === 503) continue;
      assert.equal(answer.statusCode, 200);
      if (isAbout === 'claims') calls += 1;
      isOver ||= isSo(answer);
    }
  };
  const callers = Array.from({ length: busyCallers }, (_, at) => caller(at % 2 === 0 ? 'claims' : 'nothing stored'));
  await Promise.all(callers).finally(() => agent.destroy());
  return calls;
}

/** The same until a second thread answers; gives how many calls that took. */
export async function busyUntilTwo(busy: Busy): Promise<number> {
  let isOver = false;
  const found = async () => {
    const endsAt = Date.now() + beginWithinMs;
    while (Date.now() < endsAt && (await metric(busy.server, threadsMetric)) < 2) await pause(100);
    isOver = true;
  };
  const [calls] = await Promise.all([busyUntil(() => isOver, busy), found()]);
  assert.equal(await metric(busy.server, threadsMetric), 2);
  return calls;
}
