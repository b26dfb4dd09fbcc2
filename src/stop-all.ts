import type { House } from './compose.ts';
import { createLimit, late } from './jobs/limit.ts';

/** How long what is in hand may take to its end, in milliseconds; a part that does not keep to it is left behind a little later. */
export const stopWithinMs = 25_000;
const leftBehindMs = 27_000;

/** Ends one part after the other; a part that cannot end well (its database is gone) is told and does not keep the others. */
export async function stopAll(
  { log, timer }: Pick<House, 'log' | 'timer'>,
  parts: readonly (() => Promise<unknown> | undefined)[],
): Promise<void> {
  const within = createLimit(timer, leftBehindMs);
  for (const stop of parts) {
    try {
      if ((await within.hold(Promise.resolve(stop()))) === late)
        throw new Error(`a part of the server did not end within ${within.ms} ms`);
    } catch (fault) {
      log.fault('stop', fault);
    }
  }
}
