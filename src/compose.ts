import type { MessagePort } from 'node:worker_threads';
import { type ClientView, createClientView } from './access/client-view.ts';
import { createMissingSigningKeys, openSigningKeys, type SigningKeys } from './access/signing-key-store.ts';
import type { Log } from './api/log.ts';
import { inFolderOf, type Settings } from './config/settings.ts';
import type { Register } from './identity/register.ts';
import { embeddedRegister } from './identity/registers/embedded.ts';
import { httpRegister } from './identity/registers/http-register.ts';
import { withUnavailableCitizen } from './identity/registers/simulated.ts';
import type { Claim } from './jobs/claim.ts';
import { createClockDoubt, rememberingLatest } from './jobs/clock-doubt.ts';
import type { Timer } from './jobs/timer.ts';
import type { Clock, Random } from './kernel/clock.ts';
import { createMint, type Mint } from './kernel/id.ts';
import type { RootKey } from './keys/root-key.ts';
import { type CitizenKeys, createCitizenKeys } from './ledger/citizen-keys.ts';
import { type Commit, createCommit } from './ledger/commit.ts';
import { refuseOtherLasting } from './ledger/lasting-keys.ts';
import { keepTime } from './store/database-clock.ts';
import type { Db } from './store/db.ts';
import type { Step } from './store/migrations.ts';
import { joinDatabase, openDatabase } from './store/open.ts';

/** What stands before there is a server: the database with its keys. Commands of the command line work on it as well. */
export type House = {
  readonly settings: Settings;
  /** The time of the installation: on PostgreSQL the database's. */
  readonly clock: Clock;
  /** When it was opened, by that clock: nothing that this process stores is older. */
  readonly openedAt: number;
  /** Compares the machine's clock with that, and gives by how many milliseconds it is ahead. */
  readonly lookAtClock: () => Promise<number>;
  /** Whether the clock is to be believed where time alone takes something away for good. */
  readonly isClockSure: () => Promise<boolean>;
  readonly timer: Timer;
  readonly random: Random;
  readonly mint: Mint;
  readonly log: Log;
  readonly db: Db;
  readonly root: RootKey;
  readonly citizenKeys: CitizenKeys;
  readonly commit: Commit;
  /** For claims and leases alone: they move no citizen's data, so they have no event. */
  readonly claim: Claim;
  readonly register: Register;
  close(): Promise<void>;
};

/** Where the house stands, and what it is given. */
export type Ground = {
  readonly settings: Settings;
  readonly root: RootKey;
  /** The machine's. */
  readonly clock: Clock;
  /** Milliseconds that never go back; without one the machine's. */
  readonly stopwatch?: () => number;
  readonly timer: Timer;
  readonly random: Random;
  readonly log: Log;
  /** Refuses to begin a new database; what makes a new installation does not ask for it. */
  readonly mustBeThere?: boolean;
  /** Called when the database is lost for this process; it has to stop, and the next start recovers. */
  readonly onLost?: (fault: Error) => void;
};

/** Opens the database, migrated, and what stands on it. */
export async function openHouse(ground: Ground): Promise<House> {
  const { settings, clock, random, log, mustBeThere = false, onLost } = ground;
  const { dataDir } = settings;
  const databaseUrl = settings.databaseUrl?.reveal();
  const lost = onLost === undefined ? {} : { onLost };
  // A large table takes minutes, in which nothing else is heard of the start.
  const onMigration = (step: Step) => log.notice('the database is migrated before anything is served', step);
  const open = () => openDatabase({ databaseUrl, dataDir, mustBeThere, clock, random, onMigration, ...lost });
  const db = await inFolderOf('DATA_DIR', open);
  try {
    await refuseOtherLasting(db.read, ground.root);
    return await houseOn(ground, db);
  } catch (fault) {
    await db.close();
    throw fault;
  }
}

/** The same in another thread of a process that has opened it; `port` is what `Db.share` gave there. */
export async function joinHouse(ground: Omit<Ground, 'onLost'>, port: MessagePort | undefined): Promise<House> {
  const { settings, random } = ground;
  const { dataDir } = settings;
  const db = await joinDatabase({ databaseUrl: settings.databaseUrl?.reveal(), dataDir, random }, port);
  return await houseOn(ground, db);
}

/** The house on a database that is open. */
export async function houseOn({ settings, root, timer, random, log, ...given }: Ground, db: Db): Promise<House> {
  const time = await keepTime({ ...given, db });
  const clock = rememberingLatest(time.clock);
  const claim: Claim = async (statement) => (await db.write([statement]))[0] ?? [];
  const onStep = (byMs: number) => log.fault('clock', new Error(stepOf(byMs)));
  const citizenKeys = createCitizenKeys(db.read, root, random, clock);
  return {
    settings,
    clock,
    openedAt: clock.now(),
    lookAtClock: time.look,
    isClockSure: createClockDoubt({
      ...given,
      clock,
      read: db.read,
      claim,
      onStep,
      onSetRight: async (right) => {
        // Seldom needed, and much to load for a command.
        const { bringBack } = await import('./compose/waits.ts');
        await bringBack({ ...db, claim }, right);
      },
    }),
    timer,
    random,
    log,
    db,
    root,
    citizenKeys,
    mint: createMint(clock, random),
    commit: createCommit(db, citizenKeys, random),
    claim,
    register: openRegister({ settings, clock, timer, log }, db),
    close: () => db.close(),
  };
}

function stepOf(byMs: number): string {
  const hours = Math.round(byMs / 3_600_000);
  if (byMs < 0)
    return `the clock is ${Math.round(-byMs / 1_000)} s behind where it was: it was ahead then, or is behind now; see that it is kept by NTP`;
  return `no server looked at the clock for ${hours} h, or it has gone ahead by that: nothing is deleted for being old for a day; set it right if it is wrong`;
}

/** The signing keys, and who may call. */
export type Access = { readonly keys: SigningKeys; readonly clients: ClientView };

/** Opens the keys; `makeKeys` only for the demo, since a server that makes keys by itself may split in two. */
export async function openAccess(house: House, makeKeys: boolean): Promise<Access> {
  const room = { db: house.db, root: house.root, clock: house.clock };
  if (makeKeys) await createMissingSigningKeys(room, house.random);
  const keys = await openSigningKeys(room);
  for (const use of ['access-token', 'result'] as const) keys.current(use);
  return { keys, clients: createClientView(house.db.read, house.clock) };
}

type RegisterGround = Pick<Ground, 'settings' | 'clock' | 'timer' | 'log'>;

/** Our own tables, or the register that the operator names; in a sandbox with the citizen who is played. */
function openRegister(ground: RegisterGround, db: Db): Register {
  const register = realRegister(ground, db);
  return ground.settings.simulators === true ? withUnavailableCitizen(register) : register;
}

function realRegister({ settings, clock, timer, log }: RegisterGround, db: Db): Register {
  if (settings.registerUrl === undefined) return embeddedRegister(db.read);
  const url = new URL(settings.registerUrl.reveal());
  const onFault = (fault: Error) => log.fault('register', fault);
  return httpRegister({ url, fetch, timer, clock, onFault });
}
