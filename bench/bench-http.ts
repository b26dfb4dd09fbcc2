import { join } from 'node:path';
import { type Baseline, type BaselineOrder, startBaseline } from './baselines/baseline-process.ts';
import { type Engine, engines, filledHouse, type Ground, plainPaths } from './ground.ts';
import type { Ask } from './load-generator.ts';
import { type Cell, measure, median, type Plan, ratioOf, type Target } from './measure.ts';
import { type DocumentPaths, fillDocuments, type House, type OurServer, startOurs, tokenFor } from './our-server.ts';
import type { Check, Result } from './result.ts';

/** The benches of one request and its answer, by name. */
export const httpWorks = ['verify', 'send', 'document-10k', 'document-1m'] as const;
export type HttpWork = (typeof httpWorks)[number];

type Ours = { readonly house: House; readonly server: OurServer; readonly paths: DocumentPaths };
type Lineup = {
  readonly bare: Baseline;
  readonly files: Baseline;
  readonly team: Readonly<Record<Engine, Baseline>>;
  readonly ours: Readonly<Record<Engine, Ours>>;
  /** Of these many callers ask: a thread that they bring forth would answer the few ones too. */
  readonly oursOfMany: Readonly<Record<Engine, Ours>>;
};

/** Runs those works, each server in a process of its own, all of them up all the time. */
export async function benchHttp(ground: Ground, works: readonly HttpWork[], plan: Plan): Promise<Result[]> {
  ground.note('filling registers and documents');
  const lineup = await lineUp(ground);
  await ground.postgres.settle();
  const results: Result[] = [];
  for (const work of works) {
    const targets = targetsOf(work, lineup, ground);
    const cells = await measure(ground.load, targets, plan, ({ name }, { perSecond }) =>
      ground.note(`${work}: ${name} ${Math.round(perSecond)}`),
    );
    results.push(...resultsOf(work, cells));
  }
  const { bare, files, team, ours, oursOfMany } = lineup;
  for (const child of [bare, files, ...Object.values(team)]) await child.stop();
  for (const { server } of [...Object.values(ours), ...Object.values(oursOfMany)]) await server.stop();
  return results;
}

async function lineUp(ground: Ground): Promise<Lineup> {
  const order: BaselineOrder = { keys: { publicKey: ground.baseline.publicKey }, files: ground.files };
  const team = async (database: BaselineOrder['database']) =>
    await startBaseline('express-team', { ...order, ...(database === undefined ? {} : { database }) });
  const ours = async (engine: Engine): Promise<Ours> => {
    const house = await filledHouse(ground, engine);
    const paths = await fillDocuments(house);
    return { house, paths, server: await startOurs(house, { withoutWorker: true }) };
  };
  return {
    bare: await startBaseline('bare-fastify', order),
    files: await startBaseline('fastify-files', order),
    team: {
      SQLite: await team({ sqlite: join(ground.folder, 'team.sqlite') }),
      PostgreSQL: await team({ postgres: await ground.postgres.create('team') }),
    },
    ours: { SQLite: await ours('SQLite'), PostgreSQL: await ours('PostgreSQL') },
    oursOfMany: { SQLite: await ours('SQLite'), PostgreSQL: await ours('PostgreSQL') },
  };
}

const bare = 'Fastify, nothing stored';
const bareAnew = `${bare}, token verified anew`;
const teamName = (engine: Engine) => `Express, ${engine}`;
const oursName = (engine: Engine) => `ours, ${engine}`;
const withKey = ' and Idempotency-Key';
/**
 * Answers to verify leave at whole quanta of 5 ms, so that their time tells nothing: 32 callers cannot get more than 6,400
 * a second, however cheap each is. What the server can do shows with more of them.
 */
const manyConnections = 128;
const byMany = `, ${manyConnections} connections`;
const sendFile = 'Express, sendFile';
const fastifyStatic = 'Fastify, @fastify/static';
const withoutToken = `${fastifyStatic}, no token`;

function targetsOf(work: HttpWork, lineup: Lineup, ground: Ground): Target[] {
  const { postgres, baseline } = ground;
  const plain = (name: string, child: Baseline, ask: Ask): Target => {
    const databasePid = name === teamName('PostgreSQL') ? postgres.pid : undefined;
    return { name, pid: child.pid, port: child.port, databasePid, ask, token: async () => baseline.token };
  };
  const ours = (engine: Engine, askOf: (paths: DocumentPaths) => Ask, suffix = ''): Target => {
    const { house, server, paths } = (suffix === byMany ? lineup.oursOfMany : lineup.ours)[engine];
    const { pid, port } = server;
    const databasePid = engine === 'PostgreSQL' ? postgres.pid : undefined;
    const name = `${oursName(engine)}${suffix}`;
    return { name, pid, port, databasePid, ask: askOf(paths), token: async () => await tokenFor(house, server) };
  };
  switch (work) {
    case 'verify': {
      const ask = { body: 'verify', status: 200 } as const;
      const verify = () => ({ ...ask, path: '/v1/identity/verify' });
      return [
        plain(bare, lineup.bare, { ...ask, path: '/verify' }),
        plain(bareAnew, lineup.bare, { ...ask, path: '/anew/verify' }),
        plain(teamName('PostgreSQL'), lineup.team.PostgreSQL, { ...ask, path: '/verify' }),
        ...engines.map((engine) => ours(engine, verify)),
        ...engines.map((engine) => ({ ...ours(engine, verify, byMany), connections: manyConnections })),
      ];
    }
    case 'send': {
      const ask = { body: 'send', status: 202 } as const;
      const path = '/v1/notifications/send';
      return [
        plain(bare, lineup.bare, { ...ask, path: '/send' }),
        ...engines.map((engine) => plain(teamName(engine), lineup.team[engine], { ...ask, path: '/send' })),
        ...engines.map((engine) => ours(engine, () => ({ ...ask, path }))),
        ours('SQLite', () => ({ ...ask, path, withKey: true }), withKey),
      ];
    }
    case 'document-10k':
    case 'document-1m': {
      const set = work === 'document-10k' ? '10k' : '1m';
      const paths = plainPaths(set);
      const usual = [
        plain(sendFile, lineup.team.SQLite, { set, paths }),
        plain(fastifyStatic, lineup.files, { set, paths }),
        plain(withoutToken, lineup.files, { set, paths: paths.map((path) => `/open${path}`) }),
        ...engines.map((engine) => ours(engine, (known) => ({ set, paths: known[set] }))),
      ];
      if (work === 'document-1m') return usual;
      const files = plain(fastifyStatic + byMany, lineup.files, { set, paths });
      const sealed = engines.map((engine) => ours(engine, (known) => ({ set, paths: known[set] }), byMany));
      return [...usual, ...[files, ...sealed].map((target) => ({ ...target, connections: manyConnections }))];
    }
  }
}

type RatioGoal = { readonly of: string; readonly to: string; readonly least: number };

/**
 * The goals of docs/performance.md. The bare route that they speak of checks its token for 0.10 to 0.15 ms: it verifies the
 * signature for each request, as the baselines of teams do. How accepting compares with BullMQ is in `queues`.
 */
const goals: Readonly<Record<HttpWork, readonly RatioGoal[]>> = {
  verify: [
    { of: oursName('SQLite') + byMany, to: bareAnew, least: 0.6 },
    { of: oursName('SQLite') + byMany, to: teamName('PostgreSQL'), least: 1 },
    { of: oursName('PostgreSQL') + byMany, to: bareAnew, least: 0.4 },
    { of: oursName('PostgreSQL') + byMany, to: teamName('PostgreSQL'), least: 1 },
  ],
  send: [],
  'document-10k': ['', byMany].flatMap((suffix) =>
    engines.map((engine) => ({ of: oursName(engine) + suffix, to: fastifyStatic + suffix, least: 1 })),
  ),
  'document-1m': engines.map((engine) => ({ of: oursName(engine), to: sendFile, least: 1 })),
};
const verifyP99Ms = 25;

function resultsOf(work: HttpWork, cells: ReadonlyMap<Target, readonly Cell[]>): Result[] {
  const named = new Map([...cells].map(([{ name }, own]) => [name, own]));
  return [...named].map(([name, own]) => {
    const checks = goals[work].flatMap(({ of, to, least }): Check[] => {
      const figure = of === name ? ratioOf(own, named.get(to) ?? []) : undefined;
      return figure === undefined ? [] : [{ what: `of ${to}`, figure, goal: least, by: 'at least' }];
    });
    const result = resultOf(work, name, own);
    if (work === 'verify' && name.startsWith('ours') && !name.endsWith(byMany) && result.p99 !== undefined) {
      checks.push({ what: 'ms p99', figure: result.p99, goal: verifyP99Ms, by: 'at most' });
    }
    return { ...result, checks };
  });
}

/** The line of one server's cells. */
export function resultOf(work: string, server: string, cells: readonly Cell[]): Result {
  const rates = cells.map(({ perSecond }) => perSecond);
  const of = (name: keyof Cell) => median(cells.map((cell) => cell[name]));
  return {
    ...{ work, server, unit: '/s', checks: [] },
    rate: median(rates) ?? Number.NaN,
    lowest: Math.min(...rates),
    highest: Math.max(...rates),
    p50: of('p50'),
    p99: of('p99'),
    serverCpu: of('serverCpu'),
    databaseCpu: of('databaseCpu'),
    clientCpu: of('clientCpu'),
    memoryMib: cells.reduce((most, { peakMib = 0 }) => Math.max(most, peakMib), 0),
  };
}
