import type { Log } from '../api/log.ts';
import { type Clock, elapsedMs } from '../kernel/clock.ts';

/** The interval at which a fault that occurs again and again is logged. */
const repeatEveryMs = 60_000;
/** More different faults are not remembered: then all count as new. */
const maxRemembered = 1_000;

type SeenFault = { loggedAt: number; repeats: number };

/**
 * Wraps the log so that a fault that a job meets again and again is logged at most once a minute, with the number of lines that
 * were left out. Faults of the same part are the same if their messages differ in numbers only. The fault of a request is always
 * logged, because its caller knows it by its instance.
 */
export function limitRepeatedFaults(log: Log, clock: Clock): Log {
  const seen = new Map<string, SeenFault>();
  return {
    ...log,
    fault: (where, fault, instance) => {
      const key =
        fault instanceof Error ? `${where} ${fault.name} ${fault.message.replaceAll(/\d+/g, '0')}` : undefined;
      if (instance !== undefined || key === undefined) return log.fault(where, fault, instance);
      const last = seen.get(key);
      if (last !== undefined && elapsedMs(last.loggedAt, clock) < repeatEveryMs) {
        last.repeats += 1;
        return;
      }
      if (seen.size >= maxRemembered) seen.clear();
      seen.set(key, { loggedAt: clock.now(), repeats: 0 });
      if (last !== undefined && last.repeats > 0)
        log.warning('the next fault occurred again and again', { where, faultsNotLogged: last.repeats });
      log.fault(where, fault);
    },
  };
}
