import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { DemoFile } from '../../src/cli/demo-data.ts';
import type { Database, Read } from '../../src/db/database.ts';
import { databaseFile } from '../../src/db/open-database.ts';
import { openReadOnly } from '../../src/db/open-read-only.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { openSqlite } from '../../src/db/sqlite/open-sqlite.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { readCheckpoint, readTreeHead } from '../../src/ledger/ledger-store.ts';
import type { Engine } from './database-engines.ts';
import { freePort } from './free-port.ts';
import { fetchOnce } from './http-client.ts';
import { createDatabase, dropDatabase } from './postgres-databases.ts';
import { makeTestFolder } from './test-folder.ts';
import { waitUntil } from './wait-until.ts';

/** Runs functions after a test or after a file: a `TestContext`, or the result of `fileCleanupScope`. */
export type CleanupScope = { after(run: () => unknown): void };

/** A scope for resources that all tests of a file share. Call it at the top of the file, outside of any test. */
export function fileCleanupScope(): CleanupScope {
  const runs: (() => unknown)[] = [];
  after(async () => {
    for (const run of runs.reverse()) await run();
  });
  return { after: (run) => void runs.push(run) };
}

/** How a process ended. */
export type ProcessExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** The exit code and output of a command. */
export type CommandResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** The real program in a separate process. */
export type ServerProcess = {
  readonly pid: number;
  /** All output so far. */
  stdout(): string;
  stderr(): string;
  readonly exited: Promise<ProcessExit>;
  /** Sends the signal and resolves when the process has ended. */
  stop(signal: 'SIGTERM' | 'SIGHUP' | 'SIGKILL' | 'SIGUSR2'): Promise<ProcessExit>;
};

/** A server that is ready. */
export type RunningServer = ServerProcess & {
  readonly url: string;
  /** The number of readiness checks, 20 ms apart, up to the first that succeeded. */
  readonly readinessPolls: number;
};

/** The parts of a server that outlive a restart: a data folder, a port, and a database of one of the engines. */
export type ServerFixture = {
  readonly dataDir: string;
  readonly port: number;
  readonly url: string;
  /** Starts the server, and waits until it has reported that it is up and answers as ready. */
  start(mode?: 'demo' | 'start'): Promise<RunningServer>;
  /** Starts the program with these arguments without waiting for it. */
  launchCommand(...args: readonly string[]): ServerProcess;
  /** Runs one command to its end in a separate process, with the same settings. */
  runCommand(...args: readonly string[]): Promise<CommandResult>;
  /** The content of `demo.json`, which the demo writes. */
  readDemoFile(): DemoFile;
  /** Gets an access token from the running server with the secret of that client. */
  fetchAccessToken(scopes?: readonly string[], client?: ClientSecretCredentials): Promise<string>;
  /** Opens the database; on SQLite, only while no server runs. The caller closes it. */
  openDb(): Promise<Database>;
  /** The URL of the database; undefined on SQLite. */
  readonly databaseUrl: string | undefined;
  /** The complete environment of its processes: all settings, and little else. */
  readonly environment: NodeJS.ProcessEnv;
};

export type ClientSecretCredentials = { readonly clientId: string; readonly clientSecret: string };

const root = join(import.meta.dirname, '../..');
const startLimitMs = 60_000;
const pollMs = 20;

/** Creates a fixture. After the test, its processes are killed and its data is deleted. */
export async function makeServerFixture(
  t: CleanupScope,
  options: {
    readonly engine?: Engine['name'];
    /** On PostgreSQL: a database without tables, as an operator creates it, which the first start migrates. */
    readonly database?: 'empty';
    readonly settings?: Readonly<Record<string, string>>;
    /** The file descriptor for the standard error of the processes; by default their output is captured. */
    readonly stderr?: number;
  } = {},
): Promise<ServerFixture> {
  const dataDir = makeTestFolder('cs-home-');
  const databaseUrl =
    options.engine === 'postgres' ? addUrlHost(await createDatabase(options.database ?? 'migrated')) : undefined;
  const port = await freePort();
  const running = new Set<ServerProcess>();
  t.after(async () => {
    for (const server of running) await server.stop('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
  });
  const url = `http://127.0.0.1:${port}`;
  const environment: NodeJS.ProcessEnv = {
    // The environment of the test is not inherited, because its settings would apply to the server.
    PATH: process.env['PATH'],
    HOME: dataDir,
    DATA_DIR: dataDir,
    PORT: String(port),
    CLAMAV: 'off',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    // Tests send webhooks only to this machine.
    WEBHOOK_PRIVATE_TARGETS: 'true',
    // Client secrets are allowed only in a sandbox, such as a test.
    CLIENT_SECRETS: 'true',
    ...responseCheckEnvironment(),
    ...options.settings,
  };
  const launchHere = (...args: readonly string[]) => {
    const launched = launchServer(args, environment, options.stderr);
    running.add(launched);
    void launched.exited.then(() => running.delete(launched));
    return launched;
  };
  const readDemoFile = () => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoFile;
  return {
    dataDir,
    port,
    url,
    databaseUrl,
    environment,
    readDemoFile,
    launchCommand: launchHere,
    start: (mode = 'demo') => waitUntilReady(launchHere(mode), mode, url),
    runCommand: async (...args) => {
      const launched = launchHere(...args);
      const { code } = await launched.exited;
      return { code, stdout: launched.stdout(), stderr: launched.stderr() };
    },
    fetchAccessToken: (scopes = [], client = readDemoFile().clients[0]) => fetchToken(url, scopes, client),
    openDb: () =>
      databaseUrl === undefined
        ? openSqlite(join(dataDir, databaseFile), { random: systemRandom })
        : openPostgres(databaseUrl, { random: systemRandom }),
  };
}

/** Adds a host, which a URL with a user name needs; the socket in `?host=` still applies. */
function addUrlHost(databaseUrl: string): string {
  return databaseUrl.replace('@/', '@localhost/');
}

/** In a run of all tests, openapi-response-preload.ts compares the responses of every server with the OpenAPI document. */
function responseCheckEnvironment(): NodeJS.ProcessEnv {
  const { ANSWERS_DIR, NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env;
  if (ANSWERS_DIR === undefined) return {};
  // The preload runs before the program sets its compile cache, so the cache is set here.
  return { ANSWERS_DIR, NODE_OPTIONS, NODE_COMPILE_CACHE, ANSWERS_OF: process.argv[1] };
}

function launchServer(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stderr: number | 'pipe' = 'pipe',
): ServerProcess {
  const child = spawn(process.execPath, [join(root, 'src/main.ts'), ...args], {
    env,
    cwd: root,
    stdio: ['ignore', 'pipe', stderr],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('expected a child process: the program could not be started');
  const unregister = killWithThisProcess(pid);
  const { promise: exited, resolve } = Promise.withResolvers<ProcessExit>();
  const written = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  // 'close' instead of 'exit': it comes after all output was received.
  child.once('close', (code, signal) => {
    unregister();
    resolve({ code, signal });
  });
  return {
    pid,
    exited,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    stop: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

async function waitUntilReady(launched: ServerProcess, mode: 'demo' | 'start', url: string): Promise<RunningServer> {
  const announced = () =>
    mode === 'demo' ? launched.stdout().includes('/v1/documents/doc_') : launched.stderr().includes(`at ${url}`);
  let hasEnded = false;
  void launched.exited.then(() => {
    hasEnded = true;
  });
  let readinessPolls = 0;
  let answered = false;
  for (const deadline = performance.now() + startLimitMs; !answered || !announced(); await pause(pollMs)) {
    if (hasEnded || performance.now() > deadline) {
      await launched.stop('SIGKILL');
      throw new Error(`the server did not start:\n${launched.stdout()}\n${launched.stderr()}`);
    }
    if (!answered) {
      readinessPolls += 1;
      answered = await isReady(url);
    }
  }
  return { ...launched, url, readinessPolls };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetchOnce(`${url}/readyz`);
    return response.status === 200;
  } catch {
    return false;
  }
}

async function fetchToken(
  url: string,
  scopes: readonly string[],
  client: ClientSecretCredentials | undefined,
): Promise<string> {
  if (client === undefined) throw new Error('the demo has no client');
  const { clientId, clientSecret } = client;
  const form = { grant_type: 'client_credentials', ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }) };
  const ask = () =>
    fetch(`${url}/oauth2/token`, {
      method: 'POST',
      // An idle connection would delay the stop of the server by its keep-alive time.
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        connection: 'close',
      },
      body: new URLSearchParams(form),
    });
  let response = await ask();
  // On a busy machine, a server that has just started may reject requests with 503.
  await waitUntil(async () => {
    if (response.status === 503) response = await ask();
    return response.status !== 503;
  });
  const answer = (await response.json()) as { access_token?: string };
  if (answer.access_token === undefined) throw new Error(`no token: ${JSON.stringify(answer)}`);
  return answer.access_token;
}

let watcher: ChildProcess | undefined;

/**
 * Kills a process when this one ends, also if this one is killed: a child shell reads the process ids from a pipe, and kills
 * them when the pipe closes. Call the returned function after the process has ended, because its id may be reused.
 */
export function killWithThisProcess(pid: number): () => void {
  watcher ??= startWatcher();
  const { stdin } = watcher;
  stdin?.write(`+ ${pid}\n`);
  return () => stdin?.write(`- ${pid}\n`);
}

const script = `
pids=' '
while read -r sign pid; do
  case $sign in
    +) pids="$pids$pid ";;
    -) pids="\${pids%% $pid *} \${pids#* $pid }";;
  esac
done
for pid in $pids; do kill -KILL "$pid"; done`;

function startWatcher(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // The shell and its pipe must not keep this process alive.
  child.unref();
  const stdin = child.stdin as unknown as { unref(): void };
  stdin.unref();
  return child;
}

type StoredServer = Pick<ServerFixture, 'dataDir' | 'databaseUrl'>;

/** Waits until a condition holds in the database of a running server. */
export async function waitForStored(
  { dataDir, databaseUrl }: StoredServer,
  condition: (read: Read) => Promise<boolean>,
): Promise<void> {
  const db = (await openReadOnly({ dataDir, databaseUrl })) ?? assert.fail();
  try {
    await waitUntil(() => condition(db.read));
  } finally {
    await db.close();
  }
}

/**
 * Waits until a running server has numbered and signed all recorded events. A server that stops does not wait for that: the
 * next one numbers the remaining events.
 */
export async function waitUntilSigned(home: StoredServer): Promise<void> {
  await waitForStored(home, async (read) => {
    if ((await read('select id from ledger_event limit 1')).length > 0) return false;
    const head = await readTreeHead(read);
    return head !== undefined && (await readCheckpoint(read, 'signed'))?.size === head.size;
  });
}

/** Waits until no delivery is due or running, because the end of a delivery records an event. */
async function waitUntilDelivered(home: StoredServer): Promise<void> {
  const open = "select id from delivery where status = 'sending' or (status = 'queued' and run_at <= $1) limit 1";
  await waitForStored(home, async (read) => (await read(open, [Date.now()])).length === 0);
}

/** Starts the demo, and stops it when all events of the start are in the signed ledger. */
export async function runDemoOnce(home: ServerFixture): Promise<void> {
  const server = await home.start('demo');
  await waitUntilDelivered(home);
  await waitUntilSigned(home);
  await server.stop('SIGTERM');
}
