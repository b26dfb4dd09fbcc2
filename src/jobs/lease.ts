import { ageOf, type Clock } from '../kernel/clock.ts';
import type { Statement } from '../store/db.ts';
import type { Claim } from './claim.ts';
import { repeat } from './repeat.ts';
import type { Timer } from './timer.ts';

/** The name of the lease that a worker instance holds for as long as it lives; claimed jobs carry it. */
export type WorkerLease = `worker/${string}`;

type Ask = { readonly name: string; readonly holder: string; readonly now: number; readonly leaseMs: number };

/** Clocks of processes that work together agree far better than that. */
const clocksApartMs = 60_000;

/**
 * Takes or renews a lease: a row comes back exactly where it is held now. `fence` grows with each change of holder, so
 * that what an earlier holder still sends can be told from the present one's. A lease that is held for longer than any
 * can be was taken by a clock that has been set back since: it has run out.
 */
export function takeLease({ name, holder, now, leaseMs }: Ask): Statement {
  return {
    sql: `insert into lease (name, holder, fence, held_until) values ($1, $2, 1, $4)
      on conflict (name) do update set holder = excluded.holder, held_until = excluded.held_until,
        fence = case when lease.holder = excluded.holder then lease.fence else lease.fence + 1 end
      where lease.holder = excluded.holder or lease.held_until <= $3 or lease.held_until > $5
      returning fence`,
    args: [name, holder, now, now + leaseMs, now + leaseMs + clocksApartMs],
  };
}

/** Gives a lease back before its time, so that the next one need not wait; its fence stays. */
export function giveBackLease(name: string, holder: string): Statement {
  return {
    sql: 'update lease set held_until = 0 where name = $1 and holder = $2 returning name',
    args: [name, holder],
  };
}

/**
 * Ends the leases of all worker instances. For the start of a database that only one process can have open: whoever
 * held them is gone, and what they had taken can be recovered at once.
 */
export const endWorkerLeases: Statement = {
  sql: "delete from lease where name >= 'worker/' and name < 'worker0' returning name",
};

/** Forgets the leases of worker instances that ran out by then: each instance has a name of its own. */
export function forgetWorkerLeases(ranOutBy: number): Statement {
  return {
    sql: "delete from lease where name >= 'worker/' and name < 'worker0' and held_until <= $1 returning name",
    args: [ranOutBy],
  };
}

export type LeaseParts = {
  readonly claim: Claim;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly name: string;
  readonly holder: string;
  /** How long the lease lasts without being renewed; it is renewed after a quarter of that. */
  readonly leaseMs: number;
  onFault(fault: unknown): void;
};

export type Lease = {
  /** The fence while the lease is held by the clock of this process; undefined when it is not. */
  fence(): number | undefined;
  /**
   * Whether others whose lease ran out may be taken for dead. Where ours ran out too, this process stood still or its
   * clock was set forward, and theirs may look so for the same reason: all get the length of a lease to renew. They get
   * half of that from a new holder: the database may have been away, and nobody could renew.
   */
  mayJudge(): Promise<boolean>;
  /** Resolves when no renewal is at work. */
  idle(): Promise<void>;
  /** Stops renewing; with `giveBack`, the next holder need not wait. */
  end(options: { giveBack: boolean }): Promise<void>;
};

/** Takes a lease and keeps it renewed; where another holds it, tries again at each renewal time. */
export async function keepLease(parts: LeaseParts): Promise<Lease> {
  const { claim, clock, timer, name, holder, leaseMs } = parts;
  let held: { readonly fence: number; readonly until: number } | undefined;
  let patience = { since: clock.now(), ms: leaseMs / 2 };

  async function renew(): Promise<void> {
    const now = clock.now();
    if (held !== undefined && now >= held.until) patience = { since: now, ms: leaseMs };
    const [row] = await claim(takeLease({ name, holder, now, leaseMs }));
    held = row === undefined ? undefined : { fence: Number(row['fence']), until: now + leaseMs };
  }

  const fence = () => (held !== undefined && clock.now() < held.until ? held.fence : undefined);
  await renew();
  const renewing = repeat({ timer, everyMs: leaseMs / 4, onFault: parts.onFault, call: renew });
  return {
    fence,
    mayJudge: async () => {
      if (fence() === undefined) await renew();
      // Either way: a clock that is set back must not make it wait longer.
      return ageOf(patience.since, clock) >= patience.ms;
    },
    idle: renewing.idle,
    end: async ({ giveBack }) => {
      await renewing.stop();
      held = undefined;
      if (giveBack) await claim(giveBackLease(name, holder));
    },
  };
}
