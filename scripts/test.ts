import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import '../src/compile-cache.js';
import { makeSqliteTemplate } from '../test/support/database-engines.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-databases.ts';
import { makeTestFolder, useTestRunFolder } from '../test/support/test-folder.ts';
import { watchIdleFiles } from './idle-test-files.ts';
import { watchResponseCoverage } from './openapi-coverage.ts';

// `npm test` runs all tests, or those in the files and folders of its arguments, with one PostgreSQL server.
const root = resolve(import.meta.dirname, '..');
const processConcurrency = 2;
// Files of src that start no processes share one, because its start takes longer than most of their tests.
const filesPerProcess = 10;
const needsOwnProcess = /server-process\.ts|browser\.ts|child_process|worker_threads|mock\.timers|process\.emit/;
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
  const patterns = ['src/**/*.test.ts', 'test/**/*.test.ts', 'client/src/**/*.test.ts'];
  const all = globSync(patterns, { cwd: root, exclude: ['**/node_modules'] }).sort();
  const found = filters.map((filter) => {
    const path = relative(root, resolve(filter));
    return all.filter((file) => file === path || file.startsWith(`${path}/`));
  });
  // A name in .ci/run that no longer matches must not drop its tests without notice.
  if (found.some((files) => files.length === 0)) return [];
  return (filters.length === 0 ? all : [...new Set(found.flat())]).map((file) => resolve(root, file));
}

/** The programs that run the files, with the files of each: a file itself, or a module that imports several. */
function groupFiles(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const folder = makeTestFolder('cs-groups-');
  const groups: string[][] = [];
  const single: string[][] = [];
  for (const file of files) {
    const last = groups.at(-1);
    const isShared = relative(root, file).startsWith('src/') && !needsOwnProcess.test(readFileSync(file, 'utf8'));
    if (!isShared) single.push([file]);
    else if (last === undefined || last.length >= filesPerProcess) groups.push([file]);
    else last.push(file);
  }
  return new Map(
    [...single, ...groups].map((members, index) => {
      const [first = ''] = members;
      if (members.length === 1) return [first, members];
      const program = join(folder, `${relative(root, dirname(first)).replaceAll('/', '-')}-${index}.test.mjs`);
      writeFileSync(program, members.map((file) => `import '${pathToFileURL(file)}';\n`).join(''));
      return [program, members];
    }),
  );
}

type TestCounts = { sqlite: number; postgres: number; skipped: number; failed: number };

function countTests(events: ReturnType<typeof run>): TestCounts {
  const counts: TestCounts = { sqlite: 0, postgres: 0, skipped: 0, failed: 0 };
  events.on('test:fail', () => {
    counts.failed += 1;
  });
  events.on('test:pass', ({ name, skip, details }) => {
    if (details.type === 'suite') return;
    if (skip !== undefined) counts.skipped += 1;
    else if (name.startsWith('sqlite:')) counts.sqlite += 1;
    else if (name.startsWith('postgres:')) counts.postgres += 1;
  });
  return counts;
}

async function runTests(
  files: readonly string[],
  whole: boolean,
): Promise<{ faults: readonly string[]; isStopped: boolean }> {
  let isTimedOut = false;
  const stop = new AbortController();
  const runTimer = setTimeout(() => {
    isTimedOut = true;
    stop.abort();
  }, runLimitMs);
  // The run stops its test processes and PostgreSQL before it exits.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const programs = groupFiles(files);
  const programOf = new Map([...programs].flatMap(([program, members]) => members.map((file) => [file, program])));
  const titleOf = (program: string) => {
    const [first = '', ...others] = programs.get(program) ?? [program];
    return `${relative(root, first)}${others.length === 0 ? '' : ` and ${others.length} more`}`;
  };
  const events = run({
    files: [...programs.keys()],
    concurrency: processConcurrency,
    timeout: testLimitMs,
    signal: stop.signal,
    cwd: root,
  });
  const processOf = (file: string) => programOf.get(file) ?? file;
  const idle = watchIdleFiles(events, { silentMs: testLimitMs, stop: () => stop.abort(), processOf });
  const counts = countTests(events);
  const durations: (readonly [title: string, seconds: number])[] = [];
  // The process of a file is itself a test, named after the file.
  events.on('test:complete', ({ name, file, details }) => {
    if (name === file) durations.push([titleOf(name), Math.round(details.duration_ms / 1_000)]);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  clearTimeout(runTimer);
  process.stdout.write(`store engines: ${counts.sqlite} tests on SQLite, ${counts.postgres} on PostgreSQL\n`);
  if (whole) {
    const slowest = durations.sort(([, one], [, other]) => other - one).slice(0, 24);
    process.stdout.write(`longest, in seconds: ${slowest.map((each) => each.join(' ')).join(', ')}\n`);
  }
  const faults = [
    ...(isTimedOut
      ? [`stopped after ${runLimitMs / 60_000} minutes: tests that had not ended by then count as failed`]
      : []),
    ...idle().map((program) => `${titleOf(program)}: no test runs, but something keeps the process alive`),
    ...faultsOf(counts, whole),
  ];
  return { faults, isStopped: stop.signal.aborted };
}

function faultsOf({ sqlite, postgres, skipped, failed }: TestCounts, whole: boolean): readonly string[] {
  return [
    ...(failed > 0 ? ['tests failed'] : []),
    ...(whole && Math.min(sqlite, postgres) === 0 ? ['expected tests on both SQLite and PostgreSQL'] : []),
    ...(process.env['TESTS_REQUIRE_ALL'] === 'true' && skipped > 0
      ? [`${skipped} tests were skipped, and TESTS_REQUIRE_ALL forbids it`]
      : []),
  ];
}

process.exitCode = await main(process.argv.slice(2));
