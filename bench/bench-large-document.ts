import { request } from 'node:http';
import {
  type BenchEngine,
  type BenchEnvironment,
  benchEngines,
  installationWithRegister,
} from './bench-environment.ts';
import { BenchFailed } from './bench-failed.ts';
import { citizenAt } from './citizens.ts';
import { type BenchServer, fetchBenchToken, startBenchServer } from './installation.ts';
import { median } from './measure.ts';
import { memoryOf, resetPeakMemory } from './process-usage.ts';
import type { BenchResult, GoalCheck } from './result.ts';

const mib = 1_048_576;
const sizeMib = 1_024;
const goalAboveIdleMib = 150;
const goalEndMs = 20;
const tailRequests = 51;

/** Measures a document of 1 GiB: upload and download rates, memory, and the time to the first byte of its end. */
export async function benchLargeDocument(environment: BenchEnvironment): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const engine of benchEngines) {
    const installation = await installationWithRegister(environment, engine);
    const server = await startBenchServer(installation, {
      env: { DOCUMENT_LIMIT_MIB: String(sizeMib + 1) },
      withoutWorker: true,
    });
    const authorization = `Bearer ${await fetchBenchToken(installation, server)}`;
    const own = await measureServer(engine, server, authorization);
    environment.logProgress(`large document: ${engine} ${own.map(({ rate }) => Math.round(rate))}`);
    results.push(...own);
    await server.stop();
  }
  return results;
}

async function measureServer(engine: BenchEngine, server: BenchServer, authorization: string): Promise<BenchResult[]> {
  const idleMib = memoryOf(server.pid)?.now ?? Number.NaN;
  let path = '';
  const up = await measureTransfer(server, async () => {
    path = await deposit(server.url, authorization);
  });
  const down = await measureTransfer(server, async () => {
    const response = await fetch(server.url + path, { headers: { authorization } });
    let bytes = 0;
    for await (const chunk of response.body ?? []) bytes += chunk.length;
    if (bytes !== sizeMib * mib)
      throw new BenchFailed(`expected ${sizeMib * mib} bytes of the large document, received ${bytes}`);
  });
  const times: number[] = [];
  for (let count = 0; count < tailRequests; count += 1)
    times.push(await timeToFirstTailByte(server.url + path, authorization));
  const name = `ours, ${engine}`;
  return [
    transferResult('document-1g up', name, up, idleMib),
    transferResult('document-1g down', name, down, idleMib),
    tailResult(name, times),
  ];
}

type Transfer = { readonly mibPerSecond: number; readonly peakMib: number | undefined };

async function measureTransfer(server: BenchServer, work: () => Promise<void>): Promise<Transfer> {
  resetPeakMemory(server.pid);
  const startedAt = performance.now();
  await work();
  const mibPerSecond = (sizeMib * 1_000) / (performance.now() - startedAt);
  return { mibPerSecond, peakMib: memoryOf(server.pid)?.peak };
}

function transferResult(
  work: string,
  server: string,
  { mibPerSecond: rate, peakMib }: Transfer,
  idleMib: number,
): BenchResult {
  const checks: GoalCheck[] =
    peakMib === undefined
      ? []
      : [{ what: 'MiB above idle', figure: peakMib - idleMib, goal: goalAboveIdleMib, by: 'at most' }];
  return { work, server, unit: 'MiB/s', rate, lowest: rate, highest: rate, memoryMib: peakMib, checks };
}

function tailResult(server: string, times: readonly number[]): BenchResult {
  const rate = median(times) ?? Number.NaN;
  const checks: GoalCheck[] = [{ what: 'ms to the first byte', figure: rate, goal: goalEndMs, by: 'at most' }];
  const spread = { lowest: Math.min(...times), highest: Math.max(...times) };
  return { work: 'document-1g end', server, unit: 'ms', rate, ...spread, checks };
}

async function deposit(url: string, authorization: string): Promise<string> {
  const block = Buffer.alloc(mib, 'a large document that is never in memory as a whole ');
  async function* chunks() {
    yield Buffer.concat([Buffer.from('%PDF-1.7\n'), block.subarray(9)]);
    for (let count = 1; count < sizeMib; count += 1) yield block;
  }
  const headers = {
    authorization,
    'content-type': 'application/pdf',
    'citizen-id': citizenAt(0).citizenId,
    'document-title': 'Large',
  };
  const response = await fetch(`${url}/v1/documents`, { method: 'POST', headers, body: chunks(), duplex: 'half' });
  const text = await response.text();
  const path = response.headers.get('location');
  if (response.status !== 201 || path === null)
    throw new BenchFailed(`expected 201 for the large document, received ${response.status}: ${text}`);
  return path;
}

/** Milliseconds from the request for the last 100 bytes to the first of them. */
async function timeToFirstTailByte(url: string, authorization: string): Promise<number> {
  const startedAt = performance.now();
  const first = Promise.withResolvers<number>();
  const ended = Promise.withResolvers<void>();
  request(url, { headers: { authorization, range: 'bytes=-100' } }, (response) => {
    if (response.statusCode !== 206)
      first.reject(new BenchFailed(`expected 206 for the end of the document, received ${response.statusCode}`));
    response.once('data', () => first.resolve(performance.now() - startedAt)).once('end', ended.resolve);
  })
    .once('error', first.reject)
    .end();
  const ms = await first.promise;
  await ended.promise;
  return ms;
}
