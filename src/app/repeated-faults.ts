import type { Log } from '../api/log.ts';
import { type Clock, elapsedMs } from '../kernel/clock.ts';

/** For this time faults of one kind count together. */
const windowMs = 60_000;
/** A browser that returns from the sign-in with invalid parameters causes faults with many messages, as often as it wants. */
const maxMessages = 10;

/** The logged faults of one kind since `since` (epoch ms). */
type FaultWindow = { readonly since: number; readonly messages: Set<string>; omitted: number };

/**
 * Wraps the log so that a fault that occurs again and again is logged at most once a minute, and at most `maxMessages` messages
 * of one kind (part and class of the fault), with the number of lines that were left out. Messages that differ in numbers only
 * are the same. The fault of a request is always logged, because its caller knows it by its instance.
 */
export function limitRepeatedFaults(log: Log, clock: Clock): Log {
  const windows = new Map<string, FaultWindow>();
  const windowOf = (where: string, kind: string): FaultWindow => {
    const last = windows.get(kind);
    if (last !== undefined && elapsedMs(last.since, clock) < windowMs) return last;
    if (last !== undefined && last.omitted > 0)
      log.warning('the next fault occurred repeatedly', { where, faultsNotLogged: last.omitted });
    const window = { since: clock.now(), messages: new Set<string>(), omitted: 0 };
    windows.set(kind, window);
    return window;
  };
  return {
    ...log,
    fault: (where, fault, instance) => {
      if (instance !== undefined || !(fault instanceof Error)) return log.fault(where, fault, instance);
      const window = windowOf(where, `${where} ${fault.name}`);
      const message = fault.message.replaceAll(/\d+/g, '0');
      if (window.messages.has(message) || window.messages.size >= maxMessages) {
        window.omitted += 1;
        return;
      }
      window.messages.add(message);
      log.fault(where, fault);
    },
  };
}
