import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { filledHouse, type Ground } from './ground.ts';
import { median } from './measure.ts';
import { type House, startOurs } from './our-server.ts';
import { memoryOf } from './process-usage.ts';
import type { Check, Result } from './result.ts';

const goalMs = 1_000;
const goalMib = 150;
const idleSeconds = 3;
const longestStartMs = 20_000;

type Start = { readonly firstAnswerMs: number; readonly idleMib: number | undefined };

/** From the start of the process to the first answer, over an SQLite database with the register; then what it holds idle. */
export async function benchStart(ground: Ground, rounds: number): Promise<Result[]> {
  const house = await filledHouse(ground, 'SQLite');
  const starts: Start[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = await startOnce(house);
    ground.note(`start: ${Math.round(start.firstAnswerMs)} ms`);
    starts.push(start);
  }
  const times = starts.map(({ firstAnswerMs }) => firstAnswerMs);
  const rate = median(times) ?? Number.NaN;
  const memoryMib = median(starts.map(({ idleMib }) => idleMib));
  const checks: Check[] = [
    { what: 'ms to the first answer', figure: rate, goal: goalMs, by: 'at most' },
    { what: 'MiB idle', figure: memoryMib ?? Number.NaN, goal: goalMib, by: 'at most' },
  ];
  const spread = { lowest: Math.min(...times), highest: Math.max(...times) };
  return [{ work: 'start', server: 'ours, SQLite', unit: 'ms', rate, ...spread, memoryMib, checks }];
}

async function startOnce(house: House): Promise<Start> {
  const port = await freePort();
  const before = performance.now();
  const starting = startOurs(house, { env: { PORT: String(port) } });
  await untilItAnswers(`http://127.0.0.1:${port}/healthz`, before);
  const firstAnswerMs = performance.now() - before;
  const server = await starting;
  await pause(idleSeconds * 1_000);
  const idleMib = memoryOf(server.pid)?.now;
  await server.stop();
  return { firstAnswerMs, idleMib };
}

async function untilItAnswers(url: string, since: number): Promise<void> {
  while (performance.now() - since < longestStartMs) {
    const isUp = await fetch(url).then(
      (response) => response.status === 200,
      () => false,
    );
    if (isUp) return;
    await pause(5);
  }
  throw new Error(`our server gave no answer within ${longestStartMs} ms`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  // A TCP server that listens has an address and a port.
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
