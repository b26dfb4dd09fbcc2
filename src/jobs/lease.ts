import type { Read, Statement } from '../db/database.ts';
import { integerField, textField } from '../db/row-fields.ts';
import { repeatEvery } from './repeat-every.ts';
import type { Timer } from './timer.ts';
import type { WriteWithoutEvent } from './write-without-event.ts';

/** The name of the lease of a running worker instance; the jobs that it claims carry it. */
export type WorkerLease = `worker/${string}`;

/** Matches the leases of all worker instances (`like`). */
export const workerLeasePattern = 'worker/%';

/**
 * Acquires a free lease, or renews the holder's own: it returns a row exactly if `holder` now holds the lease. `fence` is the
 * fencing token: it grows with each change of holder, so that late writes of an earlier holder can be rejected.
 */
export function acquireLease(name: string, holder: string): Statement {
  return {
    sql: `insert into lease (name, holder, fence, renewals) values ($1, $2, 1, 0)
      on conflict (name) do update set holder = excluded.holder, renewals = lease.renewals + 1,
        fence = case when lease.holder = excluded.holder then lease.fence else lease.fence + 1 end
      where lease.holder in (excluded.holder, '')
      returning fence`,
    args: [name, holder],
  };
}

/** Releases a lease, so that the next holder need not wait; its fencing token stays. */
export function releaseLease(name: string, holder: string): Statement {
  return { sql: "update lease set holder = '' where name = $1 and holder = $2 returning name", args: [name, holder] };
}

/** Frees a lease that was not renewed since it was observed. */
function expireLease({ name, renewals }: ObservedLease): Statement {
  return {
    sql: "update lease set holder = '' where name = $1 and renewals = $2 returning name",
    args: [name, renewals],
  };
}

/**
 * Frees all leases, at the start of a database that only one process can open: all holders have ended, and their jobs can be
 * recovered at once.
 */
export const releaseAllLeases: Statement = { sql: "update lease set holder = '' where holder <> '' returning name" };

/** Stores a row, for the check of readiness: a free lease that counts its renewals. */
export const countReadinessCheck: Statement = {
  sql: `insert into lease (name, holder, fence, renewals) values ('readiness', '', 1, 0)
    on conflict (name) do update set renewals = lease.renewals + 1 returning name`,
};

/** Deletes the free leases of worker instances. Each instance has its own name, and a live one acquires its lease again. */
export const deleteFreeWorkerLeases: Statement = {
  sql: "delete from lease where name like $1 and holder = '' returning name",
  args: [workerLeasePattern],
};

/** Another process uses the database, so its schema must not be changed. */
class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

/** Each process with the role worker or sequencer renews a lease every 1.5 s or more often. */
const observationMs = 3_000;
const observationStepMs = 250;

/**
 * Rejects if another process renews a lease: it runs on the current schema, and would meet the new one. Processes that have ended
 * without releasing their lease do not count. A process with the role `api` only has no lease, and is not found.
 */
export async function refuseLiveLeases(read: Read, pause: (ms: number) => Promise<unknown>): Promise<void> {
  const before = await readRenewals(read);
  for (let waitedMs = 0; before.size > 0 && waitedMs < observationMs; waitedMs += observationStepMs) {
    await pause(observationStepMs);
    const renewed = [...(await readRenewals(read))].filter(([name, renewals]) => before.get(name) !== renewals);
    if (renewed.length > 0)
      throw new DatabaseInUse(
        `expected no other process on this database during its migration, found ${renewed.length} that run: stop all processes of the earlier version, or run \`citizen-services start --migrate-while-running\``,
      );
  }
}

async function readRenewals(read: Read): Promise<ReadonlyMap<string, number>> {
  const rows = await read("select name, renewals from lease where holder <> ''");
  return new Map(rows.map((row) => [textField(row, 'name'), integerField(row, 'renewals')]));
}

/** The lease, its holder and its times, for `holdLease`. */
export type LeaseDeps = {
  readonly claim: WriteWithoutEvent;
  readonly timer: Timer;
  readonly name: string;
  readonly holder: string;
  /** The leases that this holder observes (`like`). All of them must last `leaseMs`. */
  readonly watchedPattern: string;
  /** How long the lease lasts without a renewal. It is renewed after each quarter. */
  readonly leaseMs: number;
  /** A monotonic clock in milliseconds; `performance.now` by default. */
  readonly stopwatch?: () => number;
  onFault(fault: unknown): void;
};

/** A lease that is renewed until it is stopped. */
export type Lease = {
  /** The fencing token while the lease is held; undefined otherwise. */
  fence(): number | undefined;
  /** Resolves when no renewal runs. */
  idle(): Promise<void>;
  /** Stops renewing. With `release`, the next holder need not wait. */
  stop(options: { release: boolean }): Promise<void>;
};

/**
 * A lease is renewed this many times in its length. It has expired when this many consecutive observations found no renewal.
 */
const renewalsPerLease = 4;

/** A lease as it was observed, and how many earlier observations found the same `renewals`. */
type ObservedLease = { readonly name: string; readonly renewals: number; readonly unchangedCount: number };

/**
 * Acquires a lease and renews it. If another holds it, tries again at each renewal time. Each renewal also observes the other
 * leases, and frees those that have expired. It counts observations and compares no clocks: clocks can differ, and a suspended
 * process has observed only once. An observation counts only after the holder's own renewal was written: while that fails,
 * nobody else can renew either.
 */
export async function holdLease(deps: LeaseDeps): Promise<Lease> {
  const { claim, timer, name, holder, leaseMs, stopwatch = () => performance.now() } = deps;
  let held: { readonly fence: number; readonly until: number } | undefined;
  let seen: ReadonlyMap<string, ObservedLease> = new Map();

  async function renew(): Promise<void> {
    const before = seen;
    seen = new Map();
    const found = await expireStaleLeases(deps, before);
    const until = stopwatch() + leaseMs;
    const [row] = await claim(acquireLease(name, holder));
    held = row === undefined ? undefined : { fence: integerField(row, 'fence'), until };
    seen = found;
  }

  await renew();
  const renewing = repeatEvery({ timer, everyMs: leaseMs / renewalsPerLease, onFault: deps.onFault, call: renew });
  return {
    fence: () => (held !== undefined && stopwatch() < held.until ? held.fence : undefined),
    idle: renewing.idle,
    stop: async ({ release }) => {
      await renewing.stop();
      held = undefined;
      if (release) await claim(releaseLease(name, holder));
    },
  };
}

/**
 * Observes the leases, and frees expired ones. It reads through the write path: a slow read connection would otherwise cost a
 * lease.
 */
async function expireStaleLeases(
  { claim, watchedPattern }: LeaseDeps,
  seen: ReadonlyMap<string, ObservedLease>,
): Promise<Map<string, ObservedLease>> {
  const rows = await claim({
    sql: "select name, renewals from lease where name like $1 and holder <> ''",
    args: [watchedPattern],
  });
  const found = rows.map((row): ObservedLease => {
    const [name, renewals] = [textField(row, 'name'), integerField(row, 'renewals')];
    const last = seen.get(name);
    return { name, renewals, unchangedCount: last?.renewals === renewals ? last.unchangedCount + 1 : 0 };
  });
  for (const lease of found) if (lease.unchangedCount >= renewalsPerLease) await claim(expireLease(lease));
  return new Map(found.map((lease) => [lease.name, lease]));
}
