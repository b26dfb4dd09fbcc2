import { startBaseline } from './baselines/baseline-process.ts';
import {
  type BenchEngine,
  type BenchEnvironment,
  benchEngines,
  installationWithRegister,
} from './bench-environment.ts';
import { toResult } from './bench-http.ts';
import { fetchBenchToken, startBenchServer } from './installation.ts';
import { type BenchPlan, defaultConnections, type Measurement } from './measure.ts';
import { cpuOfProcess, cpuOfTree, memoryOf, resetPeakMemory } from './process-usage.ts';
import type { BenchResult, GoalCheck } from './result.ts';
import { type BenchSmtpServer, startBenchSmtpServer } from './smtp-server.ts';

/** A server that accepts notifications and sends them by email. */
export type DeliveryTarget = {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  readonly databasePid: number | undefined;
  token(): Promise<string>;
  stop(): Promise<void>;
};

/** Notifications per second of the plan. With this number, the bench takes about as long as the others. */
const notificationsPerSecond = 1_500;
const longestSeconds = 60;
/** 1.3 times BullMQ, which delivered 1,400 to 1,950 notifications a second when the goal was set. */
const goalPerSecond = 1.3 * 1_675;

/** Measures from the first accepted notification until the relay has the last mail: 32 senders, both roles in one process. */
export async function benchDelivery(environment: BenchEnvironment, plan: BenchPlan): Promise<BenchResult[]> {
  const smtpServer = await startBenchSmtpServer();
  const targets = [await expressDeliveryTarget(environment, smtpServer)];
  for (const engine of benchEngines) targets.push(await ourDeliveryTarget(environment, smtpServer, engine));
  const measurements = new Map<DeliveryTarget, Measurement[]>(targets.map((target) => [target, []]));
  const count = Math.round(plan.seconds * notificationsPerSecond);
  for (const target of targets) await measureDelivery(environment, smtpServer, target, Math.round(count / 4));
  await environment.postgres.checkpoint();
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const target of targets) {
      const cell = await measureDelivery(environment, smtpServer, target, count);
      environment.logProgress(`deliver: ${target.name} ${Math.round(cell.perSecond)}`);
      measurements.get(target)?.push(cell);
    }
  }
  for (const target of targets) await target.stop();
  await smtpServer.stop();
  return [...measurements].map(([{ name }, own]) => {
    const result = toResult('deliver', name, own);
    const what = 'a second (1.3 of BullMQ)';
    const checks: GoalCheck[] = [{ what, figure: result.rate, goal: goalPerSecond, by: 'at least' }];
    return name.startsWith('ours') ? { ...result, checks } : result;
  });
}

async function expressDeliveryTarget(
  { baseline, documentFolder, postgres }: BenchEnvironment,
  { port }: BenchSmtpServer,
): Promise<DeliveryTarget> {
  const keys = { publicKey: baseline.publicKey };
  const database = { postgres: await postgres.create('team_mailing') };
  const child = await startBaseline('express-server', { keys, files: documentFolder, database, smtpPort: port });
  return {
    ...child,
    name: 'Express, PostgreSQL, nodemailer pool',
    path: '/send',
    databasePid: postgres.pid,
    token: async () => baseline.token,
  };
}

/** Starts our server with both roles in one process. */
export async function ourDeliveryTarget(
  environment: BenchEnvironment,
  { port }: BenchSmtpServer,
  engine: BenchEngine,
): Promise<DeliveryTarget> {
  const installation = await installationWithRegister(environment, engine);
  const server = await startBenchServer(installation, { env: { SMTP_URL: `smtp://127.0.0.1:${port}` } });
  return {
    ...server,
    name: `ours, ${engine}`,
    path: '/v1/notifications/send',
    databasePid: engine === 'PostgreSQL' ? environment.postgres.pid : undefined,
    token: async () => await fetchBenchToken(installation, server),
  };
}

/** Sends `count` notifications and waits until the relay has all of them. */
export async function measureDelivery(
  { load }: BenchEnvironment,
  smtpServer: BenchSmtpServer,
  target: DeliveryTarget,
  count: number,
): Promise<Measurement> {
  const token = await target.token();
  smtpServer.resetCount();
  const usage = () => ({
    server: cpuOfProcess(target.pid),
    database: target.databasePid === undefined ? undefined : cpuOfTree(target.databasePid),
    client: cpuOfProcess(load.pid),
  });
  resetPeakMemory(target.pid);
  const before = usage();
  const result = await load.run({
    port: target.port,
    token,
    connections: defaultConnections,
    seed: count,
    request: { path: target.path, body: 'send', status: 202 },
    maxRequests: count,
    seconds: longestSeconds,
  });
  const endedAt = await smtpServer.waitForCount(result.responseCount);
  const after = usage();
  const each = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : (to - from) / result.responseCount;
  return {
    perSecond: (result.responseCount * 1_000) / (endedAt - result.startedAt),
    p50: result.p50,
    p99: result.p99,
    serverCpu: each(before.server, after.server),
    databaseCpu: each(before.database, after.database),
    clientCpu: each(before.client, after.client),
    peakMib: memoryOf(target.pid)?.peak,
  };
}
