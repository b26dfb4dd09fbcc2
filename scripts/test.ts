import { globSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import '../src/compile-cache.js';
import { makeSqliteTemplate } from '../test/support/database-engines.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { useTestRunFolder } from '../test/support/test-folder.ts';
import { watchIdleFiles } from './idle-test-files.ts';
import { watchResponseCoverage } from './openapi-coverage.ts';

// `npm test` runs all tests, or those in the files and folders of its arguments, with one PostgreSQL server.
const root = resolve(import.meta.dirname, '..');
const fileConcurrency = 2;
// A test that exceeds the first limit fails. A file in which no test ran for the same time is reported. The second limit ends the
// run.
const testLimitMs = 120_000;
const runLimitMs = 2_400_000;

async function main(filters: readonly string[]): Promise<number> {
  const files = findFiles(filters);
  if (files.length === 0) {
    process.stderr.write(
      `expected test files or folders, but one of these matches no test file: ${filters.join(' ')}\n`,
    );
    return 1;
  }
  useTestRunFolder();
  const hasDatabase = process.env['TEST_DATABASE_URL'] !== undefined;
  const server: PostgresServer | undefined = hasDatabase ? undefined : await startPostgres();
  if (server !== undefined) process.env['TEST_DATABASE_URL'] = server.url;
  process.env['TEST_SQLITE_TEMPLATE'] = await makeSqliteTemplate();
  const responseCoverage = watchResponseCoverage();
  Object.assign(process.env, responseCoverage.environment);
  try {
    const whole = filters.length === 0;
    const { faults: testFaults, isStopped } = await runTests(files, whole);
    // A stopped run says nothing about responses that were not observed.
    const faults = [...testFaults, ...responseCoverage.faults(whole && !isStopped)];
    for (const fault of faults) process.stderr.write(`${fault}\n`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    responseCoverage.close();
    await server?.stop();
  }
}

function findFiles(filters: readonly string[]): string[] {
  const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'client/src/**/*.test.ts'], { cwd: root }).sort();
  const found = filters.map((filter) => {
    const path = relative(root, resolve(filter));
    return all.filter((file) => file === path || file.startsWith(`${path}/`));
  });
  // A name in .ci/run that no longer matches must not drop its tests without notice.
  if (found.some((files) => files.length === 0)) return [];
  return (filters.length === 0 ? all : [...new Set(found.flat())]).map((file) => resolve(root, file));
}

async function runTests(files: string[], whole: boolean): Promise<{ faults: readonly string[]; isStopped: boolean }> {
  const counts = { sqlite: 0, postgres: 0, skipped: 0 };
  let [failed, isTimedOut] = [false, false];
  const stop = new AbortController();
  const runTimer = setTimeout(() => {
    isTimedOut = true;
    stop.abort();
  }, runLimitMs);
  // The run stops its test processes and PostgreSQL before it exits.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const events = run({ files, concurrency: fileConcurrency, timeout: testLimitMs, signal: stop.signal, cwd: root });
  const idle = watchIdleFiles(events, { silentMs: testLimitMs, stop: () => stop.abort() });
  events.on('test:fail', () => {
    failed = true;
  });
  events.on('test:pass', ({ name, skip, details }) => {
    if (details.type === 'suite') return;
    if (skip !== undefined) counts.skipped += 1;
    else if (name.startsWith('sqlite:')) counts.sqlite += 1;
    else if (name.startsWith('postgres:')) counts.postgres += 1;
  });
  const fileDurations: (readonly [file: string, seconds: number])[] = [];
  // The process of a file is itself a test, named after the file.
  events.on('test:complete', ({ name, file, details }) => {
    if (name === file) fileDurations.push([relative(root, name), Math.round(details.duration_ms / 1_000)]);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  clearTimeout(runTimer);
  process.stdout.write(`store engines: ${counts.sqlite} tests on SQLite, ${counts.postgres} on PostgreSQL\n`);
  if (whole) {
    const slowest = fileDurations.sort(([, one], [, other]) => other - one).slice(0, 12);
    process.stdout.write(`longest, in seconds: ${slowest.map((each) => each.join(' ')).join(', ')}\n`);
  }
  const faults = [
    ...(isTimedOut
      ? [`stopped after ${runLimitMs / 60_000} minutes: tests that had not ended by then count as failed`]
      : []),
    ...(failed ? ['tests failed'] : []),
    ...idle().map((file) => `${relative(root, file)}: no test runs, but something keeps the process alive`),
    ...(whole && Math.min(counts.sqlite, counts.postgres) === 0
      ? ['expected tests on both SQLite and PostgreSQL']
      : []),
    ...(process.env['TESTS_REQUIRE_ALL'] === 'true' && counts.skipped > 0
      ? [`${counts.skipped} tests were skipped, and TESTS_REQUIRE_ALL forbids it`]
      : []),
  ];
  return { faults, isStopped: stop.signal.aborted };
}

process.exitCode = await main(process.argv.slice(2));
