import { createLog, type Log } from './api/log.ts';
import { type House, openHouse } from './compose.ts';
import type { Settings } from './config/settings.ts';
import { rootKeyPath } from './first-root-key.ts';
import { systemTimer } from './jobs/timer.ts';
import { systemClock, systemRandom } from './kernel/system-clock.ts';
import { readRootKey } from './keys/root-key-file.ts';

/** The log of a command: faults only, people read the rest. */
function quietLog(): Log {
  return createLog('error');
}

/** Opens the house of these settings for one command, and closes it behind it. Only `mayBegin` makes a database where none is. */
export async function withHouse<T>(
  settings: Settings,
  use: (house: House) => Promise<T>,
  { mayBegin = false } = {},
): Promise<T> {
  const root = readRootKey(rootKeyPath(settings));
  const house = await openHouse({
    settings,
    root,
    mustBeThere: !mayBegin,
    clock: systemClock,
    timer: systemTimer,
    random: systemRandom,
    log: quietLog(),
  });
  try {
    return await use(house);
  } finally {
    await house.close();
  }
}
