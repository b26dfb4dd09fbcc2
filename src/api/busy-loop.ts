import { performance } from 'node:perf_hooks';
import { nappedMs } from '../jobs/timer.ts';

/**
 * Tells at each call for what share of the time since the one before, from 0 to 1, the event loop of this thread was at work.
 * What the thread slept between two turns is no work, though the loop counts it as such.
 */
export function createBusyShare(): () => number {
  let before = performance.eventLoopUtilization();
  let nappedBefore = nappedMs();
  return () => {
    const now = performance.eventLoopUtilization();
    const { active, idle } = performance.eventLoopUtilization(now, before);
    const napped = nappedMs() - nappedBefore;
    before = now;
    nappedBefore += napped;
    const lasted = active + idle;
    return lasted > 0 ? Math.max(0, active - napped) / lasted : 0;
  };
}
