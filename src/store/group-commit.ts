import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../kernel/clock.ts';
import { type Row, type Statement, WriteBusy, WriteRefused, WriteUnknown } from './db.ts';
import { faultOf, type Texts } from './statement-texts.ts';

/** A unit on its way, with the promise of its caller. */
export type Pending = {
  readonly unit: readonly Statement[];
  resolve(rows: Row[][]): void;
  reject(error: Error): void;
};

/** Units that met a transient fault: nothing of them is stored, and they may run again. */
export type Unstored = { readonly units: readonly Pending[]; readonly because: string };

/** What a lane gives back when it has settled every unit. */
export const allSettled: Unstored = { units: [], because: '' };

/** Commits a batch and settles its units, but for those that it gives back. `attempt` counts from 0. */
export type Lane = (batch: readonly Pending[], attempt: number) => Promise<Unstored>;

export type GroupCommitOptions = {
  readonly lanes: readonly Lane[];
  /** The most units that share one commit. */
  readonly batchLimit: number;
  readonly texts: Texts;
  readonly random: Random;
};

/** The units of all callers, committed in groups: one sync to disk for as many as came in one turn of the event loop. */
export type GroupCommit = {
  write(unit: readonly Statement[]): Promise<Row[][]>;
  /** Refuses new units and resolves when those that came before are settled. */
  close(): Promise<void>;
};

const highestWaitingCount = 20_000;
const highestRetryCount = 3;

export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const idle = [...options.lanes].reverse();
  let waiting: Pending[] = [];
  let scheduled = false;
  let closed: (() => void) | undefined;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || idle.length === 0) return;
    scheduled = true;
    setImmediate(flush);
  }

  function flush(): void {
    scheduled = false;
    while (waiting.length > 0) {
      const lane = idle.pop();
      if (lane === undefined) return;
      const batch = waiting.slice(0, options.batchLimit);
      waiting = waiting.slice(options.batchLimit);
      void runBatch(lane, batch, options.random).then(() => {
        idle.push(lane);
        schedule();
        closeWhenDone();
      });
    }
  }

  function closeWhenDone(): void {
    if (waiting.length === 0 && idle.length === options.lanes.length) closed?.();
  }

  function write(unit: readonly Statement[]): Promise<Row[][]> {
    if (closed !== undefined) return Promise.reject(new WriteBusy('the database is closed'));
    if (waiting.length >= highestWaitingCount) return Promise.reject(new WriteBusy('too many units wait'));
    const fault = faultOfUnit(unit, options.texts);
    if (fault !== undefined) return Promise.reject(fault);
    if (unit.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      waiting.push({ unit, resolve, reject });
      schedule();
    });
  }

  return {
    write,
    close: () =>
      new Promise((resolve) => {
        const before = closed;
        closed = () => {
          before?.();
          resolve();
        };
        closeWhenDone();
      }),
  };
}

function faultOfUnit(unit: readonly Statement[], texts: Texts): WriteRefused | undefined {
  for (const [index, statement] of unit.entries()) {
    const fault = faultOf(statement, texts(statement.sql));
    if (fault !== undefined) return new WriteRefused('other', index, fault);
  }
  return undefined;
}

async function runBatch(lane: Lane, batch: readonly Pending[], random: Random): Promise<void> {
  let rest: Unstored = { units: batch, because: '' };
  try {
    for (let attempt = 0; attempt <= highestRetryCount; attempt += 1) {
      if (attempt > 0) await pause(jitterMs(attempt, random));
      rest = await lane(rest.units, attempt);
      if (rest.units.length === 0) return;
    }
    const busy = `nothing is stored after ${highestRetryCount + 1} tries: ${rest.because}`;
    for (const pending of rest.units) pending.reject(new WriteBusy(busy));
  } catch (cause) {
    // A lane settles its units itself; one that throws leaves it open what is stored.
    for (const pending of rest.units) pending.reject(new WriteUnknown('the writer failed', { cause }));
  }
}

function jitterMs(attempt: number, random: Random): number {
  const [byte = 0] = random(1);
  return 2 * 3 ** attempt * (1 + byte / 128);
}
