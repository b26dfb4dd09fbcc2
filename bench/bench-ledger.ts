import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type BenchEngine,
  type BenchEnvironment,
  benchEngines,
  installationWithRegister,
} from './bench-environment.ts';
import { BenchFailed } from './bench-failed.ts';
import { firstMessage, startProcess } from './child.ts';
import { citizenAt } from './citizens.ts';
import { type BenchServer, fetchBenchToken, type Installation, startBenchServer } from './installation.ts';
import { median } from './measure.ts';
import { cpuOfProcess, cpuOfTree } from './process-usage.ts';
import type { BenchResult, GoalCheck } from './result.ts';

const eventCount = 102_400;
const goalPerSecond = 20_000;
const goalReceiptMs = 500;
const receipts = 20;
const pollMs = 10;
const longestMs = 120_000;

/** Measures how fast recorded events are numbered, added to the log and signed, then how long one event waits for its receipt. */
export async function benchLedger(environment: BenchEnvironment): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const engine of benchEngines) {
    const installation = await installationWithRegister(environment, engine);
    await recordEvents(installation, eventCount);
    await environment.postgres.checkpoint();
    const server = await startBenchServer(installation, { withoutWorker: true });
    results.push(await sequence(environment, engine, server), await waitForReceipts(installation, engine, server));
    environment.logProgress(`ledger: ${engine} ${results.slice(-2).map(({ rate }) => Math.round(rate))}`);
    await server.stop();
  }
  return results;
}

async function recordEvents(installation: Installation, count: number): Promise<void> {
  const child = startProcess(join(import.meta.dirname, 'record-events.ts'), {
    args: ['--count', String(count), '--root', join(installation.dataDir, 'root.key')],
    env: installation.env,
  });
  await firstMessage(child);
  await child.stop();
}

async function sequence(
  { postgres }: BenchEnvironment,
  engine: BenchEngine,
  server: BenchServer,
): Promise<BenchResult> {
  const usage = () => ({
    server: cpuOfProcess(server.pid),
    database: engine === 'PostgreSQL' ? cpuOfTree(postgres.pid) : undefined,
  });
  const sampleLog = async () => ({ size: await logSize(server), at: performance.now(), usage: usage() });
  const first = await sampleLog();
  let last = first;
  while (last.size < eventCount) {
    if (last.at - first.at > longestMs)
      throw new BenchFailed(`expected ${eventCount} log entries within ${longestMs} ms, found ${last.size}`);
    await pause(pollMs);
    last = await sampleLog();
  }
  const count = last.size - first.size;
  const rate = (count * 1_000) / (last.at - first.at);
  const each = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : (to - from) / count;
  return {
    work: 'ledger',
    server: `numbered and signed, ${engine}`,
    unit: 'events/s',
    rate,
    lowest: rate,
    highest: rate,
    serverCpu: each(first.usage.server, last.usage.server),
    databaseCpu: each(first.usage.database, last.usage.database),
    checks: [{ what: 'events a second', figure: rate, goal: goalPerSecond, by: 'at least' }],
  };
}

async function logSize({ url }: BenchServer): Promise<number> {
  const response = await fetch(`${url}/ledger/checkpoint`);
  // The second line of a checkpoint is the size of the tree (c2sp.org/tlog-checkpoint).
  const size = (await response.text()).split('\n')[1];
  return response.status === 200 ? Number(size) : 0;
}

async function waitForReceipts(
  installation: Installation,
  engine: BenchEngine,
  server: BenchServer,
): Promise<BenchResult> {
  const authorization = `Bearer ${await fetchBenchToken(installation, server)}`;
  const waits: number[] = [];
  for (let index = 0; index < receipts; index += 1) {
    const { citizenId, givenName, familyName, birthDate } = citizenAt(index);
    const response = await fetch(`${server.url}/v1/identity/verify`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ citizenId, givenName, familyName, birthDate }),
    });
    const respondedAt = performance.now();
    const verification: unknown = await response.json();
    if (typeof verification !== 'object' || verification === null || !('receipt' in verification)) {
      throw new BenchFailed(`expected a receipt, received ${JSON.stringify(verification)}`);
    }
    const receiptUrl = `${server.url}${String(verification.receipt)}`;
    while (!(await isReceiptAvailable(receiptUrl, authorization)) && performance.now() - respondedAt < longestMs)
      await pause(pollMs);
    waits.push(performance.now() - respondedAt);
  }
  const rate = median(waits) ?? Number.NaN;
  const highest = Math.max(...waits);
  const checks: GoalCheck[] = [{ what: 'ms at most', figure: highest, goal: goalReceiptMs, by: 'at most' }];
  const spread = { lowest: Math.min(...waits), highest };
  return { work: 'ledger', server: `receipt after the answer, ${engine}`, unit: 'ms', rate, ...spread, checks };
}

async function isReceiptAvailable(url: string, authorization: string): Promise<boolean> {
  const response = await fetch(url, { headers: { authorization } });
  await response.arrayBuffer();
  return response.status === 200;
}
