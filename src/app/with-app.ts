import { createLog, type Log } from '../api/log.ts';
import type { Settings } from '../config/settings.ts';
import { readRootKey } from '../crypto/root-key-file.ts';
import { systemTimer } from '../jobs/timer.ts';
import { systemClock, systemRandom } from '../kernel/system-clock.ts';
import { type AppContext, openApp } from './app-context.ts';
import { rootKeyPath } from './first-root-key.ts';

/** The log of a command: faults only, people read the rest. */
function createCommandLog(): Log {
  return createLog('error');
}

/** Opens the app of these settings for one command, and closes it afterwards. Only `mayBegin` creates a missing database. */
export async function withApp<T>(
  settings: Settings,
  use: (app: AppContext) => Promise<T>,
  { mayBegin = false } = {},
): Promise<T> {
  const root = readRootKey(rootKeyPath(settings));
  const app = await openApp({
    settings,
    root,
    mustBeThere: !mayBegin,
    clock: systemClock,
    timer: systemTimer,
    random: systemRandom,
    log: createCommandLog(),
  });
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}
