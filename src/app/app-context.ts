import type { MessagePort } from 'node:worker_threads';
import type { Log } from '../api/log.ts';
import type { SliceDeps } from '../api/slice.ts';
import { type ClientCache, createClientCache } from '../auth/client-cache.ts';
import { createMissingSigningKeys, openSigningKeys, type SigningKeys } from '../auth/signing-key-store.ts';
import { openFolderOfSetting, type Settings } from '../config/settings.ts';
import type { RootKey } from '../crypto/root-key.ts';
import type { Database } from '../db/database.ts';
import { createDatabaseClock } from '../db/database-clock.ts';
import type { MigrationProgress } from '../db/migrate.ts';
import { openDatabase, openDatabaseInThread } from '../db/open-database.ts';
import { openRegister } from '../identity/open-register.ts';
import type { Register } from '../identity/register/register.ts';
import { createClockCheck, trackLatestTime } from '../jobs/clock-check.ts';
import type { Timer } from '../jobs/timer.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { createCitizenKeys } from '../ledger/citizen-keys.ts';
import { createCommitter } from '../ledger/commit.ts';
import { refuseMismatchedSubkeys } from '../ledger/refuse-mismatched-subkeys.ts';

/** What exists before there is a server: the database with its keys, time and register. Commands of the command line use it too. */
export type AppContext = SliceDeps & {
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
  const clock = trackLatestTime(time.clock);
  const claim: WriteWithoutEvent = async (statement) => (await db.write([statement]))[0] ?? [];
  const onStep = (byMs: number) => log.fault('clock', new Error(clockStepMessage(byMs)));
  const citizenKeys = createCitizenKeys(db.read, root, random, clock);
  return {
    settings,
    clock,
    openedAt: clock.now(),
    lookAtClock: time.measureSkewMs,
    isClockSure: createClockCheck({
      ...given,
      clock,
      read: db.read,
      claim,
      onStep,
      onSetRight: async (right) => {
        // Seldom needed, and much to load for a command.
        const { rescheduleAfterClockCorrection } = await import('./reschedule-waits.ts');
        await rescheduleAfterClockCorrection({ ...db, claim }, right);
      },
    }),
    timer,
    random,
    log,
    db,
    root,
    citizenKeys,
    mint: createIdGenerator(clock, random),
    ...createCommitter({ db, citizenKeys, random, onFault: (fault) => log.fault('ledger', fault) }),
    claim,
    register: openRegister({ settings, clock, timer, log, db }),
    close: () => db.close(),
  };
}

function clockStepMessage(byMs: number): string {
  const hours = Math.round(byMs / 3_600_000);
  if (byMs < 0)
    return `the clock is ${Math.round(-byMs / 1_000)} s behind where it was: it was ahead then, or is behind now; see that it is kept by NTP`;
  return `no server looked at the clock for ${hours} h, or it has gone ahead by that: nothing is deleted for being old for a day; set it right if it is wrong`;
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
