import type { Statement } from '../db/database.ts';
import { integerField, textField } from '../db/row-fields.ts';
import { repeatEvery } from './repeat-every.ts';
import type { Timer } from './timer.ts';
import type { WriteWithoutEvent } from './write-without-event.ts';

/** The name of the lease that a worker instance holds for as long as it lives; claimed jobs carry it. */
export type WorkerLease = `worker/${string}`;

/** The leases of all worker instances, as a pattern of `like`. */
export const workerLeasePattern = 'worker/%';

/**
 * Takes a lease that is free, or renews one's own: a row comes back exactly where it is held now. `fence` grows with each
 * change of holder, so that what an earlier holder still sends can be told from the present one's.
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

/** Gives a lease back, so that the next one need not wait; its fence stays. */
export function releaseLease(name: string, holder: string): Statement {
  return { sql: "update lease set holder = '' where name = $1 and holder = $2 returning name", args: [name, holder] };
}

/** Frees a lease that was not renewed since it was looked at. */
function expireLease({ name, renewals }: ObservedLease): Statement {
  return {
    sql: "update lease set holder = '' where name = $1 and renewals = $2 returning name",
    args: [name, renewals],
  };
}

/**
 * Frees all leases. For the start of a database that only one process can have open: whoever held them is gone, and
 * what they had taken can be recovered at once.
 */
export const releaseAllLeases: Statement = { sql: "update lease set holder = '' where holder <> '' returning name" };

/** Forgets the leases of worker instances that ended: each instance has a name of its own, and one that lives takes it anew. */
export const deleteFreeWorkerLeases: Statement = {
  sql: "delete from lease where name like $1 and holder = '' returning name",
  args: [workerLeasePattern],
};

export type LeaseDeps = {
  readonly claim: WriteWithoutEvent;
  readonly timer: Timer;
  readonly name: string;
  readonly holder: string;
  /** The leases that the holder looks at, as a pattern of `like`; all of them last as long as its own. */
  readonly watchedPattern: string;
  /** How long the lease lasts without being renewed; it is renewed after a quarter of that. */
  readonly leaseMs: number;
  /** Milliseconds that never go back. */
  readonly stopwatch?: () => number;
  onFault(fault: unknown): void;
};

export type Lease = {
  /** The fence while the lease is held; undefined when it is not. */
  fence(): number | undefined;
  /** Resolves when no renewal is at work. */
  idle(): Promise<void>;
  /** Stops renewing; with `giveBack`, the next holder need not wait. */
  stop(options: { release: boolean }): Promise<void>;
};

/** A lease is renewed so often in its length, and has ended when as many looks in a row found it as it was. */
const renewalsPerLease = 4;

/** How a lease was found, and in how many looks before this one. */
type ObservedLease = { readonly name: string; readonly renewals: number; readonly unchangedLooks: number };

/**
 * Takes a lease and keeps it renewed; where another holds it, tries again at each renewal time. With each renewal it looks
 * at those of the others. Looks are counted and no clock is asked: clocks need not agree, and a process that stood still
 * has looked only once. A look counts once the own renewal behind it went through: while that fails, nobody else can renew.
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

/** Looks once more, and frees what has ended. As writes go: slow reads, which it would wait behind, cost nobody a lease. */
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
    return { name, renewals, unchangedLooks: last?.renewals === renewals ? last.unchangedLooks + 1 : 0 };
  });
  for (const lease of found) if (lease.unchangedLooks >= renewalsPerLease) await claim(expireLease(lease));
  return new Map(found.map((lease) => [lease.name, lease]));
}
