import { setTimeout as pause } from 'node:timers/promises';

const [dayMs, nearMs] = [86_400_000, 30_000];

/** Waits for the next day (UTC) if this one ends within 30 seconds. For tests of daily limits. */
export async function waitPastMidnight(): Promise<void> {
  const untilMidnightMs = dayMs - (Date.now() % dayMs);
  if (untilMidnightMs < nearMs) await pause(untilMidnightMs + 100);
}
