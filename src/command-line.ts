import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { createMissingSigningKeys } from './access/signing-key-store.ts';
import { createLog, type Log } from './api/log.ts';
import { backupCommands, type Stop } from './cli/backup.ts';
import type { OpenTrial } from './cli/backup-verify.ts';
import { calibrateCommands } from './cli/calibrate.ts';
import { lockCommands } from './cli/citizen-lock.ts';
import { citizenCommands } from './cli/citizens.ts';
import { clientCommands } from './cli/clients.ts';
import { type Command, demandNoArguments, type ExitCode, runCommandLine, type Terminal } from './cli/command.ts';
import { contactCommands } from './cli/contacts.ts';
import { doctorCommand } from './cli/doctor.ts';
import { type DocumentsRoom, documentCommands } from './cli/documents.ts';
import { keepingCommands } from './cli/documents-keeping.ts';
import { evaluateCommands } from './cli/evaluate.ts';
import { evidenceVerifyCommand } from './cli/evidence.ts';
import { healthCommand } from './cli/health.ts';
import { importCommands } from './cli/import-citizens.ts';
import { keyCommands } from './cli/keys.ts';
import { ledgerCommands } from './cli/ledger.ts';
import { ledgerKeyCommands } from './cli/ledger-key.ts';
import { ledgerVerifyCommand } from './cli/ledger-verify.ts';
import { operatorName } from './cli/operator-name.ts';
import { policyCommands } from './cli/policies.ts';
import type { RotationRoom } from './cli/rotate-root.ts';
import { commandSocket, handOver, takeCommands } from './cli/running-server.ts';
import { webhookCommands } from './cli/webhooks.ts';
import { witnessCommand } from './cli/witness.ts';
import { type House, openHouse } from './compose.ts';
import { checkUpOf } from './compose-doctor.ts';
import { documentsRoom } from './compose-documents.ts';
import { citizensRoomOf, ledgerRoomOf, logPolicyOf } from './compose-ledger.ts';
import { readSettings, type Settings } from './config/settings.ts';
import { apiVersion } from './config/version.ts';
import { createFirstRootKey, rootKeyPath } from './first-root-key.ts';
import { systemTimer } from './jobs/timer.ts';
import { systemClock, systemRandom } from './kernel/system-clock.ts';
import { readRootKey } from './keys/root-key-file.ts';
import { runDemo, runStart, type TakeFor } from './run-server.ts';
import type { Read } from './store/db.ts';
import type { Environment } from './thread-messages.ts';

/** Runs the command that the arguments name; gives the exit code, for `demo` and `start` when they were stopped. */
export async function commandLine(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<ExitCode> {
  const settings = () => readSettings(environment);
  const own = [
    ...serverCommands(settings, terminal, environment),
    healthCommand(settings, terminal, fetch),
    doctorCommand(() => checkUpOf(environment), terminal, systemTimer),
    ...calibrateCommands(terminal, systemClock),
    ...evaluateCommands(terminal, systemClock, processorMs),
    ...backupCommands({ settings, clock: systemClock, rootKeyPath, openTrial, hearStop }, terminal),
  ];
  const onHouse = houseCommands(ownHouse(settings), terminal).map((command) => ({
    ...command,
    run: async (rest: readonly string[]) => {
      const { databaseUrl, dataDir } = settings();
      const elsewhere = databaseUrl === undefined && existsSync(commandSocket(dataDir));
      const done = elsewhere
        ? await handOver(commandSocket(dataDir), [...command.name.split(' '), ...rest], terminal)
        : undefined;
      return done ?? (await command.run(rest));
    },
  }));
  return await runCommandLine(args.length === 0 ? ['help'] : args, [...own, ...onHouse], terminal);
}

/** The house that a backup makes, with a root key that need not be in its folder. */
const openTrial: OpenTrial = async (settings, rootKeyFile, use) =>
  await withHouse({ ...settings, rootKeyFile }, async (house) => {
    const { ports } = await documentsRoom(house, operator());
    const { log } = ledgerRoomOf(house);
    return await use({ ...house, read: house.db.read, ports, log, logPolicy: () => logPolicyOf(house) });
  });

/** Lends a house to one command: one opened for it and closed behind it, or that of a running server. */
type UseHouse = <T>(use: (house: LentHouse) => Promise<T>) => Promise<T>;
type LentHouse = House & { readonly isAlone: boolean };

/** An SQLite file that this process has opened nobody else has. */
function ownHouse(settings: () => Settings): UseHouse {
  return (use) =>
    withHouse(settings(), async (house) => await use({ ...house, isAlone: house.db.engine === 'sqlite' }));
}

/** The commands that work on an open house. */
export function houseCommands(useHouse: UseHouse, terminal: Terminal): readonly Command[] {
  const lend = <T>(use: (room: LentHouse & { readonly read: Read; readonly operator: string }) => Promise<T>) =>
    useHouse(async (house) => await use({ ...house, read: house.db.read, operator: operator() }));
  const lendDocuments = <T>(use: (room: DocumentsRoom) => Promise<T>) =>
    useHouse(async (house) => await use(await documentsRoom(house, operator())));
  const lendRotation = <T>(use: (room: RotationRoom) => Promise<T>) =>
    lend(async (room) => await use({ ...room, write: room.db.write, rootKeyPath: rootKeyPath(room.settings) }));
  return [
    ...keyCommands(lendRotation, terminal),
    ...importCommands(lend, terminal),
    ...policyCommands(lend, terminal),
    ...lockCommands(lend, terminal),
    ...webhookCommands(lend, terminal),
    ...contactCommands(lend, terminal),
    ...clientCommands(lend, terminal),
    ...documentCommands(lendDocuments, terminal),
    ...keepingCommands(lendDocuments, terminal),
    ...citizenCommands(
      (use) =>
        lend(async (house) => {
          const { ports: documents } = await documentsRoom(house, house.operator);
          return await use({ ...house, ...(await citizensRoomOf(house)), documents });
        }),
      terminal,
    ),
    ...ledgerCommands((use) => lend(async (house) => await use(ledgerRoomOf(house))), terminal),
    ...ledgerKeyCommands((use) => lend(async (house) => await use({ ...house, ...ledgerRoomOf(house) })), terminal),
  ];
}

function serverCommands(settings: () => Settings, terminal: Terminal, environment: Environment): readonly Command[] {
  const takeFor: TakeFor = async (house) =>
    house.db.engine === 'sqlite'
      ? await takeCommands(commandSocket(house.settings.dataDir), (caller) =>
          houseCommands(async (use) => await use({ ...house, isAlone: false }), caller),
        )
      : async () => undefined;
  return [
    {
      name: 'demo',
      usage: 'demo',
      summary: 'Starts a demo on loopback with invented citizens; keys and data are made in DATA_DIR.',
      run: async (args) => {
        demandNoArguments(args);
        return await runDemo(settings(), { terminal, takeFor, environment });
      },
    },
    {
      name: 'start',
      usage: 'start [--roles api,worker,sequencer]',
      summary: 'Starts the server. It needs the keys that `keys create` makes.',
      run: async (args) => await runStart(settings(), args, { terminal, takeFor, environment }),
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
    ledgerVerifyCommand(terminal, fetch),
    witnessCommand(terminal, () => ({ clock: systemClock, random: systemRandom, stopped: hearStop().told })),
    evidenceVerifyCommand(terminal),
    {
      name: 'version',
      usage: 'version',
      summary: 'Prints the version.',
      run: async (args) => {
        demandNoArguments(args);
        terminal.stdout(`citizen-services ${apiVersion}\n`);
        return 0;
      },
    },
  ];
}

/** Hears that somebody wants this process to end; told once more, it ends at once. */
function hearStop(): Stop {
  const { promise: told, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.once(signal, stop);
  return {
    told,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}

/** Processor time of this process in milliseconds: what else the machine does is not in it. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Who runs a command, as the ledger will say. */
function operator(): string {
  return operatorName(userInfo, process.getuid?.());
}

/** The log of a command: faults only, people read the rest. */
function quietLog(): Log {
  return createLog('error');
}

async function withHouse<T>(settings: Settings, use: (house: House) => Promise<T>): Promise<T> {
  const root = readRootKey(rootKeyPath(settings));
  const house = await openHouse({
    settings,
    root,
    clock: systemClock,
    timer: systemTimer,
    random: systemRandom,
    log: quietLog(),
  });
  try {
    return await use(house);
  } finally {
    await house.close();
  }
}

async function createKeys(settings: Settings, terminal: Terminal): Promise<ExitCode> {
  const path = rootKeyPath(settings);
  if (!existsSync(path)) {
    await createFirstRootKey(settings, path);
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
