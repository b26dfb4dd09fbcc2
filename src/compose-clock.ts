import type { House } from './compose.ts';
import { mostSkewMs } from './store/database-clock.ts';

/** Compares the machine's clock with the one that counts, each minute, and tells the operator when it comes to be apart. */
export function watchClock({ lookAtClock, log }: Pick<House, 'lookAtClock' | 'log'>): () => Promise<void> {
  let apart = false;
  return async () => {
    const ahead = await lookAtClock();
    const wasApart = apart;
    apart = Math.abs(ahead) > mostSkewMs;
    if (!apart || wasApart) return;
    const direction = ahead > 0 ? 'ahead of' : 'behind';
    const seconds = Math.round(Math.abs(ahead) / 1_000);
    const what = `this clock is ${seconds} s ${direction} that of PostgreSQL, which counts: see that clocks are kept by NTP, as by chrony`;
    log.fault('clock', new Error(what));
  };
}
