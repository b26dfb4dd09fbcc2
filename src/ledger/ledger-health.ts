import type { Read } from '../db/database.ts';
import { type Clock, elapsedMs } from '../kernel/clock.ts';

/** The state of the ledger as this process knows it, for metrics and `/readyz`. Sizes are numbers of entries. */
export type LedgerState = {
  /** Events that are stored and not yet numbered; counted up to `maxCountedEvents`. */
  readonly waiting: number;
  readonly oldestSeconds: number;
  readonly signed: number;
  /** The size that a quorum of witnesses cosigned; undefined without witnesses. */
  readonly cosigned: number | undefined;
  /** The size that the monitor has verified; undefined if this process has no monitor. */
  readonly verified: number | undefined;
  readonly alarms: readonly LedgerAlarm[];
};

/**
 * `ledger-alarm`: the served log is not the signed one, or a witness has seen another history. `ledger-witnesses`: too few
 * witnesses respond. `ledger-behind`: stored events are not numbered.
 */
type LedgerAlarm = 'ledger-alarm' | 'ledger-witnesses' | 'ledger-behind';

class LedgerAlarmError extends Error {
  override readonly name = 'LedgerAlarmError';
}

/** The alarms and figures of the ledger in this process. */
export type LedgerHealth = ReturnType<typeof createLedgerHealth>;

type LedgerHealthDeps = {
  readonly read: Read;
  readonly clock: Clock;
  readonly hasWitnesses: boolean;
  onAlarm(kind: LedgerAlarm, fault: Error): void;
  onAlarmCleared(kind: LedgerAlarm): void;
};

/** A larger count would cost more than it is worth. */
const maxCountedEvents = 10_000;
/** An event normally waits a fraction of a second, and a lost leader is replaced after five seconds. */
const backlogAlarmSeconds = 30;
const repeatAlarmMs = 60_000;

/** Creates the watch of this process. A lasting alarm is reported once a minute. */
export function createLedgerHealth(deps: LedgerHealthDeps) {
  const { read, clock, hasWitnesses } = deps;
  const raisedAt = new Map<LedgerAlarm, number>();
  let state: LedgerState = {
    waiting: 0,
    oldestSeconds: 0,
    signed: 0,
    verified: undefined,
    alarms: [],
    cosigned: hasWitnesses ? 0 : undefined,
  };

  /** Keeps an alarm until `clearAlarm`, and reports its fault once a minute. Returns whether it did so now. */
  function raiseAlarm(kind: LedgerAlarm, message: string): boolean {
    const before = raisedAt.get(kind);
    if (before !== undefined && elapsedMs(before, clock) < repeatAlarmMs) return false;
    raisedAt.set(kind, clock.now());
    state = { ...state, alarms: [...raisedAt.keys()] };
    deps.onAlarm(kind, new LedgerAlarmError(message));
    return true;
  }

  function clearAlarm(kind: LedgerAlarm): void {
    if (!raisedAt.delete(kind)) return;
    state = { ...state, alarms: [...raisedAt.keys()] };
    deps.onAlarmCleared(kind);
  }

  return {
    raiseAlarm,
    clearAlarm,
    state: () => state,
    recordVerified: (size: number) => {
      state = { ...state, verified: size };
    },
    /** Measures the backlog, and raises or clears `ledger-behind`; called every few seconds. */
    check: async () => {
      const [count] = await read('select count(*) as waiting from (select id from ledger_event limit $1) first_ones', [
        maxCountedEvents,
      ]);
      // Ids are ordered by time.
      const [oldest] = await read('select at from ledger_event order by id limit 1');
      const sizes = await read('select kind, size from ledger_checkpoint');
      const sizeOf = (kind: string) => Number(sizes.find((row) => row['kind'] === kind)?.['size'] ?? 0);
      const waiting = Number(count?.['waiting'] ?? 0);
      const oldestSeconds = oldest === undefined ? 0 : Math.max(0, clock.now() - Number(oldest['at'])) / 1_000;
      const cosigned = hasWitnesses ? sizeOf('cosigned') : undefined;
      state = { ...state, waiting, oldestSeconds, signed: sizeOf('signed'), cosigned };
      const many = waiting < maxCountedEvents ? String(waiting) : `${maxCountedEvents} and more`;
      const message = `${many} events wait for their number, the oldest for ${Math.round(oldestSeconds)} s`;
      if (oldestSeconds < backlogAlarmSeconds) clearAlarm('ledger-behind');
      else raiseAlarm('ledger-behind', message);
    },
  };
}
