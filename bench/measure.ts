import type { LoadGenerator, LoadRequest, LoadResult } from './load-generator.ts';
import { cpuOfProcess, cpuOfTree, memoryOf, resetPeakMemory } from './process-usage.ts';

/** One row of the table: the server, the request, and the processes whose CPU time counts. */
export type BenchTarget = {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** The root process of its PostgreSQL server. */
  readonly databasePid?: number | undefined;
  readonly request: LoadRequest;
  /** Number of concurrent connections. The default is 32. */
  readonly connections?: number;
  /** Called before each round, because tokens of our server expire after ten minutes. */
  token(): Promise<string>;
};

/** One round of one target: rate and latencies (ms) of the load, CPU in ms per response, memory in MiB. */
export type Measurement = {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly serverCpu: number | undefined;
  readonly databaseCpu: number | undefined;
  readonly clientCpu: number | undefined;
  readonly peakMib: number | undefined;
};

export type BenchPlan = { readonly rounds: number; readonly seconds: number };

export const defaultConnections = 32;
const mostRequests = 2_000_000;
/** Long enough that the code of each thread is compiled. */
const warmUpSeconds = 10;
/** Start of each round, not counted: a server that was idle for some seconds does not respond at its full rate at once. */
const leadInSeconds = 1;
const leadInSeed = 1_000_000;

/**
 * Measures the targets alternately, A B C A B C …, so that other load of the machine affects all of them. The first pass is
 * warm-up and does not count.
 */
export async function measureTargets(
  load: LoadGenerator,
  targets: readonly BenchTarget[],
  plan: BenchPlan,
  onCell: (target: BenchTarget, cell: Measurement) => void,
): Promise<Map<BenchTarget, Measurement[]>> {
  const measurements = new Map<BenchTarget, Measurement[]>(targets.map((target) => [target, []]));
  for (const target of targets) await measureOnce(load, target, { seconds: warmUpSeconds, seed: 1 });
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const target of targets) {
      // All targets of a round receive the same requests.
      const cell = await measureOnce(load, target, { seconds: plan.seconds, seed: 1_000 + round });
      measurements.get(target)?.push(cell);
      onCell(target, cell);
    }
  }
  return measurements;
}

async function measureOnce(
  load: LoadGenerator,
  target: BenchTarget,
  { seconds, seed }: { seconds: number; seed: number },
): Promise<Measurement> {
  const token = await target.token();
  const usage = () => ({
    server: cpuOfProcess(target.pid),
    database: target.databasePid === undefined ? undefined : cpuOfTree(target.databasePid),
    client: cpuOfProcess(load.pid),
  });
  const { port, request, connections = defaultConnections } = target;
  const sharedOptions = { port, token, request, connections, maxRequests: mostRequests };
  await load.run({ ...sharedOptions, seconds: leadInSeconds, seed: leadInSeed + seed });
  resetPeakMemory(target.pid);
  const before = usage();
  const result: LoadResult = await load.run({ ...sharedOptions, seconds, seed });
  const after = usage();
  const each = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : (to - from) / result.responseCount;
  return {
    perSecond: result.perSecond,
    p50: result.p50,
    p99: result.p99,
    serverCpu: each(before.server, after.server),
    databaseCpu: each(before.database, after.database),
    clientCpu: each(before.client, after.client),
    peakMib: memoryOf(target.pid)?.peak,
  };
}

/** The median of the defined figures. Undefined if there are none. */
export function median(figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((figure) => figure !== undefined).sort((left, right) => left - right);
  const middle = Math.floor(known.length / 2);
  const [upper, lower] = [known[middle], known[middle - 1]];
  if (upper === undefined || known.length % 2 === 1 || lower === undefined) return upper;
  return (lower + upper) / 2;
}

/** The median, over all rounds, of the ratio of two targets. */
export function medianRatio(measurements: readonly Measurement[], base: readonly Measurement[]): number | undefined {
  return median(
    measurements.map((cell, round) => {
      const other = base[round];
      return other === undefined ? undefined : cell.perSecond / other.perSecond;
    }),
  );
}
