import {
  forgetWorkerLeases,
  keepLease,
  type Lease,
  type LeaseParts,
  type WorkerLease,
  workerLeases,
} from '../../jobs/lease.ts';
import type { Random } from '../../kernel/clock.ts';

/** Under which lease this process takes jobs. */
export type WorkerIdentity = {
  /** The lease under which jobs are claimed now. */
  name(): Promise<WorkerLease>;
  /**
   * Lets that lease run out, and goes on under a new one. For when jobs may be locked by us that nobody works on (the
   * answer of a claim or of an outcome was lost): recovery then treats them like those of a dead process.
   */
  leaveBehind(name: string): void;
  /** Resolves when no renewal is at work. */
  idle(): Promise<void>;
  end(giveBack: boolean): Promise<void>;
};

type IdentityParts = Omit<LeaseParts, 'name' | 'holder' | 'watched'> & { readonly random: Random };

/** Takes a lease of a new name, and keeps it until it is left behind or ended. */
export async function createWorkerIdentity(parts: IdentityParts): Promise<WorkerIdentity> {
  const begin = async () => {
    const name = newName(parts.random);
    await parts.claim(forgetWorkerLeases);
    return { name, lease: await keepLease({ ...parts, name, holder: name, watched: workerLeases }) };
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
    idle: () => current.lease.idle(),
    end: (giveBack) => current.lease.end({ giveBack: giveBack && !leftBehind }),
  };
}

function newName(random: Random): WorkerLease {
  return `worker/${Buffer.from(random(12)).toString('hex')}`;
}
