import { setTimeout as pause } from 'node:timers/promises';
import {
  type BenchEngine,
  type BenchEnvironment,
  benchEngines,
  installationWithRegister,
} from './bench-environment.ts';
import { BenchFailed } from './bench-failed.ts';
import { citizenAt, citizenCount } from './citizens.ts';
import { type BenchServer, createBenchClient, fetchBenchToken, startBenchServer } from './installation.ts';
import { median } from './measure.ts';
import { cpuOfProcess, cpuOfTree } from './process-usage.ts';
import type { BenchResult, GoalCheck } from './result.ts';
import { startBenchSmtpServer } from './smtp-server.ts';

/** The rows of one batch; `BATCH_ROWS` sets another number. */
const rowCount = Number(process.env['BATCH_ROWS'] ?? 50_000);
const goalRowsPerSecond = 3_000;
const [urgentCount, everyMs] = [100, 50];
/** An urgent message alongside a batch takes at most twice as long as alone. */
const maxRatio = 2;

/** Measures how fast a batch is received, checked and accepted, and how long an urgent message takes alone and alongside it. */
export async function benchBatches(environment: BenchEnvironment): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const engine of benchEngines) results.push(...(await benchEngine(environment, engine)));
  return results;
}

async function benchEngine(environment: BenchEnvironment, engine: BenchEngine): Promise<BenchResult[]> {
  const installation = await installationWithRegister(environment, engine);
  const rescue = createBenchClient(installation.env, 'Rescue', 1_000);
  const smtpServer = await startBenchSmtpServer();
  const server = await startBenchServer(installation, { env: { SMTP_URL: `smtp://127.0.0.1:${smtpServer.port}` } });
  const token = await fetchBenchToken(installation, server);
  const urgent = () => sendUrgent(server, rescue);
  await uploadBatch(server, token, batchFile(1_000));
  await urgent();
  const alone = await urgent();
  const usage = () => ({
    server: cpuOfProcess(server.pid),
    database: engine === 'PostgreSQL' ? cpuOfTree(environment.postgres.pid) : undefined,
  });
  const before = usage();
  const batch = uploadBatch(server, token, batchFile(rowCount));
  const alongside: number[] = [];
  let isOver = false;
  const figures = batch.finally(() => {
    isOver = true;
  });
  while (!isOver) alongside.push(...(await urgent()));
  const { receivedMs, acceptedMs } = await figures;
  const after = usage();
  const each = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : (to - from) / rowCount;
  const cpu = { serverCpu: each(before.server, after.server), databaseCpu: each(before.database, after.database) };
  environment.logProgress(
    `batches: ${engine} received in ${Math.round(receivedMs)} ms, accepted in ${Math.round(acceptedMs)} ms`,
  );
  await server.stop();
  await smtpServer.stop();
  const perSecond = (rowCount * 1_000) / acceptedMs;
  const rows: GoalCheck = { what: 'rows a second', figure: perSecond, goal: goalRowsPerSecond, by: 'at least' };
  const figure = quantile(alongside, 0.5) / quantile(alone, 0.5);
  const wait: GoalCheck = { what: 'times as long', figure, goal: maxRatio, by: 'at most' };
  return [
    {
      work: 'batches',
      server: `ours, ${engine}`,
      unit: '/s',
      rate: perSecond,
      lowest: perSecond,
      highest: perSecond,
      ...cpu,
      checks: [rows],
    },
    toUrgentResult(`urgent alone, ${engine}`, alone, []),
    toUrgentResult(`urgent alongside a batch, ${engine}`, alongside, [wait]),
  ];
}

function batchFile(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const { citizenId, givenName } = citizenAt(index % citizenCount);
    return `${citizenId},Your parking permit,"Dear ${givenName}, your permit ${index} is ready. Please collect it at the town hall.",B-${index}`;
  });
  return ['citizenId,subject,message,reference', ...lines, ''].join('\r\n');
}

/** Uploads a batch and waits until all its rows are accepted. The times count from the begin of the upload. */
async function uploadBatch(
  server: BenchServer,
  token: string,
  body: string,
): Promise<{ readonly receivedMs: number; readonly acceptedMs: number }> {
  const startedAt = performance.now();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' };
  const url = `${server.url}/v1/notification-batches`;
  const created = await readBatch(await fetch(url, { method: 'POST', headers, body }), 202);
  const receivedMs = performance.now() - startedAt;
  for (;;) {
    const { state } = await readBatch(await fetch(`${url}/${created.id}`, { headers }), 200);
    if (state === 'done') return { receivedMs, acceptedMs: performance.now() - startedAt };
    if (state === 'refused' || state === 'cancelled')
      throw new BenchFailed(`expected a batch that is sent, and it is ${state}`);
    await pause(100);
  }
}

async function readBatch(response: Response, status: number): Promise<{ readonly id: string; readonly state: string }> {
  const text = await response.text();
  if (response.status !== status) throw new BenchFailed(`expected ${status}, received ${response.status}: ${text}`);
  return JSON.parse(text) as { readonly id: string; readonly state: string };
}

/** Sends urgent messages at a constant rate, and returns how long each took until the server had stored it (ms). */
async function sendUrgent(
  server: BenchServer,
  client: Parameters<typeof fetchBenchToken>[0]['client'],
): Promise<number[]> {
  const token = await fetchBenchToken({ client }, server);
  const times: number[] = [];
  for (let number = 0; number < urgentCount; number += 1) {
    const at = performance.now();
    const response = await fetch(`${server.url}/v1/notifications/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        citizenId: citizenAt(number).citizenId,
        message: 'Leave the building now.',
        category: 'urgent',
      }),
    });
    await response.arrayBuffer();
    if (response.status !== 202)
      throw new BenchFailed(`expected 202 for an urgent message, received ${response.status}`);
    times.push(performance.now() - at);
    await pause(everyMs);
  }
  return times;
}

function quantile(times: readonly number[], part: number): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * part)] ?? Number.NaN;
}

function toUrgentResult(server: string, times: readonly number[], checks: readonly GoalCheck[]): BenchResult {
  const rate = median([...times]) ?? Number.NaN;
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return {
    work: 'batches',
    server,
    unit: 'ms',
    rate,
    lowest: Math.min(...times),
    highest: Math.max(...times),
    p50,
    p99,
    checks,
  };
}
