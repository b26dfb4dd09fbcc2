import { createCallTimeout, timedOut } from '../jobs/call-timeout.ts';
import type { AppContext } from './app-context.ts';

/** How long unfinished work may take, in milliseconds. A part that takes longer is abandoned a little later. */
export const shutdownTimeoutMs = 25_000;
const abandonAfterMs = 27_000;

class ShutdownTimeout extends Error {
  override readonly name = 'ShutdownTimeout';
}

/** Stops one part after the other. A part that fails or takes too long is logged, and does not affect the others. */
export async function stopAll(
  { log, timer }: Pick<AppContext, 'log' | 'timer'>,
  parts: readonly (() => Promise<unknown> | undefined)[],
): Promise<void> {
  const limit = createCallTimeout(timer, abandonAfterMs);
  for (const stop of parts) {
    try {
      if ((await limit.waitFor(Promise.resolve(stop()))) === timedOut)
        throw new ShutdownTimeout(`a part of the server did not stop within ${limit.ms} ms`);
    } catch (fault) {
      log.fault('stop', fault);
    }
  }
}
