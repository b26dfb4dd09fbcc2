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

/** The names of the benches that measure one request and its response. */
export const httpBenches = ['verify', 'send', 'document-10k', 'document-1m'] as const;
export type HttpBench = (typeof httpBenches)[number];

type OwnServer = { readonly installation: Installation; readonly server: BenchServer; readonly paths: DocumentPaths };
type BenchServers = {
  readonly bare: Baseline;
  readonly files: Baseline;
  readonly team: Readonly<Record<BenchEngine, Baseline>>;
  readonly ours: Readonly<Record<BenchEngine, OwnServer>>;
  /** Servers for many connections, with one API thread per processor. */
  readonly oursManyConnections: Readonly<Record<BenchEngine, OwnServer>>;
};

/** Runs these benches. Each server has its own process and runs all the time. */
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
  const baselineOptions: BaselineOptions = {
    keys: { publicKey: environment.baseline.publicKey },
    files: environment.documentFolder,
  };
  const team = async (database: BaselineOptions['database']) =>
    await startBaseline('express-server', { ...baselineOptions, ...(database === undefined ? {} : { database }) });
  const ours = async (engine: BenchEngine, apiThreads = 1): Promise<OwnServer> => {
    const installation = await installationWithRegister(environment, engine);
    const paths = await depositAllDocuments(installation);
    const env = { API_THREADS: String(apiThreads) };
    return { installation, paths, server: await startBenchServer(installation, { withoutWorker: true, env }) };
  };
  return {
    bare: await startBaseline('bare-fastify', baselineOptions),
    files: await startBaseline('fastify-files', baselineOptions),
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
const bareUncachedToken = `${bare}, token verified each time`;
const teamName = (engine: BenchEngine) => `Express, ${engine}`;
const oursName = (engine: BenchEngine) => `ours, ${engine}`;
const withKeySuffix = ' and Idempotency-Key';
/**
 * The server pads the time of verify responses to multiples of 5 ms, so that the time reveals nothing. 32 callers therefore
 * get at most 6,400 responses a second. More callers show the capacity of the server.
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
  const ours = (engine: BenchEngine, requestFor: (paths: DocumentPaths) => LoadRequest, suffix = ''): BenchTarget => {
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
      request: requestFor(paths),
      token: async () => await fetchBenchToken(installation, server),
    };
  };
  switch (work) {
    case 'verify': {
      const request = { body: 'verify', status: 200 } as const;
      const verify = () => ({ ...request, path: '/v1/identity/verify' });
      return [
        plain(bare, servers.bare, { ...request, path: '/verify' }),
        plain(bareUncachedToken, servers.bare, { ...request, path: '/uncached/verify' }),
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
      const targets = [
        plain(sendFile, servers.team.SQLite, { set, paths }),
        plain(fastifyStatic, servers.files, { set, paths }),
        plain(withoutToken, servers.files, { set, paths: paths.map((path) => `/open${path}`) }),
        ...benchEngines.map((engine) => ours(engine, (deposited) => ({ set, paths: deposited[set] }))),
      ];
      if (work === 'document-1m') return targets;
      const files = plain(fastifyStatic + manyConnectionsSuffix, servers.files, { set, paths });
      const encrypted = benchEngines.map((engine) =>
        ours(engine, (deposited) => ({ set, paths: deposited[set] }), manyConnectionsSuffix),
      );
      return [...targets, ...[files, ...encrypted].map((target) => ({ ...target, connections: manyConnections }))];
    }
  }
}

type RatioGoal = { readonly of: string; readonly to: string; readonly least: number };

/**
 * The goals of docs/performance.md. The bare route that they refer to verifies the signature of the token for each request,
 * like the Express baselines. The bench `queues` compares accepting with BullMQ.
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

/** The table row for the measurements of one server. */
export function toResult(work: string, server: string, measurements: readonly Measurement[]): BenchResult {
  const rates = measurements.map(({ perSecond }) => perSecond);
  const of = (name: keyof Measurement) => median(measurements.map((cell) => cell[name]));
  return {
    work,
    server,
    unit: '/s',
    checks: [],
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
