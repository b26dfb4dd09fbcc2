import type { Settings } from '../config/settings.ts';
import type { RootKey } from '../crypto/root-key.ts';
import type { Database } from '../db/database.ts';
import type { Timer } from '../jobs/timer.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import type { Committer, EventType } from '../ledger/commit.ts';
import type { Log } from './log.ts';
import type { Gauge, Metrics } from './metrics.ts';
import type { BoundOperation } from './operation.ts';

/** Dependencies of every slice. The `…Deps` type of each slice adds its own. */
export type SliceDeps = Committer & {
  readonly settings: Settings;
  /** The time of the installation: on PostgreSQL, the time of the database. */
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: RandomBytes;
  readonly createId: IdGenerator;
  readonly log: Log;
  readonly db: Database;
  readonly root: RootKey;
  readonly citizenKeys: CitizenKeys;
  /** For claims and leases only: they change no citizen's data, so they have no event. */
  readonly claim: WriteWithoutEvent;
  /** When this process opened the database, in epoch milliseconds: nothing that it stores is older. */
  readonly openedAt: number;
  /** Compares the machine's clock with `clock`, and returns by how many milliseconds it is ahead. */
  readonly lookAtClock: () => Promise<number>;
  /** Whether the clock is reliable enough to delete what is too old. */
  readonly isClockSure: () => Promise<boolean>;
};

/** Work that a process with the worker role does besides answering requests. */
export type Job = {
  readonly name: string;
  /** The events after which the job may have something to do. The app wakes it, even for an event of another thread of the process. */
  readonly wakeOn?: readonly EventType[];
  start(): Promise<RunningJob> | RunningJob;
};

export type RunningJob = {
  /** Looks for work at once: in these queues (`Effect.queues`), or in all. */
  wake?(queues?: ReadonlySet<string>): void;
  /** Takes nothing new and finishes what it has, within `deadlineMs`. */
  stop(deadlineMs: number): Promise<unknown>;
  /** Figures that only a process with this job can give. */
  readonly gauges?: readonly Gauge[];
};

/** A domain slice, as `src/app/create-app.ts` assembles it. */
export type Slice = {
  readonly operations: readonly BoundOperation[];
  readonly jobs: readonly Job[];
  registerMetrics(metrics: Metrics): void;
  /** Checks at the start. One that rejects ends the start; others report what the operator should fix. */
  readonly checks: readonly StartupCheck[];
};

/** A check that the first thread of each process runs; with `onlyWorker`, only in a process with the worker role. */
export type StartupCheck = { readonly onlyWorker?: true; run(): Promise<void> | void };
