import { maxClockSkewMs } from '../db/database-clock.ts';
import type { AppContext } from './app-context.ts';

/** Compares the machine's clock with the one that counts, and that with the last look, each minute; tells the operator when they come to be apart. */
export function watchClock({
  lookAtClock,
  isClockSure,
  log,
}: Pick<AppContext, 'lookAtClock' | 'isClockSure' | 'log'>): () => Promise<void> {
  let apart = false;
  return async () => {
    const ahead = await lookAtClock();
    // It tells of steps by itself.
    await isClockSure();
    const wasApart = apart;
    apart = Math.abs(ahead) > maxClockSkewMs;
    if (!apart || wasApart) return;
    const direction = ahead > 0 ? 'ahead of' : 'behind';
    const seconds = Math.round(Math.abs(ahead) / 1_000);
    const what = `this clock is ${seconds} s ${direction} that of PostgreSQL, which counts: see that clocks are kept by NTP, as by chrony`;
    log.fault('clock', new Error(what));
  };
}
