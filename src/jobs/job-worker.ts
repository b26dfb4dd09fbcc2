import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { randomFraction } from './back-off.ts';
import { createCallTimeout, timedOut } from './call-timeout.ts';
import { type ClaimBackOff, createClaimBackOff } from './claim-back-off.ts';
import type { Timer } from './timer.ts';

/** A queue of durable jobs, as the worker uses it. */
export type JobQueue<Job> = {
  /** When the next job is due, in epoch ms; undefined when none waits. The worker calls it before each claim. */
  nextDueAt(): Promise<number | undefined>;
  /** Claims at most `limit` due jobs, so that no other worker claims them. */
  claim(limit: number): Promise<readonly Job[]>;
  /** Runs one job to its end. After a rejection the queue must recover the job. */
  run(job: Job): Promise<void>;
};

/** The queue, the limits (numbers of jobs) and the times (milliseconds) of a job worker. */
export type JobWorkerDeps<Job> = {
  readonly queue: JobQueue<Job>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: RandomBytes;
  /** The most jobs that run at once. */
  readonly concurrency: number;
  /** The most jobs of one claim. */
  readonly batch: number;
  /** Lower limits while more urgent work runs; called before each claim. */
  readonly reducedLimits?: () => Pick<JobWorkerDeps<Job>, 'concurrency' | 'batch'> | undefined;
  /** The longest sleep, after which the worker finds jobs that another process added. */
  readonly pollMs: number;
  onFault(fault: unknown): void;
};

/** A running worker. */
export type JobWorker = {
  /** Checks the queue at once; call it when this process has added a job. */
  wake(): void;
  /** Resolves when no job runs and none is due. */
  idle(): Promise<void>;
  /** Claims nothing more. Resolves with true when all running jobs have ended, with false after `withinMs`. */
  stop(withinMs: number): Promise<boolean>;
};

/** The pause after the queue could not be read or claimed. */
const faultPauseMs = 1_000;
/** The pause after another worker claimed the due jobs first. */
const contendedPauseMs = 50;

/** Starts the loop that claims due jobs in batches and runs them. It wakes by `wake`, at the next due time, or to poll. */
export function startJobWorker<Job>(deps: JobWorkerDeps<Job>): JobWorker {
  const worker = new Worker(deps);
  // Callers pass these functions on without the object.
  return { wake: () => worker.wake(), idle: () => worker.idle(), stop: (withinMs) => worker.stop(withinMs) };
}

class Worker<Job> {
  readonly #deps: JobWorkerDeps<Job>;
  readonly #running = new Set<Promise<void>>();
  readonly #wakeSignal = createWakeSignal();
  readonly #backOff: ClaimBackOff;
  readonly #loopEnded: Promise<void>;
  #stopping = false;
  #stopTimedOut = false;
  #asleep = false;
  #idleWaiters: Array<() => void> = [];

  constructor(deps: JobWorkerDeps<Job>) {
    this.#deps = deps;
    this.#backOff = createClaimBackOff(deps.timer, this.#wakeSignal.notify);
    this.#loopEnded = this.#loop();
  }

  wake(): void {
    this.#wakeSignal.notify();
  }

  idle(): Promise<void> {
    return this.#isIdle() ? Promise.resolve() : new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  async stop(withinMs: number): Promise<boolean> {
    this.#stopping = true;
    this.#backOff.stop();
    this.#wakeSignal.notify();
    const ended = this.#loopEnded.then(() => Promise.all(this.#running));
    this.#stopTimedOut = (await createCallTimeout(this.#deps.timer, withinMs).waitFor(ended)) === timedOut;
    this.#notifyIdle();
    return !this.#stopTimedOut;
  }

  async #loop(): Promise<void> {
    while (!this.#stopping) {
      this.#wakeSignal.reset();
      const sleepMs = await this.#step().catch((fault: unknown) => {
        this.#deps.onFault(fault);
        this.#backOff.pause(faultPauseMs);
        return Number.POSITIVE_INFINITY;
      });
      if (sleepMs === 0 || this.#stopping) continue;
      this.#asleep = true;
      this.#notifyIdle();
      await this.#wakeSignal.wait(sleepMs, this.#deps.timer);
      this.#asleep = false;
    }
  }

  /** Claims and starts due jobs once; returns how many milliseconds to sleep afterwards. */
  async #step(): Promise<number> {
    const { queue, clock, pollMs, random } = this.#deps;
    const { concurrency, batch, minFree } = limitsOf(this.#deps);
    const free = concurrency - this.#running.size;
    if (this.#backOff.isPaused()) return Number.POSITIVE_INFINITY;
    // Polls, because no signal comes when `reducedLimits` ends, and the running jobs may take long.
    if (free < minFree) return pollMs;
    const dueAt = await queue.nextDueAt();
    if (this.#stopping) return 0;
    const waitMs = (dueAt ?? Number.POSITIVE_INFINITY) - clock.now();
    if (waitMs > 0) return Math.min(waitMs, pollMs * (0.8 + 0.4 * randomFraction(random)));
    const jobs = await queue.claim(Math.min(batch, free));
    if (this.#stopTimedOut) return 0;
    const ended = this.#backOff.trackClaim(jobs.length);
    for (const job of jobs) this.#start(job, ended);
    return jobs.length === 0 ? contendedPauseMs : 0;
  }

  #start(job: Job, ended: (succeeded: boolean) => void): void {
    const task = this.#runSucceeds(job).then((succeeded) => {
      this.#running.delete(task);
      ended(succeeded);
      // There is room for another claim, or nothing runs and the last jobs may have requeued themselves.
      const { concurrency, minFree } = limitsOf(this.#deps);
      if (this.#running.size === concurrency - minFree || this.#running.size === 0) this.#wakeSignal.notify();
      this.#notifyIdle();
    });
    this.#running.add(task);
  }

  async #runSucceeds(job: Job): Promise<boolean> {
    try {
      await this.#deps.queue.run(job);
      return true;
    } catch (fault) {
      this.#deps.onFault(fault);
      return false;
    }
  }

  #isIdle(): boolean {
    return this.#running.size === 0 && (this.#stopping || (this.#asleep && !this.#wakeSignal.isNotified()));
  }

  #notifyIdle(): void {
    if (!this.#isIdle()) return;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of waiters) resolve();
  }
}

function limitsOf<Job>(deps: JobWorkerDeps<Job>) {
  const { concurrency, batch } = deps.reducedLimits?.() ?? deps;
  // A claim of one job costs a transaction: wait until there is room for several.
  return { concurrency, batch, minFree: Math.max(1, Math.min(batch, Math.floor(concurrency / 2))) };
}

type WakeSignal = {
  notify(): void;
  reset(): void;
  isNotified(): boolean;
  /** Resolves at the next `notify`, at once if there was one since `reset`, or after `withinMs`. */
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
