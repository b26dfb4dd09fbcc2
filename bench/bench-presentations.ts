import type { PidAttributes } from '../client/src/sandbox-people.ts';
import { answerWalletRequest } from '../client/src/sandbox-wallet.ts';
import { createWalletSettings } from '../test/support/wallet-settings.ts';
import { type BenchEnvironment, installationWithRegister } from './bench-environment.ts';
import { BenchFailed } from './bench-failed.ts';
import { type BenchCitizen, citizenAt, citizenCount } from './citizens.ts';
import { type BenchServer, fetchBenchToken, startBenchServer } from './installation.ts';
import { cpuOfProcess, memoryOf } from './process-usage.ts';
import type { BenchResult } from './result.ts';

/** Whole presentations; `BENCH_PRESENTATIONS` sets another number. */
const presentationCount = Number(process.env['BENCH_PRESENTATIONS'] ?? 10_000);
const longestMs = 300_000;
const wallets = 32;
/** The processor time that a presentation may cost in addition to a verification of the same claims. */
const goalMs = 2;
/** The memory that a process may gain between the first quarter of the presentations and the last. */
const goalMib = 32;
const claims = ['givenName', 'familyName', 'birthDate', 'streetAddress'] as const;

/**
 * Measures a server that asks sandbox wallets, in four requests for each presentation: ask, request object, response, and result.
 * The wallets are in this process.
 */
export async function benchPresentations(environment: BenchEnvironment): Promise<BenchResult[]> {
  const installation = await installationWithRegister(environment, 'SQLite');
  const server = await startBenchServer(installation, { env: await createWalletSettings() });
  const token = await fetchBenchToken(installation, server);
  try {
    const present = (index: number) => presentOnce(server, token, citizenAt(index % citizenCount));
    const verify = (index: number) => verifyOnce(server, token, citizenAt(index % citizenCount));
    // Warm-up: the first requests compile the code.
    await repeat(500, present);
    await repeat(500, verify);
    const verifying = await usageOf(server, () => repeat(2_000, verify));
    const first = await usageOf(server, () => repeat(presentationCount / 4, present));
    const rest = await usageOf(server, () => repeat((presentationCount * 3) / 4, present));
    const cpuMs = (first.cpuMs + rest.cpuMs) / (first.count + rest.count);
    const verifyMs = verifying.cpuMs / verifying.count;
    environment.logProgress(`wallet: ${cpuMs.toFixed(2)} ms a presentation, ${verifyMs.toFixed(2)} ms a verification`);
    const added = { what: 'CPU ms added', figure: cpuMs - verifyMs, goal: goalMs, by: 'at most' } as const;
    const gained = {
      what: 'MiB gained',
      figure: rest.memoryMib - first.memoryMib,
      goal: goalMib,
      by: 'at most',
    } as const;
    return [
      {
        work: 'wallet presentation',
        server: 'ours, SQLite',
        unit: '/s',
        rate: rest.perSecond,
        lowest: Math.min(first.perSecond, rest.perSecond),
        highest: Math.max(first.perSecond, rest.perSecond),
        serverCpu: cpuMs,
        memoryMib: rest.memoryMib,
        checks: [added, gained],
      },
    ];
  } finally {
    await server.stop();
  }
}

/** Runs the work `count` times, several at once, and stops at the time limit. Returns the number of runs. */
async function repeat(count: number, work: (index: number) => Promise<void>): Promise<number> {
  const until = performance.now() + longestMs;
  let started = 0;
  const runWallet = async () => {
    while (started < count && performance.now() < until) {
      started += 1;
      await work(started);
    }
  };
  await Promise.all(Array.from({ length: wallets }, runWallet));
  return started;
}

async function usageOf({ pid }: BenchServer, work: () => Promise<number>) {
  const [before, startedAt] = [cpuOfProcess(pid) ?? Number.NaN, performance.now()];
  const count = await work();
  const elapsedMs = performance.now() - startedAt;
  const cpuMs = (cpuOfProcess(pid) ?? Number.NaN) - before;
  return { count, cpuMs, perSecond: (count * 1_000) / elapsedMs, memoryMib: memoryOf(pid)?.now ?? Number.NaN };
}

async function presentOnce(server: BenchServer, token: string, citizen: BenchCitizen): Promise<void> {
  const asked = await request(server, token, {
    path: '/v1/identity/presentations',
    body: { claims, confirmation: 'none' },
  });
  const { status } = await answerWalletRequest(String(asked['walletUrl']), { attributes: pidOf(citizen) });
  if (status !== 200) throw new BenchFailed(`expected 200 for a response of a wallet, received ${status}`);
  const read = await request(server, token, { path: `/v1/identity/presentations/${String(asked['presentationId'])}` });
  requireMatch(read['verification']);
}

async function verifyOnce(server: BenchServer, token: string, citizen: BenchCitizen): Promise<void> {
  const body = Object.fromEntries(claims.map((claim) => [claim, citizen[claim]]));
  requireMatch(await request(server, token, { path: '/v1/identity/verify', body }));
}

function requireMatch(verification: unknown): void {
  const { decision } = verification as { readonly decision?: unknown };
  if (decision !== 'match') throw new BenchFailed(`expected a match, received ${String(decision)}`);
}

async function request(
  { url }: BenchServer,
  token: string,
  { path, body }: { readonly path: string; readonly body?: object },
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, sent);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

function pidOf({ givenName, familyName, birthDate, streetAddress, postalCode, locality }: BenchCitizen): PidAttributes {
  return {
    given_name: givenName,
    family_name: familyName,
    birthdate: birthDate,
    place_of_birth: { locality, country: 'UT' },
    nationalities: ['UT'],
    address: { street_address: streetAddress, postal_code: postalCode, locality, country: 'UT' },
    issuing_country: 'UT',
    issuing_authority: 'Sandbox',
    personal_administrative_number: 'UT-1',
  };
}
