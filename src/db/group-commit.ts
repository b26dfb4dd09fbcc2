import { setTimeout as pause } from 'node:timers/promises';
import type { RandomBytes } from '../kernel/clock.ts';
import { type Row, type Statement, WriteBusy, WriteQueueFull, WriteRefused, WriteUnknown } from './database.ts';
import { type StatementTexts, validateStatement } from './statement-texts.ts';

/** A unit that is not settled yet, with the promise of its caller. */
export type PendingUnit = {
  readonly unit: readonly Statement[];
  resolve(rows: Row[][]): void;
  reject(error: Error): void;
};

/** Units that met a transient fault. Nothing of them is stored, and they can run again. */
export type RetryableUnits = { readonly units: readonly PendingUnit[]; readonly reason: string };

/** A committer returns this when it has settled every unit. */
export const nothingToRetry: RetryableUnits = { units: [], reason: '' };

/** Commits a batch and settles its units, except those that it returns. `attempt` counts from 0. */
export type BatchCommitter = (batch: readonly PendingUnit[], attempt: number) => Promise<RetryableUnits>;

type GroupCommitOptions = {
  readonly committers: readonly BatchCommitter[];
  /** The most units of one commit. */
  readonly maxBatchUnits: number;
  readonly texts: StatementTexts;
  readonly random: RandomBytes;
};

/** Commits the units of all callers in groups: one sync to disk for the units of one tick of the event loop. */
type GroupCommit = {
  write(unit: readonly Statement[]): Promise<Row[][]>;
  /** Rejects new units, and resolves when the earlier ones are settled. */
  close(): Promise<void>;
};

const maxWaitingUnits = 20_000;
const maxRetries = 3;

/** Each committer has one batch at a time. Units wait for an idle committer, up to 20,000 of them. */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const idle = [...options.committers].reverse();
  let waiting: PendingUnit[] = [];
  let scheduled = false;
  let closed: PromiseWithResolvers<void> | undefined;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || idle.length === 0) return;
    scheduled = true;
    setImmediate(flush);
  }

  function flush(): void {
    scheduled = false;
    while (waiting.length > 0) {
      const committer = idle.pop();
      if (committer === undefined) return;
      const batch = waiting.slice(0, options.maxBatchUnits);
      waiting = waiting.slice(options.maxBatchUnits);
      void runBatch(committer, batch, options.random).then(() => {
        idle.push(committer);
        schedule();
        closeWhenDone();
      });
    }
  }

  function closeWhenDone(): void {
    if (waiting.length === 0 && idle.length === options.committers.length) closed?.resolve();
  }

  function write(unit: readonly Statement[]): Promise<Row[][]> {
    if (closed !== undefined) return Promise.reject(new WriteBusy('the database is closed'));
    if (waiting.length >= maxWaitingUnits) {
      return Promise.reject(new WriteQueueFull(`expected at most ${maxWaitingUnits} waiting units; try again later`));
    }
    const fault = validateUnit(unit, options.texts);
    if (fault !== undefined) return Promise.reject(fault);
    if (unit.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      waiting.push({ unit, resolve, reject });
      schedule();
    });
  }

  return {
    write,
    close: () => {
      closed ??= Promise.withResolvers();
      closeWhenDone();
      return closed.promise;
    },
  };
}

function validateUnit(unit: readonly Statement[], texts: StatementTexts): WriteRefused | undefined {
  for (const [index, statement] of unit.entries()) {
    const fault = validateStatement(statement, texts(statement.sql));
    if (fault !== undefined) return new WriteRefused('other', index, fault);
  }
  return undefined;
}

async function runBatch(committer: BatchCommitter, batch: readonly PendingUnit[], random: RandomBytes): Promise<void> {
  let remaining: RetryableUnits = { units: batch, reason: '' };
  try {
    for (let attempt = 0; attempt <= maxRetries; attempt += 1) {
      if (attempt > 0) await pause(jitterMs(attempt, random));
      remaining = await committer(remaining.units, attempt);
      if (remaining.units.length === 0) return;
    }
    const busy = `nothing is stored after ${maxRetries + 1} tries: ${remaining.reason}`;
    for (const pending of remaining.units) pending.reject(new WriteBusy(busy));
  } catch (cause) {
    // A committer settles its units itself. If it throws, it is unknown what is stored.
    for (const pending of remaining.units) pending.reject(new WriteUnknown('the writer failed', { cause }));
  }
}

function jitterMs(attempt: number, random: RandomBytes): number {
  const [byte = 0] = random(1);
  return 2 * 3 ** attempt * (1 + byte / 128);
}
