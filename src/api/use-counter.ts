import { addClientUse, useDayOf } from '../auth/client-use-store.ts';
import type { Database } from '../db/database.ts';
import type { Timer } from '../jobs/timer.ts';
import type { Clock } from '../kernel/clock.ts';

/** Counts the requests of each client by operation and outcome. */
export type UseCounter = {
  count(clientId: string, operation: string, outcome: string): void;
  /** Stores the counts of this process. */
  flush(): Promise<void>;
};

type UseCounterDeps = {
  readonly db: Pick<Database, 'write'>;
  readonly clock: Clock;
  readonly timer: Timer;
  onFault(fault: unknown): void;
};

/** Counts are stored at most this long after their request. */
const flushAfterMs = 10_000;

/** Creates the counter of a process. It counts in memory, so that a request needs no further write. A crash loses a few seconds. */
export function createUseCounter({ db, clock, timer, onFault }: UseCounterDeps): UseCounter {
  let counts = new Map<string, number>();
  let cancelFlush: (() => void) | undefined;

  async function flush(): Promise<void> {
    cancelFlush?.();
    cancelFlush = undefined;
    const counted = counts;
    counts = new Map();
    if (counted.size === 0) return;
    // Sorted, so that two processes never deadlock.
    const entries = [...counted].sort(([one], [other]) => (one < other ? -1 : 1));
    try {
      await db.write(entries.map(([key, requests]) => addClientUse({ ...useOf(key), requests })));
    } catch (fault) {
      // Not added again: after a lost connection the write may have succeeded.
      onFault(fault);
    }
  }

  return {
    count(clientId, operation, outcome) {
      const key = `${clientId}\0${useDayOf(clock.now())}\0${operation}\0${outcome}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      cancelFlush ??= timer(flushAfterMs, () => void flush());
    },
    flush,
  };
}

function useOf(key: string) {
  const [clientId = '', day = '', operation = '', outcome = ''] = key.split('\0');
  return { clientId, day: Number(day), operation, outcome };
}
