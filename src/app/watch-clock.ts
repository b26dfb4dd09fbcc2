import { maxClockSkewMs } from '../db/database-clock.ts';
import type { AppContext } from './app-context.ts';

class ClockError extends Error {
  override readonly name = 'ClockError';
}

/**
 * Returns a check of the clock, for each minute. It logs once that this clock differs from that of PostgreSQL by seconds, and
 * once that deletion is paused because the clock jumped ahead.
 */
export function watchClock({
  lookAtClock,
  isClockSure,
  log,
}: Pick<AppContext, 'lookAtClock' | 'isClockSure' | 'log'>): () => Promise<void> {
  let wasSkewed = false;
  let wasTrusted = true;
  return async () => {
    const skewMs = await lookAtClock();
    const isTrusted = await isClockSure();
    if (!isTrusted && wasTrusted) log.fault('clock', new ClockError(pausedMessage));
    wasTrusted = isTrusted;
    const isSkewed = Math.abs(skewMs) > maxClockSkewMs;
    if (isSkewed && !wasSkewed) log.fault('clock', new ClockError(skewMessage(skewMs)));
    wasSkewed = isSkewed;
  };
}

const pausedMessage =
  'the clock jumped ahead by more than a day, or no server ran for that long: the server deletes no old data for a day. Correct the clock, or run: citizen-services clock confirm';

function skewMessage(skewMs: number): string {
  const direction = skewMs > 0 ? 'later' : 'earlier';
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  return `this clock is ${seconds} s ${direction} than the clock of PostgreSQL, which the server uses. Check that NTP synchronises the clocks, for example with chrony`;
}
