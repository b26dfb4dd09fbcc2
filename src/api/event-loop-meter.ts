import { performance } from 'node:perf_hooks';

/** Returns a function that reports the share (0 to 1) of the time since its previous call in which the event loop of this thread was active. */
export function createEventLoopMeter(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
