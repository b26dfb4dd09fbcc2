import { documentBytes, documentSets } from './bench-documents.ts';
import { BenchFailed } from './bench-failed.ts';
import { type ExpectedExchange, type LoadConnection, openConnection } from './connection.ts';
import type { LoadOptions, LoadResult } from './load-generator.ts';
import { nextRequestBody } from './request-bodies.ts';
import { type RandomInteger, seededIntegers } from './seeded-integers.ts';

// The process of the load generator. It runs one load after the other for its parent, and ends with the parent.

type ExchangeSource = () => ExpectedExchange;

function createExchangeSource(load: LoadOptions, next: RandomInteger): ExchangeSource {
  const head = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${load.port}\r\nAuthorization: Bearer ${load.token}\r\nAccept: */*\r\n`;
  const { request } = load;
  if ('paths' in request) {
    const heads = request.paths.map((path) => `${head('GET', path)}\r\n`);
    const set = documentSets.find(({ name }) => name === request.set);
    if (set === undefined) throw new BenchFailed(`unknown document set ${request.set}`);
    const contents = request.paths.map((_, index) => documentBytes(set, index));
    return () => {
      const index = next(heads.length);
      const at = next(set.bytes);
      const byte = contents[index]?.[at] ?? 0;
      return { request: heads[index] ?? '', status: 200, body: { length: set.bytes, at, byte } };
    };
  }
  const post = `${head('POST', request.path)}Content-Type: application/json\r\n`;
  return () => {
    const { text, expectedText } = nextRequestBody(request.body, next);
    const key = request.withKey ? `Idempotency-Key: ${next(2 ** 32)}-${next(2 ** 32)}\r\n` : '';
    const bytes = `${post}${key}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
    return { request: bytes, status: request.status, body: expectedText };
  };
}

async function runLoad(load: LoadOptions): Promise<LoadResult> {
  const source = createExchangeSource(load, seededIntegers(load.seed));
  const connections = await Promise.all(Array.from({ length: load.connections }, () => openConnection(load.port)));
  const latencies: number[] = [];
  const faults: string[] = [];
  const start = performance.now();
  const startedAt = Date.now();
  const end = start + load.seconds * 1_000;
  let sent = 0;
  let responsesInTime = 0;
  const sendRequests = async (first: LoadConnection) => {
    let connection = first;
    while (sent < load.maxRequests && faults.length === 0) {
      const before = performance.now();
      if (before >= end) return;
      sent += 1;
      try {
        await connection.send(source());
        if (connection.isClosing) {
          connection.close();
          connection = await openConnection(load.port);
          connections.push(connection);
        }
      } catch (fault) {
        faults.push(fault instanceof Error ? fault.message : String(fault));
        return;
      }
      const after = performance.now();
      latencies.push(after - before);
      if (after <= end) responsesInTime += 1;
    }
  };
  await Promise.all(connections.map(sendRequests));
  const elapsed = Math.min(performance.now(), end) - start;
  for (const connection of connections) connection.close();
  latencies.sort((left, right) => left - right);
  const quantile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    responseCount: latencies.length,
    perSecond: (responsesInTime * 1_000) / elapsed,
    p50: quantile(0.5),
    p99: quantile(0.99),
    startedAt,
    fault: faults[0],
  };
}

process.on('message', (load: LoadOptions) => {
  runLoad(load).then(
    (result) => process.send?.({ result }),
    (fault: unknown) => process.send?.({ fault: fault instanceof Error ? fault.message : String(fault) }),
  );
});
// exit-with-parent.ts called `unref`. Here the open channel keeps the process alive.
process.channel?.ref();
