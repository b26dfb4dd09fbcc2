import { parseArgs } from 'node:util';
import { fuzzEngine } from '../test/attacks/fuzz-server.ts';
import { startPostgres } from '../test/support/postgres-databases.ts';
import { useTestRunFolder } from '../test/support/test-folder.ts';

// `node scripts/fuzz-requests.ts [NUMBER] [--engine sqlite|postgres] [--seed N]` sends mutated and broken requests to a server of
// each engine, and reports every response that the OpenAPI document does not allow. Default: 100,000 requests to each engine.

const options = { engine: { type: 'string' }, seed: { type: 'string' } } as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const requests = Number(positionals[0] ?? 100_000);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const engines = (['sqlite', 'postgres'] as const).filter(
    (one) => values.engine === undefined || values.engine === one,
  );
  if (!Number.isInteger(requests) || !Number.isInteger(seed) || engines.length === 0) {
    process.stderr.write('expected [NUMBER] [--engine sqlite|postgres] [--seed N], with whole numbers\n');
    return 2;
  }
  process.stdout.write(`seed ${seed}\n`);
  useTestRunFolder();
  const postgres = engines.includes('postgres') ? await startPostgres() : undefined;
  if (postgres !== undefined) process.env['TEST_DATABASE_URL'] = postgres.url;
  const cleanups: (() => unknown)[] = [];
  const scope = { after: (run: () => unknown) => void cleanups.push(run) };
  const report = (line: string) => process.stdout.write(`${line}\n`);
  let faultCount = 0;
  try {
    for (const engine of engines) {
      const faults = await fuzzEngine(scope, { engine, seed, requests, report });
      faults.forEach(report);
      faultCount += faults.length;
    }
  } finally {
    for (const run of cleanups.reverse()) await run();
    await postgres?.stop();
  }
  return faultCount === 0 ? 0 : 1;
}

process.exitCode = await main();
