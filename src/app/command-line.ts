import { existsSync } from 'node:fs';
import type { WithTrial } from '../cli/backup-verify.ts';
import {
  type Command,
  type ExitCode,
  findCommand,
  requireNoArguments,
  runCommandLine,
  type Terminal,
} from '../cli/command.ts';
import { commandSocketPath, forwardCommand, serveCommands } from '../cli/command-socket.ts';
import { readSettings, type Settings } from '../config/settings.ts';
import { apiVersion } from '../config/version.ts';
import { systemTimer } from '../jobs/timer.ts';
import { systemClock, systemRandom } from '../kernel/system-clock.ts';
import { appCommandFamilies, appCommands, type CommandFamily, type UseApp } from './app-commands.ts';
import type { AppContext } from './app-context.ts';
import { createFirstRootKey, rootKeyPath } from './first-root-key.ts';
import type { RunServerDeps, ServeCommandsFor } from './run-server.ts';
import { listenForShutdown } from './shutdown-signal.ts';
import type { Environment } from './threads/thread-messages.ts';

/**
 * Runs the command that the arguments name, and returns the exit code; `demo` and `start` return when they were stopped. Only the
 * modules of that command are loaded: a health check runs twice a minute, and must not load a server.
 */
export async function commandLine(
  rawArgs: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<ExitCode> {
  const args = rawArgs[0] === '--version' ? ['version', ...rawArgs.slice(1)] : rawArgs;
  const families = commandFamilies(environment, terminal);
  const [word = 'help'] = args;
  const named = await loadCommands(families.filter(({ words }) => words.includes(word)));
  // Help lists all commands, and so does an unknown command.
  const commands = findCommand(args, named) === undefined ? await loadCommands(families) : named;
  return await runCommandLine(args.length === 0 ? ['help'] : args, commands, terminal);
}

/** All commands, for the command reference and its test. */
export async function loadAllCommands(terminal: Terminal): Promise<readonly Command[]> {
  return await loadCommands(commandFamilies({}, terminal));
}

async function loadCommands(families: readonly CommandFamily[]): Promise<readonly Command[]> {
  return (await Promise.all(families.map((family) => family.load()))).flat();
}

function commandFamilies(environment: NodeJS.ProcessEnv, terminal: Terminal): readonly CommandFamily[] {
  const settings = () => readSettings(environment);
  return [
    ...serverCommandFamilies(settings, terminal, environment),
    ...standaloneCommandFamilies(settings, terminal, environment),
    ...appCommandFamilies(withOwnApp(settings), terminal).map((family) => withForwarding(family, settings, terminal)),
  ];
}

/** The commands of a family. If a server has the SQLite file open, that server runs them. */
function withForwarding({ words, load }: CommandFamily, settings: () => Settings, terminal: Terminal): CommandFamily {
  const forwarding = (command: Command): Command => ({
    ...command,
    run: async (rest) => {
      const { databaseUrl, dataDir } = settings();
      const elsewhere = databaseUrl === undefined && existsSync(commandSocketPath(dataDir));
      const done = elsewhere
        ? await forwardCommand(commandSocketPath(dataDir), [...command.name.split(' '), ...rest], terminal)
        : undefined;
      return done ?? (await command.run(rest));
    },
  });
  return { words, load: async () => (await load()).map(forwarding) };
}

/** Opens the app of a restored backup, whose root key need not be in its folder. */
const withTrial: WithTrial = async (settings, rootKeyFile, use) =>
  await withApp({ ...settings, rootKeyFile }, async (app) => {
    const { createLedgerContext, loadDocumentsContext, loadLogPolicy } = await import('./command-contexts.ts');
    const { ports } = await loadDocumentsContext(app);
    const { log } = createLedgerContext(app);
    return await use({ ...app, read: app.db.read, ports, log, logPolicy: () => loadLogPolicy(app) });
  });

/** Opens an app for one command. No other process has an SQLite file open that this one could open. */
function withOwnApp(settings: () => Settings): UseApp {
  return (use) => withApp(settings(), async (app) => await use({ ...app, isAlone: app.db.engine === 'sqlite' }));
}

const withApp: typeof import('./app-context.ts').withApp = async (settings, use, how) =>
  await (await import('./app-context.ts')).withApp(settings, use, how);

function serverCommandFamilies(
  settings: () => Settings,
  terminal: Terminal,
  environment: Environment,
): readonly CommandFamily[] {
  const serveCommandsFor: ServeCommandsFor = async (app) => {
    if (app.db.engine !== 'sqlite') return async () => undefined;
    const commandsFor = (caller: Terminal) => appCommands(async (use) => await use({ ...app, isAlone: false }), caller);
    // Loaded now: after an upgrade, the files may be those of another version.
    await commandsFor(terminal);
    return await serveCommands(commandSocketPath(app.settings.dataDir), commandsFor);
  };
  const deps: RunServerDeps = { terminal, serveCommandsFor, environment };
  const commands: readonly Command[] = [
    {
      name: 'demo',
      usage: 'demo',
      summary: 'Starts a demo with invented citizens on this computer.',
      notes:
        'The demo listens on the loopback address only, and sends nothing to other computers. It creates its keys and data in DATA_DIR.',
      run: async (args) => {
        requireNoArguments(args);
        return await (await import('./run-server.ts')).runDemo(settings(), deps);
      },
    },
    {
      name: 'start',
      usage: 'start [--roles api,worker,sequencer] [--migrate-while-running]',
      summary: 'Starts the server with the keys that "keys create" created.',
      options: startOptions,
      example: 'start --roles api,worker',
      run: async (args) => await (await import('./run-server.ts')).runStart(settings(), args, deps),
    },
    {
      name: 'keys create',
      usage: 'keys create',
      summary: 'Creates the root key file if it does not exist, and all missing signing keys.',
      run: async (args) => {
        requireNoArguments(args);
        return await createKeys(settings(), terminal);
      },
    },
  ];
  return [{ words: ['demo', 'start', 'keys'], load: async () => commands }];
}

const startOptions: Command['options'] = [
  {
    form: '--roles api,worker,sequencer',
    meaning: 'The roles of this process: serve requests, deliver messages, number the ledger events.',
    defaultValue: 'all roles',
  },
  {
    form: '--migrate-while-running',
    meaning: 'Migrates the database also while processes of an earlier version use it.',
  },
];

/** The commands that need no app context, or open their own. */
function standaloneCommandFamilies(
  settings: () => Settings,
  terminal: Terminal,
  environment: Environment,
): readonly CommandFamily[] {
  const of = (word: string, load: CommandFamily['load']): CommandFamily => ({ words: [word], load });
  const version: Command = {
    name: 'version',
    usage: 'version',
    summary: 'Prints the version.',
    run: async (args) => {
      requireNoArguments(args);
      terminal.stdout(`citizen-services ${apiVersion}\n`);
      return 0;
    },
  };
  const [clock, random] = [systemClock, systemRandom];
  const witnessDeps = () => ({ clock, random, stopped: listenForShutdown().received });
  const planChecks = async () => await (await import('./doctor/plan-checks.ts')).planDoctorChecks(environment);
  const backups = { settings, clock, rootKeyPath, withTrial, listenForShutdown };
  return [
    of('ledger', async () => [(await import('../cli/ledger-verify.ts')).ledgerVerifyCommand(terminal, fetch)]),
    of('witness', async () => [(await import('../cli/witness.ts')).witnessCommand(terminal, witnessDeps)]),
    of('evidence', async () => [(await import('../cli/evidence.ts')).evidenceVerifyCommand(terminal)]),
    of('version', async () => [version]),
    of('health', async () => [(await import('../cli/health.ts')).healthCommand(settings, terminal, fetch)]),
    of('doctor', async () => [(await import('../cli/doctor.ts')).doctorCommand(planChecks, terminal, systemTimer)]),
    of('policies', async () => (await import('../cli/calibrate.ts')).calibrateCommands(terminal, clock)),
    of('policies', async () => (await import('../cli/evaluate.ts')).evaluateCommands(terminal, clock, processorMs)),
    of('backup', async () => (await import('../cli/backup.ts')).backupCommands(backups, terminal)),
  ];
}

/** The processor time of this process in milliseconds, which other programs do not affect. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function createKeys(settings: Settings, terminal: Terminal): Promise<ExitCode> {
  const path = rootKeyPath(settings);
  if (!existsSync(path)) {
    await createFirstRootKey(settings, path);
    terminal.stderr(
      `Created the root key file ${path}. Keep a copy on another machine: without it, nobody can decrypt the data.\n`,
    );
  }
  const { createMissingSigningKeys } = await import('../auth/signing-key-store.ts');
  const create = async (app: AppContext): Promise<ExitCode> => {
    const created = await createMissingSigningKeys({ db: app.db, root: app.root, clock: app.clock }, app.random);
    terminal.stderr(
      created.length === 0 ? 'All signing keys already exist.\n' : `Created signing keys for ${created.join(', ')}.\n`,
    );
    return 0;
  };
  return await withApp(settings, create, { mustExist: false });
}
