import { maxClockSkewMs } from '../db/database-clock.ts';
import type { AppContext } from './app-context.ts';

class ClockError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ClockError';
  }
}

/**
 * Checks the clock; call it each minute. Logs once when this machine differs from the clock of PostgreSQL by seconds, and once
 * when deletion is paused because the clock jumped ahead.
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
  'the clock jumped ahead by more than a day, or no server ran for that long: deletion of old data is paused for a day; correct the clock, or run: citizen-services clock confirm';

function skewMessage(skewMs: number): string {
  const direction = skewMs > 0 ? 'ahead of' : 'behind';
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  return `this clock is ${seconds} s ${direction} that of PostgreSQL, which counts: see that clocks are kept by NTP, as by chrony`;
}
