import type { Clock, Random } from '../kernel/clock.ts';
import { fraction } from './back-off.ts';
import { createLimit, late } from './limit.ts';
import { createPauses } from './pauses.ts';
import type { Timer } from './timer.ts';

/** A queue of durable jobs, as the worker sees it. */
export type Queue<Job> = {
  /** When the next job falls due, in epoch ms; undefined when none waits. A read: it is asked before every claim. */
  nextDueAt(): Promise<number | undefined>;
  /** Takes at most `limit` due jobs, so that no other worker takes them. */
  claim(limit: number): Promise<readonly Job[]>;
  /** Does one job to its end. A rejection is told to `onFault`; the job itself is then the queue's to recover. */
  run(job: Job): Promise<void>;
};

export type WorkerParts<Job> = {
  readonly queue: Queue<Job>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  /** How many jobs run at once. */
  readonly concurrency: number;
  /** How many are taken in one claim. */
  readonly batch: number;
  /** Asked before every claim: fewer of both, while something else is more urgent. */
  readonly spare?: () => Pick<WorkerParts<Job>, 'concurrency' | 'batch'> | undefined;
  /** The longest sleep: how soon a job is seen that another process has added. */
  readonly pollMs: number;
  onFault(fault: unknown): void;
};

export type Worker = {
  /** Looks at the queue at once; called when this process has added a job. */
  wake(): void;
  /** Resolves when nothing runs and nothing is due. */
  idle(): Promise<void>;
  /** Takes nothing more, and resolves when all that runs has ended (true) or the time is over (false). */
  stop(withinMs: number): Promise<boolean>;
};

/** How long the queue is left alone after it could not be read or claimed. */
const faultPauseMs = 1_000;
const takenPauseMs = 50;

/** Starts the loop that takes due jobs in batches and runs them, woken by `wake`, by the next due time, or by polling. */
export function startWorker<Job>(parts: WorkerParts<Job>): Worker {
  const running = new Set<Promise<void>>();
  const bell = createBell();
  const pauses = createPauses(parts.timer, bell.ring);
  let stopping = false;
  let leftBehind = false;
  let asleep = false;
  let quiet: Array<() => void> = [];

  const isQuiet = () => running.size === 0 && (stopping || (asleep && !bell.rung()));
  const tellQuiet = () => {
    if (!isQuiet()) return;
    const waiting = quiet;
    quiet = [];
    for (const resolve of waiting) resolve();
  };

  function start(run: Promise<void>, ended: (succeeded: boolean) => void): void {
    const task = succeeds(run, parts.onFault).then((succeeded) => {
      running.delete(task);
      ended(succeeded);
      // Room for more; or, as nothing runs any more, a look at what the last jobs put back for later.
      const { concurrency, roomToClaim } = roomOf(parts);
      if (running.size === concurrency - roomToClaim || running.size === 0) bell.ring();
      tellQuiet();
    });
    running.add(task);
  }

  async function step(): Promise<number> {
    const { concurrency, batch, roomToClaim } = roomOf(parts);
    const free = concurrency - running.size;
    if (pauses.lasts()) return Number.POSITIVE_INFINITY;
    // Looked at again by polling: room that `spare` gives back rings no bell, and the jobs that run may take long.
    if (free < roomToClaim) return parts.pollMs;
    const dueAt = await parts.queue.nextDueAt();
    if (stopping) return 0;
    const waitMs = (dueAt ?? Number.POSITIVE_INFINITY) - parts.clock.now();
    if (waitMs > 0) return Math.min(waitMs, parts.pollMs * (0.8 + 0.4 * fraction(parts.random)));
    const jobs = await parts.queue.claim(Math.min(batch, free));
    if (leftBehind) return 0;
    const ended = pauses.ofClaim(jobs.length);
    for (const job of jobs) start(parts.queue.run(job), ended);
    // What was due and could not be taken is at hand with another worker.
    return jobs.length === 0 ? takenPauseMs : 0;
  }

  async function loop(): Promise<void> {
    while (!stopping) {
      bell.reset();
      const sleepMs = await step().catch((fault: unknown) => {
        parts.onFault(fault);
        pauses.begin(faultPauseMs);
        return Number.POSITIVE_INFINITY;
      });
      if (sleepMs === 0 || stopping) continue;
      asleep = true;
      tellQuiet();
      await bell.heard(sleepMs, parts.timer);
      asleep = false;
    }
  }

  const loops = loop();
  return {
    wake: () => bell.ring(),
    idle: () => (isQuiet() ? Promise.resolve() : new Promise((resolve) => quiet.push(resolve))),
    stop: async (withinMs) => {
      stopping = true;
      pauses.end();
      bell.ring();
      const ended = loops.then(() => Promise.all(running));
      leftBehind = (await createLimit(parts.timer, withinMs).hold(ended)) === late;
      tellQuiet();
      return !leftBehind;
    },
  };
}

async function succeeds(run: Promise<void>, onFault: (fault: unknown) => void): Promise<boolean> {
  try {
    await run;
    return true;
  } catch (fault) {
    onFault(fault);
    return false;
  }
}

function roomOf<Job>(parts: WorkerParts<Job>) {
  const { concurrency, batch } = parts.spare?.() ?? parts;
  // Claiming one job at a time would cost a transaction each: wait until there is room for several.
  return { concurrency, batch, roomToClaim: Math.max(1, Math.min(batch, Math.floor(concurrency / 2))) };
}

type Bell = {
  ring(): void;
  reset(): void;
  rung(): boolean;
  /** Resolves when it rings, or has rung since `reset`, or after that time. */
  heard(withinMs: number, timer: Timer): Promise<void>;
};

function createBell(): Bell {
  let hasRung = false;
  let listener: (() => void) | undefined;
  const ring = () => {
    hasRung = true;
    listener?.();
  };
  return {
    ring,
    reset: () => {
      hasRung = false;
    },
    rung: () => hasRung,
    heard: (withinMs, timer) =>
      new Promise((resolve) => {
        if (hasRung) return resolve();
        const cancel = Number.isFinite(withinMs) ? timer(withinMs, ring) : undefined;
        listener = () => {
          listener = undefined;
          cancel?.();
          resolve();
        };
      }),
  };
}
