import {
  deleteFreeWorkerLeases,
  holdLease,
  type Lease,
  type LeaseDeps,
  type WorkerLease,
  workerLeasePattern,
} from '../../jobs/lease.ts';
import type { RandomBytes } from '../../kernel/clock.ts';

/** The lease under which this process claims jobs. */
export type WorkerIdentity = {
  /** The name of the current lease. */
  name(): Promise<WorkerLease>;
  /**
   * Stops the renewal of that lease, and continues under a new one. Called when the response to a claim or a completion was
   * lost: jobs may then be locked by this process although nobody works on them. Recovery treats them like those of a dead
   * process.
   */
  abandonLease(name: string): void;
  /** Resolves when no renewal is running. */
  idle(): Promise<void>;
  /** Ends the lease; with `release` at once, unless it was abandoned. */
  end(release: boolean): Promise<void>;
};

type WorkerIdentityDeps = Omit<LeaseDeps, 'name' | 'holder' | 'watchedPattern'> & { readonly random: RandomBytes };

/** Takes a lease with a new name, and renews it until it is abandoned or ended. */
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
    end: (release) => current.lease.stop({ release: release && !isAbandoned }),
  };
}

function newLeaseName(random: RandomBytes): WorkerLease {
  return `worker/${Buffer.from(random(12)).toString('hex')}`;
}
