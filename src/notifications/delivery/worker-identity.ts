import {
  deleteFreeWorkerLeases,
  holdLease,
  type Lease,
  type LeaseDeps,
  type WorkerLease,
  workerLeasePattern,
} from '../../jobs/lease.ts';
import type { RandomBytes } from '../../kernel/clock.ts';

/** Under which lease this process takes jobs. */
export type WorkerIdentity = {
  /** The lease under which jobs are claimed now. */
  name(): Promise<WorkerLease>;
  /**
   * Lets that lease run out, and goes on under a new one. For when jobs may be locked by us that nobody works on (the
   * answer of a claim or of an outcome was lost): recovery then treats them like those of a dead process.
   */
  abandonLease(name: string): void;
  /** Resolves when no renewal is at work. */
  idle(): Promise<void>;
  end(giveBack: boolean): Promise<void>;
};

type WorkerIdentityDeps = Omit<LeaseDeps, 'name' | 'holder' | 'watchedPattern'> & { readonly random: RandomBytes };

/** Takes a lease of a new name, and keeps it until it is left behind or ended. */
export async function createWorkerIdentity(deps: WorkerIdentityDeps): Promise<WorkerIdentity> {
  const takeLease = async () => {
    const name = newLeaseName(deps.random);
    await deps.claim(deleteFreeWorkerLeases);
    return { name, lease: await holdLease({ ...deps, name, holder: name, watchedPattern: workerLeasePattern }) };
  };
  let current: { readonly name: WorkerLease; readonly lease: Lease } = await takeLease();
  let isAbandoned = false;
  let changing: Promise<void> | undefined;
  const renewIdentity = async () => {
    const old = current;
    current = await takeLease();
    isAbandoned = false;
    await old.lease.stop({ release: false });
  };
  return {
    name: async () => {
      if (isAbandoned) {
        changing ??= renewIdentity().finally(() => {
          changing = undefined;
        });
        await changing;
      }
      return current.name;
    },
    abandonLease: (name) => {
      isAbandoned ||= name === current.name;
    },
    idle: () => current.lease.idle(),
    end: (giveBack) => current.lease.stop({ release: giveBack && !isAbandoned }),
  };
}

function newLeaseName(random: RandomBytes): WorkerLease {
  return `worker/${Buffer.from(random(12)).toString('hex')}`;
}
