import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type BenchEnvironment, installationWithRegister } from './bench-environment.ts';
import { BenchFailed } from './bench-failed.ts';
import { type Installation, startBenchServer } from './installation.ts';
import { median } from './measure.ts';
import { memoryOf } from './process-usage.ts';
import type { BenchResult, GoalCheck } from './result.ts';

const goalMs = 1_000;
const goalMib = 150;
const idleSeconds = 3;
const longestStartMs = 20_000;

type Start = { readonly firstResponseMs: number; readonly idleMib: number | undefined };

/** Measures from process start to the first response, on an SQLite database with the register, then the idle memory. */
export async function benchStart(environment: BenchEnvironment, rounds: number): Promise<BenchResult[]> {
  const installation = await installationWithRegister(environment, 'SQLite');
  const starts: Start[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = await measureStart(installation);
    environment.logProgress(`start: ${Math.round(start.firstResponseMs)} ms`);
    starts.push(start);
  }
  const times = starts.map(({ firstResponseMs }) => firstResponseMs);
  const rate = median(times) ?? Number.NaN;
  const memoryMib = median(starts.map(({ idleMib }) => idleMib));
  const checks: GoalCheck[] = [
    { what: 'ms to the first response', figure: rate, goal: goalMs, by: 'at most' },
    { what: 'MiB idle', figure: memoryMib ?? Number.NaN, goal: goalMib, by: 'at most' },
  ];
  const spread = { lowest: Math.min(...times), highest: Math.max(...times) };
  return [{ work: 'start', server: 'ours, SQLite', unit: 'ms', rate, ...spread, memoryMib, checks }];
}

async function measureStart(installation: Installation): Promise<Start> {
  const port = await freePort();
  const before = performance.now();
  const starting = startBenchServer(installation, { env: { PORT: String(port) } });
  await waitUntilReady(`http://127.0.0.1:${port}/healthz`, before);
  const firstResponseMs = performance.now() - before;
  const server = await starting;
  await pause(idleSeconds * 1_000);
  const idleMib = memoryOf(server.pid)?.now;
  await server.stop();
  return { firstResponseMs, idleMib };
}

async function waitUntilReady(url: string, since: number): Promise<void> {
  while (performance.now() - since < longestStartMs) {
    const isUp = await fetch(url).then(
      (response) => response.status === 200,
      () => false,
    );
    if (isUp) return;
    await pause(5);
  }
  throw new BenchFailed(`expected a response from our server within ${longestStartMs} ms`);
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
