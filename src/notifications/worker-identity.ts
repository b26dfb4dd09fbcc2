import { forgetWorkerLeases, keepLease, type Lease, type LeaseParts, type WorkerLease } from '../jobs/lease.ts';
import type { Random } from '../kernel/clock.ts';

/** Under which lease this process takes jobs. */
export type WorkerIdentity = {
  /** The lease under which jobs are claimed now. */
  name(): Promise<WorkerLease>;
  /**
   * Lets that lease run out, and goes on under a new one. For when jobs may be locked by us that nobody works on (the
   * answer of a claim or of an outcome was lost): recovery then treats them like those of a dead process.
   */
  leaveBehind(name: string): void;
  /** Whether the jobs of other leases that ran out may be recovered; see `Lease.mayJudge`. */
  mayJudge(): Promise<boolean>;
  /** Resolves when no renewal is at work. */
  idle(): Promise<void>;
  end(giveBack: boolean): Promise<void>;
};

type IdentityParts = Omit<LeaseParts, 'name' | 'holder'> & { readonly random: Random };

/** Whoever lives has renewed its lease within that time; one that did not would make it anew. */
const forgottenAfterMs = 86_400_000;

/** Takes a lease of a new name, and keeps it until it is left behind or ended. */
export async function createWorkerIdentity(parts: IdentityParts): Promise<WorkerIdentity> {
  const begin = async () => {
    const name = newName(parts.random);
    await parts.claim(forgetWorkerLeases(parts.clock.now() - forgottenAfterMs));
    return { name, lease: await keepLease({ ...parts, name, holder: name }) };
  };
  let current: { readonly name: WorkerLease; readonly lease: Lease } = await begin();
  let leftBehind = false;
  let changing: Promise<void> | undefined;
  const change = async () => {
    const old = current;
    current = await begin();
    leftBehind = false;
    await old.lease.end({ giveBack: false });
  };
  return {
    name: async () => {
      if (leftBehind) {
        changing ??= change().finally(() => {
          changing = undefined;
        });
        await changing;
      }
      return current.name;
    },
    leaveBehind: (name) => {
      leftBehind ||= name === current.name;
    },
    mayJudge: () => current.lease.mayJudge(),
    idle: () => current.lease.idle(),
    end: (giveBack) => current.lease.end({ giveBack: giveBack && !leftBehind }),
  };
}

function newName(random: Random): WorkerLease {
  return `worker/${Buffer.from(random(12)).toString('hex')}`;
}
