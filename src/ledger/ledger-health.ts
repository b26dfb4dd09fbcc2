import type { Read } from '../db/database.ts';
import { type Clock, elapsedMs } from '../kernel/clock.ts';

/** The state of the ledger as this process knows it, for metrics and `/readyz`. Sizes are numbers of entries. */
export type LedgerState = {
  /** Events that are stored and not yet numbered; counted up to `maxCountedEvents`. */
  readonly waiting: number;
  /** The age of the oldest of them. */
  readonly oldestSeconds: number;
  readonly signed: number;
  /** The size that a quorum of witnesses cosigned; undefined without witnesses. */
  readonly cosigned: number | undefined;
  /** The size that the monitor has verified; undefined if this process has no monitor. */
  readonly verified: number | undefined;
  /** The current alarms. */
  readonly alarms: readonly LedgerAlarm[];
};

/**
 * `ledger-alarm`: the served log is not the signed one, or a witness has seen another history. `ledger-witnesses`: too few
 * witnesses respond. `ledger-behind`: stored events are not numbered.
 */
export type LedgerAlarm = 'ledger-alarm' | 'ledger-witnesses' | 'ledger-behind';

/** The fault of an alarm, for the log. */
class LedgerAlarmError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LedgerAlarmError';
  }
}

/** Watches the ledger in one process. */
export type LedgerHealth = {
  state(): LedgerState;
  /** Measures the backlog, and raises or clears `ledger-behind`; called every few seconds. */
  check(): Promise<void>;
  /** Reports a fault, and keeps its alarm until `clearAlarm`. */
  raiseAlarm(kind: LedgerAlarm, message: string): void;
  clearAlarm(kind: LedgerAlarm): void;
  /** Records the size that the monitor has verified. */
  recordVerified(size: number): void;
};

/** The database and clock, and who receives alarms. */
export type LedgerHealthDeps = {
  readonly read: Read;
  readonly clock: Clock;
  /** Whether checkpoints are cosigned. */
  readonly hasWitnesses: boolean;
  onAlarm(kind: LedgerAlarm, fault: Error): void;
  /** Called once when an alarm ends. */
  onAlarmCleared(kind: LedgerAlarm): void;
};

/** A larger count would cost more than it is worth. */
export const maxCountedEvents = 10_000;
/** An event normally waits a fraction of a second, and a lost leader is replaced after five seconds. */
const backlogAlarmSeconds = 30;
/** How often a lasting alarm is reported again. */
const repeatAlarmMs = 60_000;

/** Creates the watch of this process. A lasting alarm is reported once a minute. */
export function createLedgerHealth({
  read,
  clock,
  hasWitnesses,
  onAlarm,
  onAlarmCleared,
}: LedgerHealthDeps): LedgerHealth {
  const raisedAt = new Map<LedgerAlarm, number>();
  let state: LedgerState = {
    waiting: 0,
    oldestSeconds: 0,
    signed: 0,
    verified: undefined,
    alarms: [],
    cosigned: hasWitnesses ? 0 : undefined,
  };

  function raiseAlarm(kind: LedgerAlarm, message: string): void {
    const before = raisedAt.get(kind);
    if (before !== undefined && elapsedMs(before, clock) < repeatAlarmMs) return;
    raisedAt.set(kind, clock.now());
    state = { ...state, alarms: [...raisedAt.keys()] };
    onAlarm(kind, new LedgerAlarmError(message));
  }

  function clearAlarm(kind: LedgerAlarm): void {
    if (!raisedAt.delete(kind)) return;
    state = { ...state, alarms: [...raisedAt.keys()] };
    onAlarmCleared(kind);
  }

  return {
    raiseAlarm,
    clearAlarm,
    state: () => state,
    recordVerified: (size) => {
      state = { ...state, verified: size };
    },
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
      if (oldestSeconds < backlogAlarmSeconds) clearAlarm('ledger-behind');
      else
        raiseAlarm(
          'ledger-behind',
          `${many} events wait for their number, the oldest for ${Math.round(oldestSeconds)} s`,
        );
    },
  };
}
