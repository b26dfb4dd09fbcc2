import { performance } from 'node:perf_hooks';

const busyShare = 0.8;

/** Tells at each call whether the event loop of this thread was at work for most of the time since the one before. */
export function createBusyLook(): () => boolean {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization >= busyShare;
  };
}
