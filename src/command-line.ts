import { existsSync } from 'node:fs';
import type { OpenTrial } from './cli/backup-verify.ts';
import {
  type Command,
  demandNoArguments,
  type ExitCode,
  findCommand,
  runCommandLine,
  type Terminal,
} from './cli/command.ts';
import { commandSocket, handOver, takeCommands } from './cli/running-server.ts';
import type { House } from './compose.ts';
import { readSettings, type Settings } from './config/settings.ts';
import { apiVersion } from './config/version.ts';
import { createFirstRootKey, rootKeyPath } from './first-root-key.ts';
import { hearStop } from './hear-stop.ts';
import { documentsRoomOf, type Family, houseCommands, houseFamilies, type UseHouse } from './house-commands.ts';
import { systemTimer } from './jobs/timer.ts';
import { systemClock, systemRandom } from './kernel/system-clock.ts';
import type { RunParts, TakeFor } from './run-server.ts';
import type { Environment } from './thread-messages.ts';

/**
 * Runs the command that the arguments name; gives the exit code, for `demo` and `start` when they were stopped. Only what that
 * command needs is loaded: a health check each half minute must not cost what a server costs.
 */
export async function commandLine(
  given: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<ExitCode> {
  const args = given[0] === '--version' ? ['version', ...given.slice(1)] : given;
  const settings = () => readSettings(environment);
  const families = [
    ...serverFamilies(settings, terminal, environment),
    ...ownFamilies(settings, terminal, environment),
    ...houseFamilies(ownHouse(settings), terminal).map((family) => handedOver(family, settings, terminal)),
  ];
  const load = async (wanted: readonly Family[]) => (await Promise.all(wanted.map((family) => family.load()))).flat();
  const [word = 'help'] = args;
  const named = await load(families.filter(({ words }) => words.includes(word)));
  // Help, and what names no command, shows all of them.
  const commands = findCommand(args, named) === undefined ? await load(families) : named;
  return await runCommandLine(args.length === 0 ? ['help'] : args, commands, terminal);
}

/** The commands of a family, run by the server that has the database open where there is one. */
function handedOver({ words, load }: Family, settings: () => Settings, terminal: Terminal): Family {
  const handing = (command: Command): Command => ({
    ...command,
    run: async (rest) => {
      const { databaseUrl, dataDir } = settings();
      const elsewhere = databaseUrl === undefined && existsSync(commandSocket(dataDir));
      const done = elsewhere
        ? await handOver(commandSocket(dataDir), [...command.name.split(' '), ...rest], terminal)
        : undefined;
      return done ?? (await command.run(rest));
    },
  });
  return { words, load: async () => (await load()).map(handing) };
}

/** The house that a backup makes, with a root key that need not be in its folder. */
const openTrial: OpenTrial = async (settings, rootKeyFile, use) =>
  await withHouse({ ...settings, rootKeyFile }, async (house) => {
    const { ledgerRoomOf, logPolicyOf } = await import('./compose/ledger.ts');
    const { ports } = await documentsRoomOf(house);
    const { log } = ledgerRoomOf(house);
    return await use({ ...house, read: house.db.read, ports, log, logPolicy: () => logPolicyOf(house) });
  });

/** An SQLite file that this process has opened nobody else has. */
function ownHouse(settings: () => Settings): UseHouse {
  return (use) =>
    withHouse(settings(), async (house) => await use({ ...house, isAlone: house.db.engine === 'sqlite' }));
}

const withHouse: typeof import('./with-house.ts').withHouse = async (settings, use, how) =>
  await (await import('./with-house.ts')).withHouse(settings, use, how);

function serverFamilies(settings: () => Settings, terminal: Terminal, environment: Environment): readonly Family[] {
  const takeFor: TakeFor = async (house) => {
    if (house.db.engine !== 'sqlite') return async () => undefined;
    const commandsFor = (caller: Terminal) =>
      houseCommands(async (use) => await use({ ...house, isAlone: false }), caller);
    // Loaded now: later the files of the program may be those of another version.
    await commandsFor(terminal);
    return await takeCommands(commandSocket(house.settings.dataDir), commandsFor);
  };
  const parts: RunParts = { terminal, takeFor, environment };
  const commands: readonly Command[] = [
    {
      name: 'demo',
      usage: 'demo',
      summary: 'Starts a demo on loopback with invented citizens; keys and data are made in DATA_DIR.',
      run: async (args) => {
        demandNoArguments(args);
        return await (await import('./run-server.ts')).runDemo(settings(), parts);
      },
    },
    {
      name: 'start',
      usage: 'start [--roles api,worker,sequencer]',
      summary: 'Starts the server. It needs the keys that `keys create` makes.',
      run: async (args) => await (await import('./run-server.ts')).runStart(settings(), args, parts),
    },
    {
      name: 'keys create',
      usage: 'keys create',
      summary: 'Makes the root key file where there is none, and the signing keys that are missing.',
      run: async (args) => {
        demandNoArguments(args);
        return await createKeys(settings(), terminal);
      },
    },
  ];
  return [{ words: ['demo', 'start', 'keys'], load: async () => commands }];
}

/** What needs no house, or opens its own. */
function ownFamilies(settings: () => Settings, terminal: Terminal, environment: Environment): readonly Family[] {
  const of = (word: string, load: Family['load']): Family => ({ words: [word], load });
  const version: Command = {
    name: 'version',
    usage: 'version',
    summary: 'Prints the version.',
    run: async (args) => {
      demandNoArguments(args);
      terminal.stdout(`citizen-services ${apiVersion}\n`);
      return 0;
    },
  };
  const [clock, random] = [systemClock, systemRandom];
  const witnessParts = () => ({ clock, random, stopped: hearStop().told });
  const checkUp = async () => await (await import('./compose/doctor.ts')).checkUpOf(environment);
  const backups = { settings, clock, rootKeyPath, openTrial, hearStop };
  return [
    of('ledger', async () => [(await import('./cli/ledger-verify.ts')).ledgerVerifyCommand(terminal, fetch)]),
    of('witness', async () => [(await import('./cli/witness.ts')).witnessCommand(terminal, witnessParts)]),
    of('evidence', async () => [(await import('./cli/evidence.ts')).evidenceVerifyCommand(terminal)]),
    of('version', async () => [version]),
    of('health', async () => [(await import('./cli/health.ts')).healthCommand(settings, terminal, fetch)]),
    of('doctor', async () => [(await import('./cli/doctor.ts')).doctorCommand(checkUp, terminal, systemTimer)]),
    of('calibrate', async () => (await import('./cli/calibrate.ts')).calibrateCommands(terminal, clock)),
    of('evaluate', async () => (await import('./cli/evaluate.ts')).evaluateCommands(terminal, clock, processorMs)),
    of('backup', async () => (await import('./cli/backup.ts')).backupCommands(backups, terminal)),
  ];
}

/** Processor time of this process in milliseconds: what else the machine does is not in it. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function createKeys(settings: Settings, terminal: Terminal): Promise<ExitCode> {
  const path = rootKeyPath(settings);
  if (!existsSync(path)) {
    await createFirstRootKey(settings, path);
    terminal.stderr(`Made ${path}. Keep a copy elsewhere: without it nothing that was sealed can be opened.\n`);
  }
  const { createMissingSigningKeys } = await import('./access/signing-key-store.ts');
  const make = async (house: House): Promise<ExitCode> => {
    const made = await createMissingSigningKeys({ db: house.db, root: house.root, clock: house.clock }, house.random);
    terminal.stderr(
      made.length === 0 ? 'All signing keys are there.\n' : `Made signing keys for ${made.join(', ')}.\n`,
    );
    return 0;
  };
  return await withHouse(settings, make, { mayBegin: true });
}
