import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createMissingSigningKeys } from '../src/access/signing-key-store.ts';
import { createLog } from '../src/api/log.ts';
import { firstSeat } from '../src/api/spread.ts';
import { runCommandLine } from '../src/cli/command.ts';
import { cascadeOf, leavingChannels } from '../src/compose/channels.ts';
import { type House, houseOn } from '../src/compose.ts';
import { readSettings } from '../src/config/settings.ts';
import { createFirstRootKey, rootKeyPath } from '../src/first-root-key.ts';
import { houseCommands } from '../src/house-commands.ts';
import type { Timer } from '../src/jobs/timer.ts';
import { systemRandom } from '../src/kernel/system-clock.ts';
import { readRootKey } from '../src/keys/root-key-file.ts';
import type { Channel, LeavingChannels } from '../src/notifications/channels/channel.ts';
import { settingsOf } from '../src/run-mode.ts';
import { emailOf } from '../src/run-server.ts';
import { type Running, roles, serve } from '../src/serve.ts';
import { openDatabase } from '../src/store/open.ts';
import type { Engine } from './engines.ts';
import { freePort } from './free-port.ts';
import { createDatabase, dropDatabase } from './postgres-databases.ts';
import { makeTestFolder } from './test-folder.ts';
import type { Afterwards } from './whole-server.ts';

/** What a caller got. */
export type Answered = { readonly status: number; readonly text: string; readonly headers: Headers };

const quietLooks = 3;

/** Knows what is on its way, so that time goes on only when nothing is. */
function createWatch() {
  let [begun, atWork] = [0, 0];
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    begun += 1;
    atWork += 1;
    return await work.finally(() => {
      atWork -= 1;
    });
  };
  // The anchor and the bytes of documents are files, which nobody here wraps: the system says whether it is at one.
  const isAtFiles = () => process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'));
  const settle = async () => {
    for (let quiet = 0; quiet < quietLooks; ) {
      const before = begun;
      await pause(1);
      quiet = atWork === 0 && begun === before && !isAtFiles() ? quiet + 1 : 0;
    }
  };
  const watchedChannel = (channel: Channel): Channel => ({
    ...channel,
    prepare: async (message) => {
      const ready = await watched(channel.prepare(message));
      return 'call' in ready ? { ...ready, call: () => watched(ready.call()) } : ready;
    },
  });
  return { watched, settle, watchedChannel };
}

/** Time that leaps: each timer that was due on the way calls once, and what it sets anew counts from there. `set` moves the clock alone. */
function createLeapingTime(startAt: number) {
  let [now, apart] = [startAt, 0];
  const calls = new Set<{ readonly at: number; readonly call: () => void }>();
  const timer: Timer = (delayMs, call) => {
    const entry = { at: now + Math.ceil(delayMs), call };
    calls.add(entry);
    return () => calls.delete(entry);
  };
  const leap = (ms: number) => {
    now += ms;
    const due = [...calls].filter(({ at }) => at <= now).sort((left, right) => left.at - right.at);
    for (const entry of due) if (calls.delete(entry)) entry.call();
  };
  const set = (ms: number) => {
    apart += ms;
  };
  return { clock: { now: () => now + apart }, stopwatch: () => now, timer, leap, set };
}

function rememberingLog() {
  const faults: string[] = [];
  const write = (line: string) => {
    const { msg, where, fault } = JSON.parse(line);
    if (msg === 'fault') faults.push(`${where}: ${fault.message}`);
  };
  return { log: createLog('warn', { write }), faults };
}

/** The whole server with all it repeats, over HTTP, in a time that leaps when it is told to. */
export async function openYearHouse(
  t: Afterwards,
  engine: Engine['name'],
  more: Readonly<Record<string, string>>,
  startAt: number,
) {
  const dataDir = makeTestFolder('cs-year-');
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const databaseUrl = engine === 'postgres' ? (await createDatabase('empty')).replace('@/', '@localhost/') : undefined;
  t.after(() => databaseUrl && dropDatabase(databaseUrl));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const own = { DATA_DIR: dataDir, PORT: String(port), PUBLIC_URL: url, LETTER_SPOOL: join(dataDir, 'spool') };
  // An answer that waits for its quantum would wait for a leap.
  const always = { CLAMAV: 'off', WEBHOOK_PRIVATE_TARGETS: 'true', CLIENT_SECRETS: 'true', VERIFY_QUANTUM_MS: '0' };
  mkdirSync(own.LETTER_SPOOL);
  const settings = settingsOf(readSettings({ ...own, ...always, DATABASE_URL: databaseUrl, ...more }), false);
  await createFirstRootKey(settings, rootKeyPath(settings));
  const time = createLeapingTime(startAt);
  const { watched, settle, watchedChannel } = createWatch();
  const { log, faults } = rememberingLog();
  let house: House;
  let running: Running;

  /** `changed`: the house as it is served, where it is to be otherwise. */
  async function start(changed: (given: House) => House = (given) => given): Promise<void> {
    const { clock, stopwatch, timer } = time;
    const root = readRootKey(rootKeyPath(settings));
    const real = await openDatabase({ databaseUrl, dataDir, clock });
    const db: House['db'] = {
      ...real,
      // Its clock is the one that cannot be set here.
      read: (sql, args) =>
        sql.includes('clock_timestamp') ? Promise.resolve([{ at: clock.now() }]) : watched(real.read(sql, args)),
      write: (unit) => watched(real.write(unit)),
    };
    const ground = { settings, root, clock, timer, random: systemRandom, log, stopwatch };
    house = await houseOn(ground, db);
    await createMissingSigningKeys({ db, root, clock }, systemRandom);
    const { email, sms, letter } = await leavingChannels(settings, await emailOf(settings, root, log), log);
    const channels: LeavingChannels = {
      email: watchedChannel(email),
      sms: watchedChannel(sms),
      letter: watchedChannel(letter),
    };
    const mode = { isDemo: false, channels, cascade: cascadeOf(settings, false), pages: [] };
    running = await serve(changed(house), { ...mode, roles: new Set(roles), seat: firstSeat(1) });
    // It looks at the clock, and waits for none of that.
    await settle();
  }

  return {
    ...{ url, dataDir, faults, settle, start, clock: time.clock, read: () => house.db.read },
    stop: () => running.stop(),
    setClock: time.set,
    leap: async (ms: number) => {
      time.leap(ms);
      await settle();
    },
    /** Runs a command of the operator beside the server; gives what it printed, and refuses what it refuses. */
    command: async (...args: readonly string[]): Promise<string> => {
      const printed: string[] = [];
      const told: string[] = [];
      const [stdout, stderr] = [(text: string) => void printed.push(text), (text: string) => void told.push(text)];
      const terminal = { stdout, stderr, isInteractive: false, cwd: dataDir };
      const commands = await houseCommands(async (use) => await use({ ...house, isAlone: false }), terminal);
      const code = await runCommandLine(args, commands, terminal);
      running.forgetClients();
      if (code !== 0) throw new Error(`${args.join(' ')}: ${told.join('')}`);
      return printed.join('');
    },
    /** A request with a token of that client; without one as anybody. */
    ask: async (path: string, { client, scopes = [], ...init }: Asked = {}): Promise<Answered> => {
      const token = client === undefined ? undefined : await running.issueAccessToken(client, scopes);
      const headers = { ...(token && { authorization: `Bearer ${token}` }), ...init.headers };
      const answer = await watched(fetch(`${url}${path}`, { redirect: 'manual', ...init, headers }));
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    },
  };
}

type Asked = {
  readonly client?: string;
  readonly scopes?: readonly string[];
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** A gateway for text messages that takes them, or is told to be too busy, and remembers their ids. */
export async function startGateway(t: Afterwards, isBusy: () => boolean) {
  const taken: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (!isBusy()) taken.push(JSON.parse(Buffer.concat(chunks).toString()).id);
      response.writeHead(isBusy() ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/sms`, taken };
}

/** Writes a file that a command is to read. */
export function fileIn(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
