import type { MessagePort } from 'node:worker_threads';
import type { Log } from '../api/log.ts';
import { type ClientCache, createClientCache } from '../auth/client-cache.ts';
import { createMissingSigningKeys, openSigningKeys, type SigningKeys } from '../auth/signing-key-store.ts';
import { openFolderOfSetting, type Settings } from '../config/settings.ts';
import type { RootKey } from '../crypto/root-key.ts';
import type { Database } from '../db/database.ts';
import { createDatabaseClock } from '../db/database-clock.ts';
import type { MigrationProgress } from '../db/migrate.ts';
import { openDatabase, openDatabaseInThread } from '../db/open-database.ts';
import type { Register } from '../identity/register/register.ts';
import { createEmbeddedRegister } from '../identity/register-adapters/embedded-register.ts';
import { createHttpRegister } from '../identity/register-adapters/http-register.ts';
import { withUnavailableCitizen } from '../identity/register-adapters/simulated-register.ts';
import { createClockCheck } from '../jobs/clock-check.ts';
import type { Timer } from '../jobs/timer.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { createIdGenerator, type IdGenerator } from '../kernel/id.ts';
import { type CitizenKeys, createCitizenKeys } from '../ledger/citizen-keys.ts';
import { type Commit, createCommit } from '../ledger/commit.ts';
import { refuseMismatchedSubkeys } from '../ledger/refuse-mismatched-subkeys.ts';

/** What stands before there is a server: the database with its keys. Commands of the command line work on it as well. */
export type AppContext = {
  readonly settings: Settings;
  /** The time of the installation: on PostgreSQL the database's. */
  readonly clock: Clock;
  /** When it was opened, by that clock: nothing that this process stores is older. */
  readonly openedAt: number;
  /** Compares the machine's clock with that, and gives by how many milliseconds it is ahead. */
  readonly lookAtClock: () => Promise<number>;
  /** Whether data may be deleted because of its age: false after the clock jumped ahead by more than a day. */
  readonly isClockSure: () => Promise<boolean>;
  readonly timer: Timer;
  readonly random: RandomBytes;
  readonly mint: IdGenerator;
  readonly log: Log;
  readonly db: Database;
  readonly root: RootKey;
  readonly citizenKeys: CitizenKeys;
  readonly commit: Commit;
  /** For claims and leases alone: they move no citizen's data, so they have no event. */
  readonly claim: WriteWithoutEvent;
  readonly register: Register;
  close(): Promise<void>;
};

/** Where the house stands, and what it is given. */
export type AppOptions = {
  readonly settings: Settings;
  readonly root: RootKey;
  /** The machine's. */
  readonly clock: Clock;
  /** Milliseconds that never go back; without one the machine's. */
  readonly stopwatch?: () => number;
  readonly timer: Timer;
  readonly random: RandomBytes;
  readonly log: Log;
  /** Refuses to begin a new database; what makes a new installation does not ask for it. */
  readonly mustBeThere?: boolean;
  /** Called when the database is lost for this process; it has to stop, and the next start recovers. */
  readonly onLost?: (fault: Error) => void;
};

/** Opens the database, migrated, and what stands on it. */
export async function openApp(options: AppOptions): Promise<AppContext> {
  const { settings, clock, random, log, mustBeThere: mustExist = false, onLost } = options;
  const { dataDir } = settings;
  const databaseUrl = settings.databaseUrl?.reveal();
  const lost = onLost === undefined ? {} : { onLost };
  // A large table takes minutes, in which nothing else is heard of the start.
  const onMigration = (step: MigrationProgress) =>
    log.notice('the database is migrated before anything is served', step);
  const open = () => openDatabase({ databaseUrl, dataDir, mustExist, clock, random, onMigration, ...lost });
  const db = await openFolderOfSetting('DATA_DIR', open);
  try {
    await refuseMismatchedSubkeys(db.read, options.root);
    return await createAppContext(options, db);
  } catch (fault) {
    await db.close();
    throw fault;
  }
}

/** The same in another thread of a process that has opened it; `port` is what `Db.share` gave there. */
export async function joinApp(options: Omit<AppOptions, 'onLost'>, port: MessagePort | undefined): Promise<AppContext> {
  const { settings, random } = options;
  const { dataDir } = settings;
  const db = await openDatabaseInThread({ databaseUrl: settings.databaseUrl?.reveal(), dataDir, random }, port);
  return await createAppContext(options, db);
}

/** The house on a database that is open. */
export async function createAppContext(
  { settings, root, timer, random, log, ...given }: AppOptions,
  db: Database,
): Promise<AppContext> {
  const time = await createDatabaseClock({ ...given, db });
  const { clock } = time;
  const claim: WriteWithoutEvent = async (statement) => (await db.write([statement]))[0] ?? [];
  const citizenKeys = createCitizenKeys(db.read, root, random, clock);
  return {
    settings,
    clock,
    openedAt: clock.now(),
    lookAtClock: time.measureSkewMs,
    isClockSure: createClockCheck({ clock, read: db.read, claim }),
    timer,
    random,
    log,
    db,
    root,
    citizenKeys,
    mint: createIdGenerator(clock, random),
    commit: createCommit(db, citizenKeys, random),
    claim,
    register: openRegister({ settings, clock, timer, log }, db),
    close: () => db.close(),
  };
}

/** The signing keys, and who may call. */
export type AuthContext = { readonly keys: SigningKeys; readonly clients: ClientCache };

/** Opens the keys; `makeKeys` only for the demo, since a server that makes keys by itself may split in two. */
export async function openAuthContext(app: AppContext, makeKeys: boolean): Promise<AuthContext> {
  const keyDeps = { db: app.db, root: app.root, clock: app.clock };
  if (makeKeys) await createMissingSigningKeys(keyDeps, app.random);
  const keys = await openSigningKeys(keyDeps);
  for (const use of ['access-token', 'result'] as const) keys.current(use);
  return { keys, clients: createClientCache(app.db.read, app.clock) };
}

type RegisterOptions = Pick<AppOptions, 'settings' | 'clock' | 'timer' | 'log'>;

/** Our own tables, or the register that the operator names; in a sandbox with the citizen who is played. */
function openRegister(options: RegisterOptions, db: Database): Register {
  const register = configuredRegister(options, db);
  return options.settings.simulators === true ? withUnavailableCitizen(register) : register;
}

function configuredRegister({ settings, clock, timer, log }: RegisterOptions, db: Database): Register {
  if (settings.registerUrl === undefined) return createEmbeddedRegister(db.read);
  const url = new URL(settings.registerUrl.reveal());
  const onFault = (fault: Error) => log.fault('register', fault);
  return createHttpRegister({ url, fetch, timer, clock, onFault });
}
