import { startBaseline } from './baselines/baseline-process.ts';
import { resultOf } from './bench-http.ts';
import { type Engine, engines, filledHouse, type Ground } from './ground.ts';
import { type Cell, type Plan, usualConnections } from './measure.ts';
import { startOurs, tokenFor } from './our-server.ts';
import { cpuOfProcess, cpuOfTree, forgetPeak, memoryOf } from './process-usage.ts';
import type { Check, Result } from './result.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

/** A server that takes notifications and mails them. */
export type Mailing = {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  readonly databasePid: number | undefined;
  token(): Promise<string>;
  stop(): Promise<void>;
};

/** So many notifications for each second of the plan: about as long as the other benches take. */
const perPlannedSecond = 1_500;
const longestSeconds = 60;
/** DESIGN, section 6: 1.3 times BullMQ, which delivered 1,400 to 1,950 a second when the goal was set. */
const goalPerSecond = 1.3 * 1_675;

/** From the first acceptance to the last mail in the relay's hands, with 32 senders and both roles in one process. */
export async function benchDelivery(ground: Ground, plan: Plan): Promise<Result[]> {
  const sink = await startSmtpSink();
  const mailings = [await teamMailing(ground, sink)];
  for (const engine of engines) mailings.push(await ourMailing(ground, sink, engine));
  const cells = new Map<Mailing, Cell[]>(mailings.map((mailing) => [mailing, []]));
  const count = Math.round(plan.seconds * perPlannedSecond);
  for (const mailing of mailings) await mailOnce(ground, sink, mailing, Math.round(count / 4));
  await ground.postgres.settle();
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const mailing of mailings) {
      const cell = await mailOnce(ground, sink, mailing, count);
      ground.note(`deliver: ${mailing.name} ${Math.round(cell.perSecond)}`);
      cells.get(mailing)?.push(cell);
    }
  }
  for (const mailing of mailings) await mailing.stop();
  await sink.stop();
  return [...cells].map(([{ name }, own]) => {
    const result = resultOf('deliver', name, own);
    const what = 'a second (1.3 of BullMQ)';
    const checks: Check[] = [{ what, figure: result.rate, goal: goalPerSecond, by: 'at least' }];
    return name.startsWith('ours') ? { ...result, checks } : result;
  });
}

async function teamMailing({ baseline, files, postgres }: Ground, { port }: SmtpSink): Promise<Mailing> {
  const keys = { publicKey: baseline.publicKey };
  const database = { postgres: await postgres.create('team_mailing') };
  const child = await startBaseline('express-team', { keys, files, database, smtpPort: port });
  return {
    ...child,
    name: 'Express, PostgreSQL, nodemailer pool',
    path: '/send',
    databasePid: postgres.pid,
    token: async () => baseline.token,
  };
}

/** Our server with both roles in one process. */
export async function ourMailing(ground: Ground, { port }: SmtpSink, engine: Engine): Promise<Mailing> {
  const house = await filledHouse(ground, engine);
  const server = await startOurs(house, { env: { SMTP_URL: `smtp://127.0.0.1:${port}` } });
  return {
    ...server,
    name: `ours, ${engine}`,
    path: '/v1/notifications/send',
    databasePid: engine === 'PostgreSQL' ? ground.postgres.pid : undefined,
    token: async () => await tokenFor(house, server),
  };
}

/** Sends so many, and waits until the relay has all of them. */
export async function mailOnce({ load }: Ground, sink: SmtpSink, mailing: Mailing, count: number): Promise<Cell> {
  const token = await mailing.token();
  sink.forget();
  const usage = () => ({
    server: cpuOfProcess(mailing.pid),
    database: mailing.databasePid === undefined ? undefined : cpuOfTree(mailing.databasePid),
    client: cpuOfProcess(load.pid),
  });
  forgetPeak(mailing.pid);
  const before = usage();
  const result = await load.run({
    ...{ port: mailing.port, token, connections: usualConnections, seed: count },
    ask: { path: mailing.path, body: 'send', status: 202 },
    ...{ most: count, seconds: longestSeconds },
  });
  const endedAt = await sink.taken(result.answers);
  const after = usage();
  const each = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : (to - from) / result.answers;
  return {
    perSecond: (result.answers * 1_000) / (endedAt - result.startedAt),
    p50: result.p50,
    p99: result.p99,
    serverCpu: each(before.server, after.server),
    databaseCpu: each(before.database, after.database),
    clientCpu: each(before.client, after.client),
    peakMib: memoryOf(mailing.pid)?.peak,
  };
}
