import type { Statement } from '../store/db.ts';
import { textField, wholeField } from '../store/row-fields.ts';
import type { Claim } from './claim.ts';
import { repeat } from './repeat.ts';
import type { Timer } from './timer.ts';

/** The name of the lease that a worker instance holds for as long as it lives; claimed jobs carry it. */
export type WorkerLease = `worker/${string}`;

/** The leases of all worker instances, as a pattern of `like`. */
export const workerLeases = 'worker/%';

/**
 * Takes a lease that is free, or renews one's own: a row comes back exactly where it is held now. `fence` grows with each
 * change of holder, so that what an earlier holder still sends can be told from the present one's.
 */
export function takeLease(name: string, holder: string): Statement {
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
export function giveBackLease(name: string, holder: string): Statement {
  return { sql: "update lease set holder = '' where name = $1 and holder = $2 returning name", args: [name, holder] };
}

/** Frees a lease that was not renewed since it was looked at. */
function endLease({ name, renewals }: Seen): Statement {
  return {
    sql: "update lease set holder = '' where name = $1 and renewals = $2 returning name",
    args: [name, renewals],
  };
}

/**
 * Frees all leases. For the start of a database that only one process can have open: whoever held them is gone, and
 * what they had taken can be recovered at once.
 */
export const endLeases: Statement = { sql: "update lease set holder = '' where holder <> '' returning name" };

/** Forgets the leases of worker instances that ended: each instance has a name of its own, and one that lives takes it anew. */
export const forgetWorkerLeases: Statement = {
  sql: "delete from lease where name like $1 and holder = '' returning name",
  args: [workerLeases],
};

export type LeaseParts = {
  readonly claim: Claim;
  readonly timer: Timer;
  readonly name: string;
  readonly holder: string;
  /** The leases that the holder looks at, as a pattern of `like`; all of them last as long as its own. */
  readonly watched: string;
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
  end(options: { giveBack: boolean }): Promise<void>;
};

/** A lease is renewed so often in its length, and has ended when as many looks in a row found it as it was. */
const renewalsOfALease = 4;

/** How a lease was found, and in how many looks before this one. */
type Seen = { readonly name: string; readonly renewals: number; readonly before: number };

/**
 * Takes a lease and keeps it renewed; where another holds it, tries again at each renewal time. With each renewal it looks
 * at those of the others. Looks are counted and no clock is asked: clocks need not agree, and a process that stood still
 * has looked only once. A look counts once the own renewal behind it went through: while that fails, nobody else can renew.
 */
export async function keepLease(parts: LeaseParts): Promise<Lease> {
  const { claim, timer, name, holder, leaseMs, stopwatch = () => performance.now() } = parts;
  let held: { readonly fence: number; readonly until: number } | undefined;
  let seen: ReadonlyMap<string, Seen> = new Map();

  async function renew(): Promise<void> {
    const before = seen;
    seen = new Map();
    const found = await look(parts, before);
    const until = stopwatch() + leaseMs;
    const [row] = await claim(takeLease(name, holder));
    held = row === undefined ? undefined : { fence: wholeField(row, 'fence'), until };
    seen = found;
  }

  await renew();
  const renewing = repeat({ timer, everyMs: leaseMs / renewalsOfALease, onFault: parts.onFault, call: renew });
  return {
    fence: () => (held !== undefined && stopwatch() < held.until ? held.fence : undefined),
    idle: renewing.idle,
    end: async ({ giveBack }) => {
      await renewing.stop();
      held = undefined;
      if (giveBack) await claim(giveBackLease(name, holder));
    },
  };
}

/** Looks once more, and frees what has ended. As writes go: slow reads, which it would wait behind, cost nobody a lease. */
async function look({ claim, watched }: LeaseParts, seen: ReadonlyMap<string, Seen>): Promise<Map<string, Seen>> {
  const rows = await claim({
    sql: "select name, renewals from lease where name like $1 and holder <> ''",
    args: [watched],
  });
  const found = rows.map((row): Seen => {
    const [name, renewals] = [textField(row, 'name'), wholeField(row, 'renewals')];
    const last = seen.get(name);
    return { name, renewals, before: last?.renewals === renewals ? last.before + 1 : 0 };
  });
  for (const lease of found) if (lease.before >= renewalsOfALease) await claim(endLease(lease));
  return new Map(found.map((lease) => [lease.name, lease]));
}
