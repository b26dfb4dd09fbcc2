import { existsSync, mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { createMissingSigningKeys } from './access/signing-key-store.ts';
import { createLog, type Log } from './api/log.ts';
import { clientCommands } from './cli/clients.ts';
import { type Command, type ExitCode, runCommandLine, type Terminal } from './cli/command.ts';
import { type House, openHouse } from './compose.ts';
import { readSettings, type Settings } from './config/settings.ts';
import { apiVersion } from './config/version.ts';
import { systemClock, systemRandom } from './kernel/system-clock.ts';
import { createRootKey, readRootKey } from './keys/root-key-file.ts';
import { runDemo, runStart } from './run-server.ts';

/** Runs the command that the arguments name; gives the exit code, for `demo` and `start` when they were stopped. */
export async function commandLine(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<ExitCode> {
  const settings = () => readSettings(environment);
  return await runCommandLine(args.length === 0 ? ['help'] : args, commands(settings, terminal), terminal);
}

function commands(settings: () => Settings, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'demo',
      usage: 'demo',
      summary: 'Starts a demo on loopback with invented citizens; keys and data are made in DATA_DIR.',
      run: async () => await runDemo(settings(), terminal),
    },
    {
      name: 'start',
      usage: 'start [--roles api,worker]',
      summary: 'Starts the server. It needs the keys that `keys create` makes.',
      run: async (args) => await runStart(settings(), args, terminal),
    },
    {
      name: 'keys create',
      usage: 'keys create',
      summary: 'Makes the root key file where there is none, and the signing keys that are missing.',
      run: async () => await createKeys(settings(), terminal),
    },
    ...clientCommands(
      (use) =>
        withHouse(settings(), async (house) => await use({ ...house, read: house.db.read, operator: operator() })),
      terminal,
    ),
    {
      name: 'version',
      usage: 'version',
      summary: 'Prints the version.',
      run: async () => {
        terminal.stdout(`citizen-services ${apiVersion}\n`);
        return 0;
      },
    },
  ];
}

/** Who runs a command, as the ledger will say. */
function operator(): string {
  return userInfo().username;
}

/** The log of a command: faults only, people read the rest. */
function quietLog(): Log {
  return createLog('error');
}

/** Where the root key is: the setting, or the data folder. */
export function rootKeyPath(settings: Settings): string {
  return settings.rootKeyFile ?? join(settings.dataDir, 'root.key');
}

async function withHouse<T>(settings: Settings, use: (house: House) => Promise<T>): Promise<T> {
  const root = readRootKey(rootKeyPath(settings));
  const house = await openHouse({ settings, root, clock: systemClock, random: systemRandom, log: quietLog() });
  try {
    return await use(house);
  } finally {
    await house.close();
  }
}

async function createKeys(settings: Settings, terminal: Terminal): Promise<ExitCode> {
  const path = rootKeyPath(settings);
  if (!existsSync(path)) {
    mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
    createRootKey(path, systemRandom);
    terminal.stderr(`Made ${path}. Keep a copy elsewhere: without it nothing that was sealed can be opened.\n`);
  }
  return await withHouse<ExitCode>(settings, async (house) => {
    const made = await createMissingSigningKeys({ db: house.db, root: house.root, clock: house.clock }, house.random);
    terminal.stderr(
      made.length === 0 ? 'All signing keys are there.\n' : `Made signing keys for ${made.join(', ')}.\n`,
    );
    return 0;
  });
}
