import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createLog, type Log } from '../api/log.ts';
import { type ExitCode, type Terminal, wrongOption } from '../cli/command.ts';
import { seedDemo } from '../cli/demo.ts';
import { demoText, keepDemoHeaders, writeDemoBodies } from '../cli/demo-commands.ts';
import { findIneffectiveSettings } from '../config/ineffective-settings.ts';
import { inlineSettingFiles, type Settings } from '../config/settings.ts';
import type { RootKey } from '../crypto/root-key.ts';
import { readRootKey } from '../crypto/root-key-file.ts';
import { systemTimer } from '../jobs/timer.ts';
import { systemClock, systemRandom } from '../kernel/system-clock.ts';
import { cascadeOf } from '../notifications/cascade/cascade-file.ts';
import { createEmailChannel, createOutgoingChannels } from '../notifications/channels/create-channels.ts';
import { openDemoOutbox } from '../notifications/channels/open-demo-outbox.ts';
import { outboxPages } from '../web/outbox-page.ts';
import { type AppContext, type AppOptions, openApp } from './app-context.ts';
import { createFirstRootKey, rootKeyPath } from './first-root-key.ts';
import { demoMarkOf, modeSettings } from './mode-settings.ts';
import { type Role, roles, type ServeOptions, serve } from './serve.ts';
import type { Environment } from './threads/thread-messages.ts';
import { apiThreadCount } from './threads/thread-pool.ts';

/** Runs commands that other processes of the same owner send to a running server. Returns the function that ends this. */
export type ServeCommandsFor = (app: AppContext) => Promise<() => Promise<void>>;

/** The dependencies of a running server. Its settings were read from `environment`. */
export type RunServerDeps = {
  readonly terminal: Terminal;
  readonly serveCommandsFor: ServeCommandsFor;
  readonly environment: Environment;
};

class DemoBeyondLoopback extends Error {
  override readonly name = 'DemoBeyondLoopback';
}

/** Runs the demo until it is stopped. */
export async function runDemo(given: Settings, deps: RunServerDeps): Promise<ExitCode> {
  const settings = modeSettings(given, true);
  if (![settings.host, settings.adminHost].every((host) => ['127.0.0.1', '::1', 'localhost'].includes(host))) {
    throw new DemoBeyondLoopback(
      `HOST and ADMIN_HOST: expected a loopback address for the demo, received ${settings.host} and ${settings.adminHost}. Remove both settings, or run "citizen-services start".`,
    );
  }
  const path = rootKeyPath(settings);
  const root = existsSync(path) ? readRootKey(path) : await createFirstRootKey(settings, path);
  const log = createLog(settings.logLevel);
  const outbox = openDemoOutbox(settings, root);
  const email = outbox.email ?? (await createEmailChannel(settings, root, log));
  let isSeeded = false;
  const mode: ModeOptions = {
    roles: new Set(roles),
    isDemo: true,
    isPrepared: () => isSeeded,
    channels: await createOutgoingChannels(settings, email, log, outbox),
    cascade: cascadeOf(settings, true),
    pages: outboxPages(outbox, demoMarkOf(settings)),
  };
  const { dataDir } = settings;
  let stopHeaders: () => void = () => undefined;
  try {
    return await runUntilStopped({ ...deps, settings, root, log, rootKeyPath: path }, mode, async (app, running) => {
      const sendsNothing = demoMarkOf(settings) === 'demo';
      const demo = await seedDemo({ ...app, read: app.db.read, dataDir, sendsNothing, ...running });
      writeDemoBodies(dataDir, demo);
      const [{ clientId, scopes } = { clientId: '', scopes: [] }] = demo.clients;
      stopHeaders = await keepDemoHeaders({
        dataDir,
        issueToken: async () => await running.issueAccessToken(clientId, scopes),
        timer: systemTimer,
        onFault: (fault) => log.fault('demo-headers', fault),
      });
      isSeeded = true;
      deps.terminal.stdout(demoText(demo, { dataDir, cwd: deps.terminal.cwd, adminUrl: running.adminUrl }));
    });
  } finally {
    stopHeaders();
  }
}

/** Runs the server until it is stopped. Keys and settings must exist. */
export async function runStart(given: Settings, args: readonly string[], deps: RunServerDeps): Promise<ExitCode> {
  const flags = { roles: { type: 'string' }, 'migrate-while-running': { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...args], options: flags });
  const settings = modeSettings(given, false);
  const path = rootKeyPath(settings);
  const root = readRootKey(path);
  const log = createLog(settings.logLevel);
  for (const { setting, needs } of findIneffectiveSettings(settings))
    log.notice('a setting has no effect', { setting, needs });
  const mode: ModeOptions = {
    roles: parseRoles(values.roles),
    migrateWhileRunning: values['migrate-while-running'] === true,
    isDemo: false,
    channels: await createOutgoingChannels(settings, await createEmailChannel(settings, root, log), log),
    cascade: cascadeOf(settings, false),
    pages: [],
  };
  return await runUntilStopped({ ...deps, settings, root, log, rootKeyPath: path }, mode, async (_app, running) => {
    // A process without the role `api` listens only at the address of its metrics.
    const at = mode.roles.has('api') ? `at ${running.publicUrl}` : `as ${[...mode.roles].join(' and ')}`;
    deps.terminal.stderr(`citizen-services runs ${at}, metrics at ${running.adminUrl}/metrics\n`);
  });
}

function parseRoles(text: string | undefined): ReadonlySet<Role> {
  if (text === undefined) return new Set(roles);
  const wanted = text.split(',').map((role) => role.trim());
  const unknown = wanted.filter((role) => !roles.some((known) => known === role));
  if (unknown.length > 0) throw wrongOption('--roles', `a comma-separated list of ${roles.join(', ')}`, text);
  return new Set(roles.filter((role) => wanted.includes(role)));
}

type RunServerContext = RunServerDeps & {
  readonly settings: Settings;
  readonly root: RootKey;
  readonly rootKeyPath: string;
  readonly log: Log;
};
type ServerHandle = Awaited<ReturnType<typeof serve>>;
/** The options of `serve` that differ between `demo` and `start`. */
type ModeOptions = Omit<ServeOptions, 'apiThreads' | 'threads'> & Pick<AppOptions, 'migrateWhileRunning'>;

async function runUntilStopped(
  { settings, root, rootKeyPath: path, log, serveCommandsFor, environment }: RunServerContext,
  mode: ModeOptions,
  whenServing: (app: AppContext, running: ServerHandle) => Promise<void>,
): Promise<ExitCode> {
  const threads = { environment: inlineSettingFiles(environment), rootKeyPath: path };
  const { promise: ended, resolve: end } = Promise.withResolvers<ExitCode>();
  let lostBy: Error | undefined;
  const lost = (what: string) => (fault: Error) => {
    lostBy ??= fault;
    log.fault(what, fault);
    end(1);
  };
  const app = await openApp({
    settings,
    root,
    log,
    clock: systemClock,
    timer: systemTimer,
    random: systemRandom,
    mustExist: !mode.isDemo,
    migrateWhileRunning: mode.migrateWhileRunning ?? false,
    onLost: lost('database'),
  });
  const stop = () => end(0);
  // A second SIGTERM, such as from the process group, does not shorten the shutdown. A second Ctrl-C ends the process at once.
  process.on('SIGTERM', stop);
  // Sent when the terminal is closed.
  process.on('SIGHUP', stop);
  process.once('SIGINT', stop);
  try {
    // Before the server reports that it is ready: a caller that waits for it may send a command at once.
    const stopCommands = await serveCommandsFor(app);
    let running: ServerHandle | undefined;
    try {
      const apiThreads = apiThreadCount(settings.apiThreads);
      running = await serve(app, { ...mode, apiThreads, threads: { ...threads, onLost: lost('api-thread') } });
      await whenServing(app, running);
      return await ended;
    } catch (fault) {
      // After the database was lost, other faults are its consequences.
      throw lostBy ?? fault;
    } finally {
      await stopCommands();
      await running?.stop();
    }
  } finally {
    await app.close();
  }
}
