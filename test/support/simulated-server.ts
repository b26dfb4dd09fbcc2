import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLog } from '../../src/api/log.ts';
import { appCommands } from '../../src/app/app-commands.ts';
import { type AppContext, createAppContext } from '../../src/app/app-context.ts';
import { createFirstRootKey, rootKeyPath } from '../../src/app/first-root-key.ts';
import { modeSettings } from '../../src/app/mode-settings.ts';
import { type RunningServer, roles, serve } from '../../src/app/serve.ts';
import { createMissingSigningKeys } from '../../src/auth/signing-key-store.ts';
import { runCommandLine } from '../../src/cli/command.ts';
import { readSettings, type Settings } from '../../src/config/settings.ts';
import { readRootKey } from '../../src/crypto/root-key-file.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import type { Timer } from '../../src/jobs/timer.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { cascadeOf } from '../../src/notifications/cascade/cascade-file.ts';
import { createEmailChannel, createOutgoingChannels } from '../../src/notifications/channels/create-channels.ts';
import type { Channel, ExternalChannels } from '../../src/notifications/notification/channel.ts';
import type { Engine } from './database-engines.ts';
import { freePort } from './free-port.ts';
import { createDatabase, dropDatabase } from './postgres-databases.ts';
import type { CleanupScope } from './server-process.ts';
import { makeTestFolder } from './test-folder.ts';

/** The response to a caller. */
type TextResponse = { readonly status: number; readonly text: string };

const idleChecks = 3;

/** Tracks pending work, so that time advances only when there is none. */
function createActivityTracker() {
  let [startedCount, pendingCount] = [0, 0];
  const track = async <T>(work: Promise<T>): Promise<T> => {
    startedCount += 1;
    pendingCount += 1;
    return await work.finally(() => {
      pendingCount -= 1;
    });
  };
  // The checkpoint file and blobs are files, which are not wrapped here: the operating system reports open requests.
  const isAtFiles = () => process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'));
  const waitUntilIdle = async () => {
    for (let quiet = 0; quiet < idleChecks; ) {
      const before = startedCount;
      await pause(1);
      quiet = pendingCount === 0 && startedCount === before && !isAtFiles() ? quiet + 1 : 0;
    }
  };
  const trackChannel = (channel: Channel): Channel => ({
    ...channel,
    prepare: async (message) => {
      const ready = await track(channel.prepare(message));
      return 'call' in ready ? { ...ready, call: () => track(ready.call()) } : ready;
    },
  });
  return { watched: track, settle: waitUntilIdle, watchedChannel: trackChannel };
}

const longestStepMs = 20 * 3_600_000;

/**
 * Virtual time: `leap` calls each timer that was due in the span once; timers set meanwhile count from the new time. `set`
 * moves only the clock.
 */
function createJumpingTime(startAt: number) {
  let [now, clockOffsetMs] = [startAt, 0];
  const calls = new Set<{ readonly at: number; readonly call: () => void }>();
  const timer: Timer = (delayMs, call) => {
    const entry = { at: now + Math.ceil(delayMs), call };
    calls.add(entry);
    return () => calls.delete(entry);
  };
  const jump = (ms: number) => {
    now += ms;
    const due = [...calls].filter(({ at }) => at <= now).sort((left, right) => left.at - right.at);
    for (const entry of due) if (calls.delete(entry)) entry.call();
  };
  const set = (ms: number) => {
    clockOffsetMs += ms;
  };
  return { clock: { now: () => now + clockOffsetMs }, stopwatch: () => now, timer, leap: jump, set };
}

function createRecordingLog() {
  const faults: string[] = [];
  const write = (line: string) => {
    const { msg, where, fault } = JSON.parse(line);
    if (msg === 'fault') faults.push(`${where}: ${fault.message}`);
  };
  return { log: createLog('warn', { write }), faults };
}

/** A database whose clock is the virtual one. */
function watchDatabase(
  real: AppContext['db'],
  clock: AppContext['clock'],
  watched: ReturnType<typeof createActivityTracker>['watched'],
): AppContext['db'] {
  return {
    ...real,
    read: (sql, args) =>
      sql.includes('clock_timestamp') ? Promise.resolve([{ at: clock.now() }]) : watched(real.read(sql, args)),
    write: (unit) => watched(real.write(unit)),
  };
}

/** Runs an operator command; returns its output, and throws if it fails. */
async function runOperatorCommand(app: AppContext, args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const errors: string[] = [];
  const terminal = {
    stdout: (text: string) => void printed.push(text),
    stderr: (text: string) => void errors.push(text),
    isInteractive: false,
    cwd: app.settings.dataDir,
  };
  const commands = await appCommands(async (use) => await use({ ...app, isAlone: false }), terminal);
  const code = await runCommandLine(args, commands, terminal);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${errors.join('')}`);
  return printed.join('');
}

function simulatedSettings(
  given: Readonly<Record<string, string | undefined>> & { readonly DATA_DIR: string },
): Settings {
  const spool = join(given.DATA_DIR, 'spool');
  mkdirSync(spool);
  // A response that waits for the end of its interval would wait for a leap.
  const fixed = { CLAMAV: 'off', WEBHOOK_PRIVATE_TARGETS: 'true', CLIENT_SECRETS: 'true', VERIFY_QUANTUM_MS: '0' };
  return modeSettings(readSettings({ LETTER_SPOOL: spool, ...fixed, ...given }), false);
}

/** The whole server with its repeated tasks over HTTP, in virtual time. */
export async function openSimulatedServer(
  t: CleanupScope,
  engine: Engine['name'],
  extraSettings: Readonly<Record<string, string>>,
  startAt: number,
) {
  const dataDir = makeTestFolder('cs-year-');
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const databaseUrl = engine === 'postgres' ? (await createDatabase('empty')).replace('@/', '@localhost/') : undefined;
  t.after(() => databaseUrl && dropDatabase(databaseUrl));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = simulatedSettings({
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: url,
    DATABASE_URL: databaseUrl,
    ...extraSettings,
  });
  await createFirstRootKey(settings, rootKeyPath(settings));
  const time = createJumpingTime(startAt);
  const { watched, settle, watchedChannel } = createActivityTracker();
  const { log, faults } = createRecordingLog();
  let app: AppContext;
  let running: RunningServer;

  async function createWatchedChannels(): Promise<ExternalChannels> {
    const root = readRootKey(rootKeyPath(settings));
    const emailChannel = await createEmailChannel(settings, root, log);
    const { email, sms, letter } = await createOutgoingChannels(settings, emailChannel, log);
    return { email: watchedChannel(email), sms: watchedChannel(sms), letter: watchedChannel(letter) };
  }

  /** `changed` replaces parts of the served app. */
  async function start(changed: (context: AppContext) => AppContext = (context) => context): Promise<void> {
    const { clock, stopwatch, timer } = time;
    const root = readRootKey(rootKeyPath(settings));
    const real = await openDatabase({ databaseUrl, dataDir, clock });
    const db = watchDatabase(real, clock, watched);
    const options = { settings, root, clock, timer, random: systemRandom, log, stopwatch };
    app = await createAppContext(options, db);
    await createMissingSigningKeys({ db, root, clock }, systemRandom);
    const channels = await createWatchedChannels();
    const mode = { isDemo: false, channels, cascade: cascadeOf(settings, false), pages: [] };
    running = await serve(changed(app), { ...mode, roles: new Set(roles), apiThreads: 1 });
    // It checks the clock without waiting.
    await settle();
  }

  return {
    url,
    dataDir,
    faults,
    settle,
    start,
    clock: time.clock,
    read: () => app.db.read,
    stop: () => running.stop(),
    setClock: time.set,
    // In steps below a day: a server that runs looks at the clock each minute, and a longer step would pause deletion.
    leap: async (ms: number) => {
      for (let left = ms; left > 0; left -= longestStepMs) {
        time.leap(Math.min(left, longestStepMs));
        await settle();
      }
    },
    /** Runs an operator command next to the server; returns its output, and throws if it fails. */
    command: async (...args: readonly string[]): Promise<string> => {
      const printed = await runOperatorCommand(app, args);
      running.invalidateClients();
      return printed;
    },
    /** A request with a token of that client, or anonymous. */
    ask: async (path: string, { client, scopes = [], ...init }: SimulatedRequest = {}): Promise<TextResponse> => {
      const token = client === undefined ? undefined : await running.issueAccessToken(client, scopes);
      const headers = { ...(token && { authorization: `Bearer ${token}` }), ...init.headers };
      const answer = await watched(fetch(`${url}${path}`, { redirect: 'manual', ...init, headers }));
      return { status: answer.status, text: await answer.text() };
    },
  };
}

type SimulatedRequest = {
  readonly client?: string;
  readonly scopes?: readonly string[];
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** An SMS gateway that accepts messages and records their ids, or is too busy. */
export async function startSmsGateway(t: CleanupScope, isBusy: () => boolean) {
  const acceptedIds: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (!isBusy()) acceptedIds.push(JSON.parse(Buffer.concat(chunks).toString()).id);
      response.writeHead(isBusy() ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/sms`, taken: acceptedIds };
}

/** Writes an input file for a command. */
export function writeFileIn(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
