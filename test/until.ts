import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again, 20 ms apart, until it is so; for what another process does. Throws after `withinMs`. */
export async function until(isSo: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  for (const deadline = performance.now() + withinMs; !(await isSo()); await pause(20)) {
    if (performance.now() > deadline) throw new Error(`it did not come to be so within ${withinMs} ms`);
  }
}
