import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Baseline, type BaselineOptions, startBaseline } from './baselines/baseline-process.ts';
import {
  type BenchEngine,
  type BenchEnvironment,
  baselineDocumentPaths,
  benchEngines,
  installationWithRegister,
} from './bench-environment.ts';
import {
  type BenchServer,
  type DocumentPaths,
  depositAllDocuments,
  fetchBenchToken,
  type Installation,
  startBenchServer,
} from './installation.ts';
import type { LoadRequest } from './load-generator.ts';
import { type BenchPlan, type BenchTarget, type Measurement, measureTargets, median, medianRatio } from './measure.ts';
import type { BenchResult, GoalCheck } from './result.ts';

/** The benches of one request and its answer, by name. */
export const httpBenches = ['verify', 'send', 'document-10k', 'document-1m'] as const;
export type HttpBench = (typeof httpBenches)[number];

type OwnServer = { readonly installation: Installation; readonly server: BenchServer; readonly paths: DocumentPaths };
type BenchServers = {
  readonly bare: Baseline;
  readonly files: Baseline;
  readonly team: Readonly<Record<BenchEngine, Baseline>>;
  readonly ours: Readonly<Record<BenchEngine, OwnServer>>;
  /** For many connections, with a thread for each processor. */
  readonly oursManyConnections: Readonly<Record<BenchEngine, OwnServer>>;
};

/** Runs those works, each server in a process of its own, all of them up all the time. */
export async function benchHttp(
  environment: BenchEnvironment,
  benches: readonly HttpBench[],
  plan: BenchPlan,
): Promise<BenchResult[]> {
  environment.logProgress('filling registers and documents');
  const servers = await startServers(environment);
  await environment.postgres.checkpoint();
  const results: BenchResult[] = [];
  for (const work of benches) {
    const targets = createTargets(work, servers, environment);
    const measurements = await measureTargets(environment.load, targets, plan, ({ name }, { perSecond }) =>
      environment.logProgress(`${work}: ${name} ${Math.round(perSecond)}`),
    );
    results.push(...toResults(work, measurements));
  }
  const { bare, files, team, ours, oursManyConnections } = servers;
  for (const child of [bare, files, ...Object.values(team)]) await child.stop();
  for (const { server } of [...Object.values(ours), ...Object.values(oursManyConnections)]) await server.stop();
  return results;
}

async function startServers(environment: BenchEnvironment): Promise<BenchServers> {
  const order: BaselineOptions = {
    keys: { publicKey: environment.baseline.publicKey },
    files: environment.documentFolder,
  };
  const team = async (database: BaselineOptions['database']) =>
    await startBaseline('express-server', { ...order, ...(database === undefined ? {} : { database }) });
  const ours = async (engine: BenchEngine, apiThreads = 1): Promise<OwnServer> => {
    const installation = await installationWithRegister(environment, engine);
    const paths = await depositAllDocuments(installation);
    const env = { API_THREADS: String(apiThreads) };
    return { installation, paths, server: await startBenchServer(installation, { withoutWorker: true, env }) };
  };
  return {
    bare: await startBaseline('bare-fastify', order),
    files: await startBaseline('fastify-files', order),
    team: {
      SQLite: await team({ sqlite: join(environment.folder, 'team.sqlite') }),
      PostgreSQL: await team({ postgres: await environment.postgres.create('team') }),
    },
    ours: { SQLite: await ours('SQLite'), PostgreSQL: await ours('PostgreSQL') },
    oursManyConnections: {
      SQLite: await ours('SQLite', availableParallelism()),
      PostgreSQL: await ours('PostgreSQL', availableParallelism()),
    },
  };
}

const bare = 'Fastify, nothing stored';
const bareUncachedToken = `${bare}, token verified anew`;
const teamName = (engine: BenchEngine) => `Express, ${engine}`;
const oursName = (engine: BenchEngine) => `ours, ${engine}`;
const withKeySuffix = ' and Idempotency-Key';
/**
 * Answers to verify leave at whole quanta of 5 ms, so that their time tells nothing: 32 callers cannot get more than 6,400
 * a second, however cheap each is. What the server can do shows with more of them.
 */
const manyConnections = 128;
const manyConnectionsSuffix = `, ${manyConnections} connections`;
const sendFile = 'Express, sendFile';
const fastifyStatic = 'Fastify, @fastify/static';
const withoutToken = `${fastifyStatic}, no token`;

function createTargets(work: HttpBench, servers: BenchServers, environment: BenchEnvironment): BenchTarget[] {
  const { postgres, baseline } = environment;
  const plain = (name: string, child: Baseline, request: LoadRequest): BenchTarget => {
    const databasePid = name === teamName('PostgreSQL') ? postgres.pid : undefined;
    return { name, pid: child.pid, port: child.port, databasePid, request, token: async () => baseline.token };
  };
  const ours = (engine: BenchEngine, askOf: (paths: DocumentPaths) => LoadRequest, suffix = ''): BenchTarget => {
    const { installation, server, paths } = (
      suffix === manyConnectionsSuffix ? servers.oursManyConnections : servers.ours
    )[engine];
    const { pid, port } = server;
    const databasePid = engine === 'PostgreSQL' ? postgres.pid : undefined;
    const name = `${oursName(engine)}${suffix}`;
    return {
      name,
      pid,
      port,
      databasePid,
      request: askOf(paths),
      token: async () => await fetchBenchToken(installation, server),
    };
  };
  switch (work) {
    case 'verify': {
      const request = { body: 'verify', status: 200 } as const;
      const verify = () => ({ ...request, path: '/v1/identity/verify' });
      return [
        plain(bare, servers.bare, { ...request, path: '/verify' }),
        plain(bareUncachedToken, servers.bare, { ...request, path: '/anew/verify' }),
        plain(teamName('PostgreSQL'), servers.team.PostgreSQL, { ...request, path: '/verify' }),
        ...benchEngines.map((engine) => ours(engine, verify)),
        ...benchEngines.map((engine) => ({
          ...ours(engine, verify, manyConnectionsSuffix),
          connections: manyConnections,
        })),
      ];
    }
    case 'send': {
      const request = { body: 'send', status: 202 } as const;
      const path = '/v1/notifications/send';
      return [
        plain(bare, servers.bare, { ...request, path: '/send' }),
        ...benchEngines.map((engine) => plain(teamName(engine), servers.team[engine], { ...request, path: '/send' })),
        ...benchEngines.map((engine) => ours(engine, () => ({ ...request, path }))),
        ours('SQLite', () => ({ ...request, path, withKey: true }), withKeySuffix),
      ];
    }
    case 'document-10k':
    case 'document-1m': {
      const set = work === 'document-10k' ? '10k' : '1m';
      const paths = baselineDocumentPaths(set);
      const usual = [
        plain(sendFile, servers.team.SQLite, { set, paths }),
        plain(fastifyStatic, servers.files, { set, paths }),
        plain(withoutToken, servers.files, { set, paths: paths.map((path) => `/open${path}`) }),
        ...benchEngines.map((engine) => ours(engine, (known) => ({ set, paths: known[set] }))),
      ];
      if (work === 'document-1m') return usual;
      const files = plain(fastifyStatic + manyConnectionsSuffix, servers.files, { set, paths });
      const sealed = benchEngines.map((engine) =>
        ours(engine, (known) => ({ set, paths: known[set] }), manyConnectionsSuffix),
      );
      return [...usual, ...[files, ...sealed].map((target) => ({ ...target, connections: manyConnections }))];
    }
  }
}

type RatioGoal = { readonly of: string; readonly to: string; readonly least: number };

/**
 * The goals of docs/performance.md. The bare route that they speak of checks its token for 0.10 to 0.15 ms: it verifies the
 * signature for each request, as the baselines of teams do. How accepting compares with BullMQ is in `queues`.
 */
const goals: Readonly<Record<HttpBench, readonly RatioGoal[]>> = {
  verify: [
    { of: oursName('SQLite') + manyConnectionsSuffix, to: bareUncachedToken, least: 0.6 },
    { of: oursName('SQLite') + manyConnectionsSuffix, to: teamName('PostgreSQL'), least: 1 },
    { of: oursName('PostgreSQL') + manyConnectionsSuffix, to: bareUncachedToken, least: 0.4 },
    { of: oursName('PostgreSQL') + manyConnectionsSuffix, to: teamName('PostgreSQL'), least: 1 },
  ],
  send: [],
  'document-10k': ['', manyConnectionsSuffix].flatMap((suffix) =>
    benchEngines.map((engine) => ({ of: oursName(engine) + suffix, to: fastifyStatic + suffix, least: 1 })),
  ),
  'document-1m': benchEngines.map((engine) => ({ of: oursName(engine), to: sendFile, least: 1 })),
};
const verifyP99Ms = 25;

function toResults(work: HttpBench, measurements: ReadonlyMap<BenchTarget, readonly Measurement[]>): BenchResult[] {
  const named = new Map([...measurements].map(([{ name }, own]) => [name, own]));
  return [...named].map(([name, own]) => {
    const checks = goals[work].flatMap(({ of, to, least }): GoalCheck[] => {
      const figure = of === name ? medianRatio(own, named.get(to) ?? []) : undefined;
      return figure === undefined ? [] : [{ what: `of ${to}`, figure, goal: least, by: 'at least' }];
    });
    const result = toResult(work, name, own);
    if (
      work === 'verify' &&
      name.startsWith('ours') &&
      !name.endsWith(manyConnectionsSuffix) &&
      result.p99 !== undefined
    ) {
      checks.push({ what: 'ms p99', figure: result.p99, goal: verifyP99Ms, by: 'at most' });
    }
    return { ...result, checks };
  });
}

/** The line of one server's cells. */
export function toResult(work: string, server: string, measurements: readonly Measurement[]): BenchResult {
  const rates = measurements.map(({ perSecond }) => perSecond);
  const of = (name: keyof Measurement) => median(measurements.map((cell) => cell[name]));
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
    memoryMib: measurements.reduce((most, { peakMib = 0 }) => Math.max(most, peakMib), 0),
  };
}
