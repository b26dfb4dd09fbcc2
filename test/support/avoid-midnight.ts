import { setTimeout as pause } from 'node:timers/promises';

const [dayMs, nearMs] = [86_400_000, 30_000];

/** Waits for the next day (UTC) where this one is about to end: for a test of what may be done so often on one day. */
export async function waitPastMidnight(): Promise<void> {
  const untilMidnightMs = dayMs - (Date.now() % dayMs);
  if (untilMidnightMs < nearMs) await pause(untilMidnightMs + 100);
}
