import { createCallTimeout, timedOut } from '../jobs/call-timeout.ts';
import type { AppContext } from './app-context.ts';

/** How long what is in hand may take to its end, in milliseconds; a part that does not keep to it is left behind a little later. */
export const shutdownTimeoutMs = 25_000;
const abandonAfterMs = 27_000;

/** Ends one part after the other; a part that cannot end well (its database is gone) is told and does not keep the others. */
export async function stopAll(
  { log, timer }: Pick<AppContext, 'log' | 'timer'>,
  parts: readonly (() => Promise<unknown> | undefined)[],
): Promise<void> {
  const limit = createCallTimeout(timer, abandonAfterMs);
  for (const stop of parts) {
    try {
      if ((await limit.waitFor(Promise.resolve(stop()))) === timedOut)
        throw new Error(`a part of the server did not end within ${limit.ms} ms`);
    } catch (fault) {
      log.fault('stop', fault);
    }
  }
}
