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
import { type BenchSmtpServer, startBenchSmtpServer } from './smtp-server.ts';

/** The rows of one batch; `BATCH_ROWS` sets another number. */
const rowCount = Number(process.env['BATCH_ROWS'] ?? 50_000);
const goalRowsPerSecond = 3_000;
const sampleCount = 50;
const pauseMs = 50;
/** The time between urgent messages beside a batch. Rows wait for each of them, and a real service sends few. */
const alongsidePauseMs = 500;
/** An urgent message beside a batch takes at most twice as long as alone. */
const maxRatio = 2;

/**
 * Measures how fast a batch is received, checked and accepted. Measures how long an urgent message takes until it is accepted, and until the
 * mail server has it: alone, while the rows of a batch are accepted, and while they are delivered.
 */
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
  const sender = { server, smtpServer, token: await fetchBenchToken({ client: rescue }, server) };
  await uploadBatch(server, token, batchFile(1_000));
  await sendUrgent(sender, sampleCount);
  await environment.postgres.checkpoint();
  const alone = await sendUrgent(sender, sampleCount);
  const usage = () => ({
    server: cpuOfProcess(server.pid),
    database: engine === 'PostgreSQL' ? cpuOfTree(environment.postgres.pid) : undefined,
  });
  const before = usage();
  const alongside: UrgentTimes[] = [];
  let isOver = false;
  const figures = uploadBatch(server, token, batchFile(rowCount)).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    alongside.push(...(await sendUrgent(sender, 1)));
    await pause(alongsidePauseMs);
  }
  const { receivedMs, acceptedMs } = await figures;
  const after = usage();
  const whileDelivered = await sendUrgent(sender, sampleCount);
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
    ...(['accepted', 'delivered'] as const).flatMap((what) => [
      toUrgentResult(`urgent ${what}, alone, ${engine}`, alone, { what }),
      toUrgentResult(`urgent ${what}, batch accepted, ${engine}`, alongside, { what, alone }),
      toUrgentResult(`urgent ${what}, batch delivered, ${engine}`, whileDelivered, { what, alone }),
    ]),
  ];
}

function batchFile(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const { citizenId, givenName } = citizenAt(index % citizenCount);
    return `${citizenId},Your parking permit,"Dear ${givenName}, your permit ${index} is ready. Please collect it at the town hall.",B-${index}`;
  });
  return ['citizenId,subject,message,reference', ...lines, ''].join('\r\n');
}

/** Uploads a batch and waits until all its rows are accepted. The times count from the start of the upload. */
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
    const response = await fetch(`${url}/${created.id}`, { headers });
    const retryAfter = response.status === 503 ? response.headers.get('retry-after') : null;
    if (retryAfter !== null) {
      // The server sheds load while the rows of the batch keep it busy.
      await response.body?.cancel();
      await pause(Number(retryAfter) * 1_000);
      continue;
    }
    const { state } = await readBatch(response, 200);
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

type UrgentSender = { readonly server: BenchServer; readonly smtpServer: BenchSmtpServer; readonly token: string };
/** The milliseconds from the request until the response, and until the mail server has the mail. */
type UrgentTimes = { readonly accepted: number; readonly delivered: number };

let urgentCount = 0;

/** Sends urgent messages, one after the other, to citizens who receive nothing else. */
async function sendUrgent({ server, smtpServer, token }: UrgentSender, count: number): Promise<UrgentTimes[]> {
  const times: UrgentTimes[] = [];
  while (times.length < count) {
    urgentCount += 1;
    const { citizenId, email } = citizenAt(citizenCount - urgentCount);
    // In the clock of this process: the clocks of two processes can differ.
    const mailAt = smtpServer.waitForMail(email).then(() => performance.now());
    const at = performance.now();
    const response = await fetch(`${server.url}/v1/notifications/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ citizenId, message: 'Leave the building now.', category: 'urgent' }),
    });
    await response.arrayBuffer();
    if (response.status !== 202)
      throw new BenchFailed(`expected 202 for an urgent message, received ${response.status}`);
    const accepted = performance.now() - at;
    times.push({ accepted, delivered: (await mailAt) - at });
    await pause(pauseMs);
  }
  return times;
}

function quantile(times: readonly number[], part: number): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * part)] ?? Number.NaN;
}

type UrgentMeasurement = { readonly what: keyof UrgentTimes; readonly alone?: readonly UrgentTimes[] };

function toUrgentResult(
  server: string,
  measured: readonly UrgentTimes[],
  { what, alone }: UrgentMeasurement,
): BenchResult {
  const times = measured.map((one) => one[what]);
  const rate = median(times) ?? Number.NaN;
  const figure = rate / (median(alone?.map((one) => one[what]) ?? []) ?? Number.NaN);
  const check: GoalCheck = { what: 'times as long', figure, goal: maxRatio, by: 'at most' };
  return {
    work: 'batches',
    server,
    unit: 'ms',
    rate,
    lowest: Math.min(...times),
    highest: Math.max(...times),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    checks: alone === undefined ? [] : [check],
  };
}
