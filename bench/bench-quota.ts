import { setTimeout as pause } from 'node:timers/promises';
import { citizenAt } from './citizens.ts';
import { type Engine, filledHouse, type Ground } from './ground.ts';
import { median } from './measure.ts';
import { createClient, startOurs, tokenFor } from './our-server.ts';
import type { Check, Result } from './result.ts';

const engine: Engine = 'PostgreSQL';
const quotaPerSecond = 20;
/** So many loops each, of up to a hundred requests a second. */
const loops = 2;
const everyMs = 10;
const windowMs = 1_000;
const turnsARound = 2;
/** Row 63 of docs/api-requirements.md. */
const mostTimes = 2;

/** How far one client at ten times its quota moves the answers to another: the 99th percentile without it and beside it. */
export async function benchQuota(ground: Ground, rounds: number): Promise<Result[]> {
  const house = await filledHouse(ground, engine);
  const loud = createClient(house.env, 'Loud', quotaPerSecond);
  const server = await startOurs(house);
  const [token, loudToken] = [await tokenFor(house, server), await tokenFor({ client: loud }, server)];
  const ask = async (bearer: string) => {
    const { citizenId, givenName, familyName, birthDate } = citizenAt(0);
    const response = await fetch(`${server.url}/v1/identity/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ citizenId, givenName, familyName, birthDate }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const window = async (attacked: boolean) => {
    const end = performance.now() + windowMs;
    const times: number[] = [];
    const work = async () => {
      while (performance.now() < end) {
        const from = performance.now();
        if ((await ask(token)) !== 200) throw new Error('the client within its quota was refused');
        times.push(performance.now() - from);
        await pause(everyMs);
      }
    };
    const attack = async () => {
      while (attacked && performance.now() < end) {
        await ask(loudToken);
        await pause(everyMs);
      }
    };
    await Promise.all(Array.from({ length: loops }, () => [work(), attack()]).flat());
    return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? Number.NaN;
  };
  await window(true);
  const [alone, beside]: [number[], number[]] = [[], []];
  // Turn about, so that what else the machine does falls on both.
  for (let turn = 0; turn < rounds * turnsARound; turn += 1) {
    alone.push(await window(false));
    beside.push(await window(true));
  }
  await server.stop();
  const figure = (median(beside) ?? Number.NaN) / (median(alone) ?? Number.NaN);
  const check: Check = { what: 'times as long', figure, goal: mostTimes, by: 'at most' };
  return [resultOf('p99 alone', alone, []), resultOf('p99 beside one at ten times its quota', beside, [check])];
}

function resultOf(server: string, times: readonly number[], checks: readonly Check[]): Result {
  const rate = median(times) ?? Number.NaN;
  return { work: 'quota', server, unit: 'ms', rate, lowest: Math.min(...times), highest: Math.max(...times), checks };
}
