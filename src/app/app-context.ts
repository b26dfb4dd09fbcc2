import { setTimeout as pause } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { createLog, type Log } from '../api/log.ts';
import type { SliceDeps } from '../api/slice.ts';
import { type ClientCache, createClientCache } from '../auth/client-cache.ts';
import { createMissingSigningKeys, openSigningKeys, type SigningKeys } from '../auth/signing-key-store.ts';
import { openFolderOfSetting, type Settings } from '../config/settings.ts';
import type { RootKey } from '../crypto/root-key.ts';
import { readRootKey } from '../crypto/root-key-file.ts';
import type { Database } from '../db/database.ts';
import { createDatabaseClock } from '../db/database-clock.ts';
import type { MigrationProgress } from '../db/migrate.ts';
import { openDatabase, openDatabaseInThread } from '../db/open-database.ts';
import { openRegister } from '../identity/open-register.ts';
import type { Register } from '../identity/register/register.ts';
import { createClockCheck } from '../jobs/clock-check.ts';
import { refuseLiveLeases } from '../jobs/lease.ts';
import { systemTimer, type Timer } from '../jobs/timer.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { systemClock, systemRandom } from '../kernel/system-clock.ts';
import { createCitizenKeys } from '../ledger/citizen-keys.ts';
import { createCommitter } from '../ledger/commit.ts';
import { refuseMismatchedSubkeys } from '../ledger/refuse-mismatched-subkeys.ts';
import { rootKeyPath } from './first-root-key.ts';

/** The database with its keys, time and register. The server and the commands of the command line both start from it. */
export type AppContext = SliceDeps & {
  readonly register: Register;
  close(): Promise<void>;
};

/** The settings and the machine's services that an app is opened with. */
export type AppOptions = {
  readonly settings: Settings;
  readonly root: RootKey;
  /** The clock of the machine. */
  readonly clock: Clock;
  /** Monotonic milliseconds; by default those of the machine. */
  readonly stopwatch?: () => number;
  readonly timer: Timer;
  readonly random: RandomBytes;
  readonly log: Log;
  /** Whether the database must exist already. */
  readonly mustExist?: boolean;
  /** Whether the database may be migrated while other processes run on it. */
  readonly migrateWhileRunning?: boolean;
  /** Called when this process has lost the database. It must stop; the next start recovers. */
  readonly onLost?: (fault: Error) => void;
};

/** Opens and migrates the database, and creates the app context on it. */
export async function openApp(options: AppOptions): Promise<AppContext> {
  const { settings, clock, random, log, mustExist = false, migrateWhileRunning = false, onLost } = options;
  const { dataDir } = settings;
  const databaseUrl = settings.databaseUrl?.reveal();
  const lost = onLost === undefined ? {} : { onLost };
  const mayMigrate = migrateWhileRunning ? undefined : (read: Database['read']) => refuseLiveLeases(read, pause);
  // The migration of a large table takes minutes. The start logs nothing else meanwhile.
  const onMigration = (step: MigrationProgress) =>
    log.notice('the server migrates the database before it accepts requests', step);
  const open = () => openDatabase({ databaseUrl, dataDir, mustExist, clock, random, onMigration, mayMigrate, ...lost });
  const db = await openFolderOfSetting('DATA_DIR', open);
  try {
    await refuseMismatchedSubkeys(db.read, options.root);
    return await createAppContext(options, db);
  } catch (fault) {
    await db.close();
    throw fault;
  }
}

/** Opens the app in another thread of a process that has opened the database. `port` comes from `Database.share` in that thread. */
export async function joinApp(options: Omit<AppOptions, 'onLost'>, port: MessagePort | undefined): Promise<AppContext> {
  const { settings, random } = options;
  const { dataDir } = settings;
  const db = await openDatabaseInThread({ databaseUrl: settings.databaseUrl?.reveal(), dataDir, random }, port);
  return await createAppContext(options, db);
}

/** Creates the app context on an open database. */
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
    createId: createIdGenerator(clock, random),
    ...createCommitter({ db, citizenKeys, random, onFault: (fault) => log.fault('ledger', fault) }),
    claim,
    register: openRegister({ settings, clock, timer, log, db }),
    close: () => db.close(),
  };
}

/** The signing keys and the clients. */
export type AuthContext = { readonly keys: SigningKeys; readonly clients: ClientCache };

/** Opens the keys. Only the demo creates missing ones: two servers that create keys would not know those of the other. */
export async function openAuthContext(app: AppContext, createKeys: boolean): Promise<AuthContext> {
  const keyDeps = { db: app.db, root: app.root, clock: app.clock };
  if (createKeys) await createMissingSigningKeys(keyDeps, app.random);
  const keys = await openSigningKeys(keyDeps);
  for (const use of ['access-token', 'result'] as const) keys.current(use);
  return { keys, clients: createClientCache(app.db.read, app.clock) };
}

/** Opens the app of these settings for one command, and closes it afterwards. Its log has faults only. */
export async function withApp<T>(
  settings: Settings,
  use: (app: AppContext) => Promise<T>,
  { mustExist = true } = {},
): Promise<T> {
  const app = await openApp({
    settings,
    root: readRootKey(rootKeyPath(settings)),
    mustExist,
    clock: systemClock,
    timer: systemTimer,
    random: systemRandom,
    log: createLog('error'),
  });
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}
