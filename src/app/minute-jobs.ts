import { deleteExpiredResults } from '../api/idempotency.ts';
import { deleteOldClientUse } from '../auth/client-use-store.ts';
import { repeatEvery, startupDelayMs } from '../jobs/repeat-every.ts';
import type { AppContext } from './app-context.ts';
import { watchClock } from './watch-clock.ts';

type MinuteJobOptions = {
  /** Completes unfinished erasures (erasure.ts); absent in the threads that help the first one. */
  readonly erasures?: (() => Promise<void>) | undefined;
  /** Whether this process deletes the expired responses of idempotency keys and old counts. */
  readonly cleans: boolean;
};

const hourMs = 3_600_000;

/**
 * Starts the jobs of each minute: they check the clock, read a root key that is being rotated, remove unused keys from memory, and
 * repeat erasures that the database has lost. The clock is checked at once too. Each hour, expired responses and old counts of use are
 * deleted.
 */
export function startMinuteJobs(app: AppContext, { erasures, cleans }: MinuteJobOptions): { stop(): Promise<unknown> } {
  const { log, timer, root, citizenKeys, random, clock } = app;
  const minutely = (name: string, call: () => Promise<void>) =>
    repeatEvery({ timer, everyMs: 60_000, call, onFault: (fault) => log.fault(name, fault) });
  const checkClock = watchClock(app);
  const first = checkClock().catch((fault: unknown) => log.fault('clock', fault));
  const parts = [
    minutely('ledger', async () => citizenKeys.evictUnused()),
    minutely('root-key', async () => root.refresh()),
    minutely('clock', checkClock),
  ];
  if (erasures !== undefined) parts.push(minutely('erasure', erasures));
  if (cleans) {
    const call = async () => {
      if (!(await app.isClockSure())) return;
      await deleteExpiredResults(app.claim, clock.now());
      await app.claim(deleteOldClientUse(clock.now()));
    };
    const onFault = (fault: unknown) => log.fault('idempotency', fault);
    parts.push(repeatEvery({ timer, everyMs: hourMs, firstMs: startupDelayMs(random), call, onFault }));
  }
  return { stop: () => Promise.all([first, ...parts.map((part) => part.stop())]) };
}
