import { setTimeout as pause } from 'node:timers/promises';

/**
 * Checks a condition repeatedly until it holds, for actions of another process. The interval grows from 20 ms to 520 ms, so
 * that a long wait stays below the rate limits of the server. Throws after `timeoutMs`.
 */
export async function waitUntil(condition: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const startedAt = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`expected the condition to hold within ${timeoutMs} ms`);
    await pause(20 + Math.min(waitedMs / 10, 500));
  }
}

const [dayMs, nearMs] = [86_400_000, 30_000];

/** Waits for the next day (UTC) if this one ends within 30 seconds. For tests of daily limits. */
export async function waitPastMidnight(): Promise<void> {
  const untilMidnightMs = dayMs - (Date.now() % dayMs);
  if (untilMidnightMs < nearMs) await pause(untilMidnightMs + 100);
}
