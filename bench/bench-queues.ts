import { join } from 'node:path';
import { type BaselineOptions, startBaseline } from './baselines/baseline-process.ts';
import { type DeliveryTarget, measureDelivery, ourDeliveryTarget } from './bench-delivery.ts';
import {
  type BenchEngine,
  type BenchEnvironment,
  benchEngines,
  installationWithRegister,
} from './bench-environment.ts';
import { toResult } from './bench-http.ts';
import { fetchBenchToken, startBenchServer } from './installation.ts';
import { type BenchPlan, type BenchTarget, type Measurement, measureTargets, medianRatio } from './measure.ts';
import { type BenchRedis, startRedis } from './redis.ts';
import type { BenchResult, GoalCheck } from './result.ts';
import { type BenchSmtpServer, startBenchSmtpServer } from './smtp-server.ts';

/** The goals refer to the Redis that syncs before it responds. The other Redis can lose its last second. */
const bullmq = 'Express, BullMQ (AOF always)';
const bullmqLossy = 'Express, BullMQ (AOF each second)';
const pgBoss = 'Express, pg-boss';
const ownServerName = (engine: BenchEngine) => `ours, ${engine}`;

/** Goals as a ratio to BullMQ: first for accepting, then from acceptance to delivery of the mail. */
const acceptGoals: Readonly<Record<BenchEngine, number>> = { SQLite: 2.5, PostgreSQL: 1.5 };
const deliverGoal = 1.3;
/** Notifications per second of the plan. A shorter round would mostly measure the warm-up of the programs. */
const notificationsPerSecond = 3_000;

/** Measures accepting, and accepting to delivery, next to common queues. BullMQ needs a redis-server on this machine. */
export async function benchQueues(environment: BenchEnvironment, plan: BenchPlan): Promise<BenchResult[]> {
  const stores: NamedRedis[] = [];
  for (const [name, sync] of [
    [bullmq, 'always'],
    [bullmqLossy, 'everysec'],
  ] as const) {
    const redis = await startRedis(join(environment.folder, `redis-${sync}`), sync);
    if (redis !== undefined) stores.push({ name, redis });
  }
  if (stores.length === 0)
    environment.logProgress('queues: no redis-server on this machine, so BullMQ is not measured');
  const accepted = await benchAccepting(environment, stores, plan);
  const delivered = await benchDelivered(environment, stores, plan);
  for (const { redis } of stores) await redis.stop();
  return [...accepted, ...delivered];
}

type NamedRedis = { readonly name: string; readonly redis: BenchRedis };
type QueueBaseline = {
  readonly name: string;
  readonly databasePid: number;
  readonly options: Partial<BaselineOptions>;
};

async function createQueueBaselines(
  environment: BenchEnvironment,
  stores: readonly NamedRedis[],
  work: string,
): Promise<QueueBaseline[]> {
  const database = { postgres: await environment.postgres.create(`pg_boss_${work}`) };
  return [
    ...stores.map(({ name, redis }) => ({ name, databasePid: redis.pid, options: { redisPort: redis.port } })),
    { name: pgBoss, databasePid: environment.postgres.pid, options: { database } },
  ];
}

async function benchAccepting(
  environment: BenchEnvironment,
  stores: readonly NamedRedis[],
  plan: BenchPlan,
): Promise<BenchResult[]> {
  const { baseline, documentFolder, postgres } = environment;
  const sendRequest = { body: 'send', status: 202 } as const;
  const targets: BenchTarget[] = [];
  const stops: Array<() => Promise<void>> = [];
  for (const { name, databasePid, options } of await createQueueBaselines(environment, stores, 'accept')) {
    const child = await startBaseline('express-queue', { keys: baseline, files: documentFolder, ...options });
    stops.push(child.stop);
    const token = async () => baseline.token;
    targets.push({
      name,
      pid: child.pid,
      port: child.port,
      databasePid,
      request: { ...sendRequest, path: '/send' },
      token,
    });
  }
  for (const engine of benchEngines) {
    const installation = await installationWithRegister(environment, engine);
    const server = await startBenchServer(installation, { withoutWorker: true });
    stops.push(server.stop);
    const databasePid = engine === 'PostgreSQL' ? postgres.pid : undefined;
    const token = async () => await fetchBenchToken(installation, server);
    const path = '/v1/notifications/send';
    targets.push({
      name: ownServerName(engine),
      pid: server.pid,
      port: server.port,
      databasePid,
      request: { ...sendRequest, path },
      token,
    });
  }
  await postgres.checkpoint();
  const measurements = await measureTargets(environment.load, targets, plan, ({ name }, { perSecond }) =>
    environment.logProgress(`queues, accepting: ${name} ${Math.round(perSecond)}`),
  );
  for (const stop of stops) await stop();
  const named = new Map([...measurements].map(([{ name }, own]) => [name, own]));
  return toQueueResults('queues: accept', named, (engine) => acceptGoals[engine]);
}

async function benchDelivered(
  environment: BenchEnvironment,
  stores: readonly NamedRedis[],
  plan: BenchPlan,
): Promise<BenchResult[]> {
  const smtpServer = await startBenchSmtpServer();
  const targets: DeliveryTarget[] = [];
  for (const baseline of await createQueueBaselines(environment, stores, 'deliver'))
    targets.push(await queueDeliveryTarget(environment, smtpServer, baseline));
  for (const engine of benchEngines) targets.push(await ourDeliveryTarget(environment, smtpServer, engine));
  const measurements = new Map<string, Measurement[]>(targets.map(({ name }) => [name, []]));
  const count = Math.round(plan.seconds * notificationsPerSecond);
  for (const target of targets) await measureDelivery(environment, smtpServer, target, count);
  await environment.postgres.checkpoint();
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const target of targets) {
      const cell = await measureDelivery(environment, smtpServer, target, count);
      environment.logProgress(`queues, delivered: ${target.name} ${Math.round(cell.perSecond)}`);
      measurements.get(target.name)?.push(cell);
    }
  }
  for (const target of targets) await target.stop();
  await smtpServer.stop();
  return toQueueResults('queues: deliver', measurements, () => deliverGoal);
}

async function queueDeliveryTarget(
  { baseline, documentFolder }: BenchEnvironment,
  { port: smtpPort }: BenchSmtpServer,
  { name, databasePid, options }: QueueBaseline,
): Promise<DeliveryTarget> {
  const child = await startBaseline('express-queue', { keys: baseline, files: documentFolder, smtpPort, ...options });
  return { ...child, name, path: '/send', databasePid, token: async () => baseline.token };
}

/** Compares our servers with BullMQ, or with pg-boss if BullMQ was not measured, at the same ratio. */
function toQueueResults(
  work: string,
  named: ReadonlyMap<string, readonly Measurement[]>,
  goalOf: (engine: BenchEngine) => number,
): BenchResult[] {
  const baselineName = named.has(bullmq) ? bullmq : pgBoss;
  return [...named].map(([name, own]) => {
    const engine = benchEngines.find((one) => name === ownServerName(one));
    const result = toResult(work, name, own);
    const figure = engine === undefined ? undefined : medianRatio(own, named.get(baselineName) ?? []);
    if (engine === undefined || figure === undefined) return result;
    const checks: GoalCheck[] = [{ what: `of ${baselineName}`, figure, goal: goalOf(engine), by: 'at least' }];
    return { ...result, checks };
  });
}
