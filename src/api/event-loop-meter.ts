import { performance } from 'node:perf_hooks';
import { blockedMs } from '../jobs/timer.ts';

/**
 * Tells at each call for what share of the time since the one before, from 0 to 1, the event loop of this thread was at work.
 * What the thread slept between two turns is no work, though the loop counts it as such.
 */
export function createEventLoopMeter(): () => number {
  let before = performance.eventLoopUtilization();
  let nappedBefore = blockedMs();
  return () => {
    const now = performance.eventLoopUtilization();
    const { active, idle } = performance.eventLoopUtilization(now, before);
    const napped = blockedMs() - nappedBefore;
    before = now;
    nappedBefore += napped;
    const totalMs = active + idle;
    return totalMs > 0 ? Math.max(0, active - napped) / totalMs : 0;
  };
}
