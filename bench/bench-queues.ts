import { join } from 'node:path';
import { type BaselineOrder, startBaseline } from './baselines/baseline-process.ts';
import { type Mailing, mailOnce, ourMailing } from './bench-delivery.ts';
import { resultOf } from './bench-http.ts';
import { type Engine, engines, filledHouse, type Ground } from './ground.ts';
import { type Cell, measure, type Plan, ratioOf, type Target } from './measure.ts';
import { startOurs, tokenFor } from './our-server.ts';
import { type BenchRedis, startRedis } from './redis.ts';
import type { Check, Result } from './result.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

/** The goals are held against the Redis that syncs before it answers; the other may lose its last second. */
const bullmq = 'Express, BullMQ (AOF always)';
const bullmqLossy = 'Express, BullMQ (AOF each second)';
const pgBoss = 'Express, pg-boss';
const oursName = (engine: Engine) => `ours, ${engine}`;

/** DESIGN, section 6: accepting against BullMQ, then from the acceptance to the mail. */
const acceptGoals: Readonly<Record<Engine, number>> = { SQLite: 2.5, PostgreSQL: 1.5 };
const deliverGoal = 1.3;
/** So many notifications for each second of the plan: a round of a second or two would measure how a program warms up. */
const perPlannedSecond = 3_000;

/** Accepting, and accepting to delivered, beside the queues that teams use; BullMQ where there is a redis-server. */
export async function benchQueues(ground: Ground, plan: Plan): Promise<Result[]> {
  const stores: Redis[] = [];
  for (const [name, sync] of [
    [bullmq, 'always'],
    [bullmqLossy, 'everysec'],
  ] as const) {
    const redis = await startRedis(join(ground.folder, `redis-${sync}`), sync);
    if (redis !== undefined) stores.push({ name, redis });
  }
  if (stores.length === 0) ground.note('queues: there is no redis-server here, so BullMQ is left out');
  const accepted = await benchAccepting(ground, stores, plan);
  const delivered = await benchDelivered(ground, stores, plan);
  for (const { redis } of stores) await redis.stop();
  return [...accepted, ...delivered];
}

type Redis = { readonly name: string; readonly redis: BenchRedis };
type Rival = { readonly name: string; readonly databasePid: number; readonly order: Partial<BaselineOrder> };

async function rivals(ground: Ground, stores: readonly Redis[], work: string): Promise<Rival[]> {
  const database = { postgres: await ground.postgres.create(`pg_boss_${work}`) };
  return [
    ...stores.map(({ name, redis }) => ({ name, databasePid: redis.pid, order: { redisPort: redis.port } })),
    { name: pgBoss, databasePid: ground.postgres.pid, order: { database } },
  ];
}

async function benchAccepting(ground: Ground, stores: readonly Redis[], plan: Plan): Promise<Result[]> {
  const { baseline, files, postgres } = ground;
  const ask = { body: 'send', status: 202 } as const;
  const targets: Target[] = [];
  const stops: Array<() => Promise<void>> = [];
  for (const { name, databasePid, order } of await rivals(ground, stores, 'accept')) {
    const child = await startBaseline('express-queue', { keys: baseline, files, ...order });
    stops.push(child.stop);
    const token = async () => baseline.token;
    targets.push({ name, pid: child.pid, port: child.port, databasePid, ask: { ...ask, path: '/send' }, token });
  }
  for (const engine of engines) {
    const house = await filledHouse(ground, engine);
    const server = await startOurs(house, { withoutWorker: true });
    stops.push(server.stop);
    const databasePid = engine === 'PostgreSQL' ? postgres.pid : undefined;
    const token = async () => await tokenFor(house, server);
    const path = '/v1/notifications/send';
    targets.push({
      name: oursName(engine),
      pid: server.pid,
      port: server.port,
      databasePid,
      ask: { ...ask, path },
      token,
    });
  }
  await postgres.settle();
  const cells = await measure(ground.load, targets, plan, ({ name }, { perSecond }) =>
    ground.note(`queues, accepting: ${name} ${Math.round(perSecond)}`),
  );
  for (const stop of stops) await stop();
  const named = new Map([...cells].map(([{ name }, own]) => [name, own]));
  return resultsOf('queues: accept', named, (engine) => acceptGoals[engine]);
}

async function benchDelivered(ground: Ground, stores: readonly Redis[], plan: Plan): Promise<Result[]> {
  const sink = await startSmtpSink();
  const mailings: Mailing[] = [];
  for (const rival of await rivals(ground, stores, 'deliver')) mailings.push(await queueMailing(ground, sink, rival));
  for (const engine of engines) mailings.push(await ourMailing(ground, sink, engine));
  const cells = new Map<string, Cell[]>(mailings.map(({ name }) => [name, []]));
  const count = Math.round(plan.seconds * perPlannedSecond);
  for (const mailing of mailings) await mailOnce(ground, sink, mailing, count);
  await ground.postgres.settle();
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const mailing of mailings) {
      const cell = await mailOnce(ground, sink, mailing, count);
      ground.note(`queues, delivered: ${mailing.name} ${Math.round(cell.perSecond)}`);
      cells.get(mailing.name)?.push(cell);
    }
  }
  for (const mailing of mailings) await mailing.stop();
  await sink.stop();
  return resultsOf('queues: deliver', cells, () => deliverGoal);
}

async function queueMailing(
  { baseline, files }: Ground,
  { port: smtpPort }: SmtpSink,
  { name, databasePid, order }: Rival,
): Promise<Mailing> {
  const child = await startBaseline('express-queue', { keys: baseline, files, smtpPort, ...order });
  return { ...child, name, path: '/send', databasePid, token: async () => baseline.token };
}

/** Ours against BullMQ, or where that is missing against pg-boss, with the same factor. */
function resultsOf(
  work: string,
  named: ReadonlyMap<string, readonly Cell[]>,
  goalOf: (engine: Engine) => number,
): Result[] {
  const rival = named.has(bullmq) ? bullmq : pgBoss;
  return [...named].map(([name, own]) => {
    const engine = engines.find((one) => name === oursName(one));
    const result = resultOf(work, name, own);
    const figure = engine === undefined ? undefined : ratioOf(own, named.get(rival) ?? []);
    if (engine === undefined || figure === undefined) return result;
    const checks: Check[] = [{ what: `of ${rival}`, figure, goal: goalOf(engine), by: 'at least' }];
    return { ...result, checks };
  });
}
