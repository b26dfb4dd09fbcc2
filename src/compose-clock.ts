import type { Log } from './api/log.ts';
import type { Clock } from './kernel/clock.ts';
import { aheadOfDatabase } from './store/database-clock.ts';
import type { Db } from './store/db.ts';

/** The clock of this process beside the one that it shares with the others. */
export type ClockWatch = {
  /** By how many milliseconds it was ahead at the last look; negative where it was behind. */
  aheadMs(): number;
  /** What the clock of the others says. */
  readonly shared: Clock;
  /** Looks anew; called each minute. */
  look(): Promise<void>;
};

/** Processes agree on time within seconds. */
const mostSkewMs = 5_000;

/** Watches it, and tells the operator when the two come to be apart. */
export function createClockWatch({ db, clock, log }: { db: Db; clock: Clock; log: Log }): ClockWatch {
  let ahead = 0;
  return {
    aheadMs: () => ahead,
    shared: { now: () => clock.now() - ahead },
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
