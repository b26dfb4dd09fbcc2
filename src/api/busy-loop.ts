import { performance } from 'node:perf_hooks';
import { nappedMs } from '../jobs/timer.ts';

/**
 * Tells at each call whether the event loop of this thread was at work for that share of the time since the one before. What
 * the thread slept between two turns is no work, though the loop counts it as such.
 */
export function createBusyLook(share: number): () => boolean {
  let before = performance.eventLoopUtilization();
  let nappedBefore = nappedMs();
  return () => {
    const now = performance.eventLoopUtilization();
    const { active, idle } = performance.eventLoopUtilization(now, before);
    const napped = nappedMs() - nappedBefore;
    before = now;
    nappedBefore += napped;
    return active - napped >= share * (active + idle);
  };
}
