import type { LoadGenerator, LoadRequest, LoadResult } from './load-generator.ts';
import { cpuOfProcess, cpuOfTree, memoryOf, resetPeakMemory } from './process-usage.ts';

/** One server in one row of the table: whom to ask, what, and whose CPU counts. */
export type BenchTarget = {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** The root of the processes of its PostgreSQL. */
  readonly databasePid?: number | undefined;
  readonly request: LoadRequest;
  /** How many ask at once; 32 where nothing is said. */
  readonly connections?: number;
  /** Asked before each round, since ours live ten minutes. */
  token(): Promise<string>;
};

/** One round of one target: rates and latencies of the load, CPU in ms for an answer, memory in MiB. */
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
/** Long enough for the code of each thread to be compiled. */
const warmUpSeconds = 10;
/** Of each round, before what counts: a server that waited for its turn a quarter of a minute does not begin at its pace. */
const leadInSeconds = 1;
const leadInSeed = 1_000_000;

/**
 * Measures the targets in turns, A B C A B C …, so that what disturbs the machine disturbs all of them; the first turn is
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
      // All targets of a round are asked the same.
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
  const usual = { port, token, request, connections, maxRequests: mostRequests };
  await load.run({ ...usual, seconds: leadInSeconds, seed: leadInSeed + seed });
  resetPeakMemory(target.pid);
  const before = usage();
  const result: LoadResult = await load.run({ ...usual, seconds, seed });
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

/** The middle of some figures, the mean of the middle two where they are even; undefined for none. */
export function median(figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((figure) => figure !== undefined).sort((left, right) => left - right);
  const middle = Math.floor(known.length / 2);
  const [upper, lower] = [known[middle], known[middle - 1]];
  if (upper === undefined || known.length % 2 === 1 || lower === undefined) return upper;
  return (lower + upper) / 2;
}

/** The median of the ratios of two targets, round by round. */
export function medianRatio(measurements: readonly Measurement[], base: readonly Measurement[]): number | undefined {
  return median(
    measurements.map((cell, round) => {
      const other = base[round];
      return other === undefined ? undefined : cell.perSecond / other.perSecond;
    }),
  );
}
