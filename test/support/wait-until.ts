import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks again and again until it is so, for what another process does: at first 20 ms apart and then ever more rarely, so that a slow
 * machine is not asked more often than a person may ask. Throws after `withinMs`.
 */
export async function waitUntil(condition: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const startedAt = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`it did not come to be so within ${timeoutMs} ms`);
    await pause(20 + Math.min(waitedMs / 10, 500));
  }
}
