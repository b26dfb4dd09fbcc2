import { setTimeout as pause } from 'node:timers/promises';
import { type BenchEngine, type BenchEnvironment, installationWithRegister } from './bench-environment.ts';
import { BenchFailed } from './bench-failed.ts';
import { citizenAt } from './citizens.ts';
import { createBenchClient, fetchBenchToken, startBenchServer } from './installation.ts';
import { median } from './measure.ts';
import type { BenchResult, GoalCheck } from './result.ts';

const engine: BenchEngine = 'PostgreSQL';
const quotaPerSecond = 20;
/** Request loops per client. Each loop sends up to 100 requests a second. */
const loops = 2;
const intervalMs = 10;
const windowMs = 1_000;
const windowsPerRound = 2;
/** Row 63 of docs/api-requirements.md. */
const maxRatio = 2;

/** Measures how much a client at ten times its quota slows another client: the 99th percentile without it and with it. */
export async function benchQuota(environment: BenchEnvironment, rounds: number): Promise<BenchResult[]> {
  const installation = await installationWithRegister(environment, engine);
  const overQuotaClient = createBenchClient(installation.env, 'Over quota', quotaPerSecond);
  const server = await startBenchServer(installation);
  const [token, overQuotaToken] = [
    await fetchBenchToken(installation, server),
    await fetchBenchToken({ client: overQuotaClient }, server),
  ];
  const verify = async (bearer: string) => {
    const { citizenId, givenName, familyName, birthDate } = citizenAt(0);
    const response = await fetch(`${server.url}/v1/identity/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ citizenId, givenName, familyName, birthDate }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const window = async (withOverQuotaClient: boolean) => {
    const end = performance.now() + windowMs;
    const times: number[] = [];
    const work = async () => {
      while (performance.now() < end) {
        const from = performance.now();
        if ((await verify(token)) !== 200) throw new BenchFailed('expected 200 for the client within its quota');
        times.push(performance.now() - from);
        await pause(intervalMs);
      }
    };
    const exceedQuota = async () => {
      while (withOverQuotaClient && performance.now() < end) {
        await verify(overQuotaToken);
        await pause(intervalMs);
      }
    };
    await Promise.all(Array.from({ length: loops }, () => [work(), exceedQuota()]).flat());
    return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? Number.NaN;
  };
  await window(true);
  const [alone, withOtherClient]: [number[], number[]] = [[], []];
  // The windows alternate, so that other load of the machine affects both.
  for (let turn = 0; turn < rounds * windowsPerRound; turn += 1) {
    alone.push(await window(false));
    withOtherClient.push(await window(true));
  }
  await server.stop();
  const figure = (median(withOtherClient) ?? Number.NaN) / (median(alone) ?? Number.NaN);
  const check: GoalCheck = { what: 'times as long', figure, goal: maxRatio, by: 'at most' };
  return [
    toQuotaResult('p99 alone', alone, []),
    toQuotaResult('p99 with one at ten times its quota', withOtherClient, [check]),
  ];
}

function toQuotaResult(server: string, times: readonly number[], checks: readonly GoalCheck[]): BenchResult {
  const rate = median(times) ?? Number.NaN;
  return { work: 'quota', server, unit: 'ms', rate, lowest: Math.min(...times), highest: Math.max(...times), checks };
}
