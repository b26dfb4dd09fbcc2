import type { Log } from './api/log.ts';
import type { Clock } from './kernel/clock.ts';
import { aheadOfDatabase, mostSkewMs } from './store/database-clock.ts';
import type { Db } from './store/db.ts';

/** The clock that the processes of an installation share, as far as this one knows it. */
export type ClockWatch = {
  readonly sharedClock: Clock;
  /** Looks anew by how much our own differs from it; called each minute. */
  look(): Promise<void>;
};

/** Watches it, and tells the operator when the clock of this process comes to be apart from it. */
export function createClockWatch({ db, clock, log }: { db: Db; clock: Clock; log: Log }): ClockWatch {
  let ahead = 0;
  return {
    sharedClock: { now: () => clock.now() - ahead },
    look: async () => {
      const wasApart = Math.abs(ahead) > mostSkewMs;
      ahead = await aheadOfDatabase(db, clock);
      if (wasApart || Math.abs(ahead) <= mostSkewMs) return;
      const direction = ahead > 0 ? 'ahead of' : 'behind';
      const seconds = Math.round(Math.abs(ahead) / 1_000);
      const what = `this clock is ${seconds} s ${direction} that of PostgreSQL: see that clocks are kept by NTP, as by chrony`;
      log.fault('clock', new Error(what));
    },
  };
}
