import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { randomFraction } from './back-off.ts';
import { createCallTimeout, timedOut } from './call-timeout.ts';
import { createClaimBackOff } from './claim-back-off.ts';
import type { Timer } from './timer.ts';

/** A queue of durable jobs, as the worker sees it. */
export type JobQueue<Job> = {
  /** When the next job falls due, in epoch ms; undefined when none waits. A read: it is asked before every claim. */
  nextDueAt(): Promise<number | undefined>;
  /** Takes at most `limit` due jobs, so that no other worker takes them. */
  claim(limit: number): Promise<readonly Job[]>;
  /** Does one job to its end. A rejection is told to `onFault`; the job itself is then the queue's to recover. */
  run(job: Job): Promise<void>;
};

export type JobWorkerDeps<Job> = {
  readonly queue: JobQueue<Job>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: RandomBytes;
  /** How many jobs run at once. */
  readonly concurrency: number;
  /** How many are taken in one claim. */
  readonly batch: number;
  /** Asked before every claim: fewer of both, while something else is more urgent. */
  readonly reducedLimits?: () => Pick<JobWorkerDeps<Job>, 'concurrency' | 'batch'> | undefined;
  /** The longest sleep: how soon a job is seen that another process has added. */
  readonly pollMs: number;
  onFault(fault: unknown): void;
};

export type JobWorker = {
  /** Looks at the queue at once; called when this process has added a job. */
  wake(): void;
  /** Resolves when nothing runs and nothing is due. */
  idle(): Promise<void>;
  /** Takes nothing more, and resolves when all that runs has ended (true) or the time is over (false). */
  stop(withinMs: number): Promise<boolean>;
};

/** How long the queue is left alone after it could not be read or claimed. */
const faultPauseMs = 1_000;
const contendedPauseMs = 50;

/** Starts the loop that takes due jobs in batches and runs them, woken by `wake`, by the next due time, or by polling. */
export function startJobWorker<Job>(deps: JobWorkerDeps<Job>): JobWorker {
  const running = new Set<Promise<void>>();
  const wakeSignal = createWakeSignal();
  const backOff = createClaimBackOff(deps.timer, wakeSignal.notify);
  let stopping = false;
  let stopTimedOut = false;
  let asleep = false;
  let idleWaiters: Array<() => void> = [];

  const isIdle = () => running.size === 0 && (stopping || (asleep && !wakeSignal.isNotified()));
  const notifyIdle = () => {
    if (!isIdle()) return;
    const waiting = idleWaiters;
    idleWaiters = [];
    for (const resolve of waiting) resolve();
  };

  function start(run: Promise<void>, ended: (succeeded: boolean) => void): void {
    const task = runSucceeds(run, deps.onFault).then((succeeded) => {
      running.delete(task);
      ended(succeeded);
      // Room for more; or, as nothing runs any more, a look at what the last jobs put back for later.
      const { concurrency, roomToClaim } = capacityOf(deps);
      if (running.size === concurrency - roomToClaim || running.size === 0) wakeSignal.notify();
      notifyIdle();
    });
    running.add(task);
  }

  async function step(): Promise<number> {
    const { concurrency, batch, roomToClaim } = capacityOf(deps);
    const free = concurrency - running.size;
    if (backOff.isPaused()) return Number.POSITIVE_INFINITY;
    // Looked at again by polling: room that `spare` gives back rings no bell, and the jobs that run may take long.
    if (free < roomToClaim) return deps.pollMs;
    const dueAt = await deps.queue.nextDueAt();
    if (stopping) return 0;
    const waitMs = (dueAt ?? Number.POSITIVE_INFINITY) - deps.clock.now();
    if (waitMs > 0) return Math.min(waitMs, deps.pollMs * (0.8 + 0.4 * randomFraction(deps.random)));
    const jobs = await deps.queue.claim(Math.min(batch, free));
    if (stopTimedOut) return 0;
    const ended = backOff.trackClaim(jobs.length);
    for (const job of jobs) start(deps.queue.run(job), ended);
    // What was due and could not be taken is at hand with another worker.
    return jobs.length === 0 ? contendedPauseMs : 0;
  }

  async function loop(): Promise<void> {
    while (!stopping) {
      wakeSignal.reset();
      const sleepMs = await step().catch((fault: unknown) => {
        deps.onFault(fault);
        backOff.pause(faultPauseMs);
        return Number.POSITIVE_INFINITY;
      });
      if (sleepMs === 0 || stopping) continue;
      asleep = true;
      notifyIdle();
      await wakeSignal.wait(sleepMs, deps.timer);
      asleep = false;
    }
  }

  const loopEnded = loop();
  return {
    wake: () => wakeSignal.notify(),
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
    stop: async (withinMs) => {
      stopping = true;
      backOff.stop();
      wakeSignal.notify();
      const ended = loopEnded.then(() => Promise.all(running));
      stopTimedOut = (await createCallTimeout(deps.timer, withinMs).waitFor(ended)) === timedOut;
      notifyIdle();
      return !stopTimedOut;
    },
  };
}

async function runSucceeds(run: Promise<void>, onFault: (fault: unknown) => void): Promise<boolean> {
  try {
    await run;
    return true;
  } catch (fault) {
    onFault(fault);
    return false;
  }
}

function capacityOf<Job>(deps: JobWorkerDeps<Job>) {
  const { concurrency, batch } = deps.reducedLimits?.() ?? deps;
  // Claiming one job at a time would cost a transaction each: wait until there is room for several.
  return { concurrency, batch, roomToClaim: Math.max(1, Math.min(batch, Math.floor(concurrency / 2))) };
}

type WakeSignal = {
  notify(): void;
  reset(): void;
  isNotified(): boolean;
  /** Resolves when it rings, or has rung since `reset`, or after that time. */
  wait(withinMs: number, timer: Timer): Promise<void>;
};

function createWakeSignal(): WakeSignal {
  let notified = false;
  let listener: (() => void) | undefined;
  const notify = () => {
    notified = true;
    listener?.();
  };
  return {
    notify,
    reset: () => {
      notified = false;
    },
    isNotified: () => notified,
    wait: (withinMs, timer) =>
      new Promise((resolve) => {
        if (notified) return resolve();
        const cancel = Number.isFinite(withinMs) ? timer(withinMs, notify) : undefined;
        listener = () => {
          listener = undefined;
          cancel?.();
          resolve();
        };
      }),
  };
}
