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

// What `npm test` runs: all tests, or those in the folders and files that are named, against one PostgreSQL.
const root = resolve(import.meta.dirname, '..');
const fileConcurrency = 2;
// What does not end is a failure, not a wait: a test is named after the first limit, as is a file that had no test at work for so
// long, and the run ends at the second.
const testLimitMs = 120_000;
const runLimitMs = 1_020_000;

async function main(filters: readonly string[]): Promise<number> {
  const files = findFiles(filters);
  if (files.length === 0) {
    process.stderr.write(`no test file matches one of: ${filters.join(' ')}\n`);
    return 1;
  }
  useTestRunFolder();
  const given = process.env['TEST_DATABASE_URL'] !== undefined;
  const server: PostgresServer | undefined = given ? undefined : await startPostgres();
  if (server !== undefined) process.env['TEST_DATABASE_URL'] = server.url;
  process.env['TEST_SQLITE_TEMPLATE'] = await makeSqliteTemplate();
  const responseCoverage = watchResponseCoverage();
  Object.assign(process.env, responseCoverage.environment);
  try {
    const whole = filters.length === 0;
    const { faults: failed, isStopped } = await runTests(files, whole);
    // What a stopped run did not see says nothing.
    const faults = [...failed, ...responseCoverage.faults(whole && !isStopped)];
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
  let [failed, isLate] = [false, false];
  const stop = new AbortController();
  const runTimer = setTimeout(() => {
    isLate = true;
    stop.abort();
  }, runLimitMs);
  // Who is told to end clears up first.
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
  // The process of a file is a test by the name of the file.
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
    ...(isLate
      ? [`stopped after ${runLimitMs / 60_000} minutes: tests that had not ended by then count as failed`]
      : []),
    ...(failed ? ['tests failed'] : []),
    ...idle().map((file) => `${relative(root, file)}: its tests have ended, and something keeps its process alive`),
    ...(whole && Math.min(counts.sqlite, counts.postgres) === 0 ? ['every store must be tested on both engines'] : []),
    ...(process.env['TESTS_REQUIRE_ALL'] === 'true' && counts.skipped > 0
      ? [`${counts.skipped} tests were skipped, and TESTS_REQUIRE_ALL forbids it`]
      : []),
  ];
  return { faults, isStopped: stop.signal.aborted };
}

process.exitCode = await main(process.argv.slice(2));
