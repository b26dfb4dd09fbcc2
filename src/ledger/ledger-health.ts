import type { Read } from '../db/database.ts';
import { type Clock, elapsedMs } from '../kernel/clock.ts';

/** How the ledger is, as this process knows it: what metrics and `/readyz` say. Sizes are entries. */
export type LedgerState = {
  /** Events that are recorded and have no number yet; counted up to `mostCounted`. */
  readonly waiting: number;
  /** How long the oldest of them waits. */
  readonly oldestSeconds: number;
  readonly signed: number;
  /** Cosigned by a quorum of the witnesses; undefined where there are none. */
  readonly cosigned: number | undefined;
  /** Read anew by the monitor; undefined where this process has none. */
  readonly verified: number | undefined;
  /** What stands against it at present. */
  readonly alarms: readonly LedgerAlarm[];
};

/**
 * `ledger-alarm`: what is served is not what was signed, or a witness has seen another history. `ledger-witnesses`: too few
 * of them answer. `ledger-behind`: nobody numbers what is recorded.
 */
export type LedgerAlarm = 'ledger-alarm' | 'ledger-witnesses' | 'ledger-behind';

/** The watch over the ledger of one process. */
export type LedgerHealth = {
  state(): LedgerState;
  /** Looks how much waits for its number and raises or ends `ledger-behind`; called every few seconds. */
  check(): Promise<void>;
  /** Tells the operator of something wrong, and holds it against the ledger until `ended`. */
  raiseAlarm(kind: LedgerAlarm, what: string): void;
  clearAlarm(kind: LedgerAlarm): void;
  /** What the monitor has verified so far. */
  recordVerified(size: number): void;
};

export type LedgerHealthDeps = {
  readonly read: Read;
  readonly clock: Clock;
  /** Whether checkpoints are to be cosigned. */
  readonly hasWitnesses: boolean;
  onAlarm(kind: LedgerAlarm, fault: Error): void;
  /** Told once, when what was told before is over. */
  onAlarmCleared(kind: LedgerAlarm): void;
};

/** Beyond that a count would cost more than it says. */
export const maxCountedEvents = 10_000;
/** An event waits a fraction of a second for its number, and a leader that is gone is replaced after five. */
const backlogAlarmSeconds = 30;
/** While it lasts it is told again so often. */
const repeatAlarmMs = 60_000;

/** The watch of this process. A lasting alarm is told once a minute, not at each look. */
export function createLedgerHealth({
  read,
  clock,
  hasWitnesses,
  onAlarm,
  onAlarmCleared,
}: LedgerHealthDeps): LedgerHealth {
  const raisedAt = new Map<LedgerAlarm, number>();
  let state: LedgerState = {
    ...{ waiting: 0, oldestSeconds: 0, signed: 0, verified: undefined, alarms: [] },
    cosigned: hasWitnesses ? 0 : undefined,
  };

  function raiseAlarm(kind: LedgerAlarm, what: string): void {
    const before = raisedAt.get(kind);
    if (before !== undefined && elapsedMs(before, clock) < repeatAlarmMs) return;
    raisedAt.set(kind, clock.now());
    state = { ...state, alarms: [...raisedAt.keys()] };
    onAlarm(kind, new Error(what));
  }

  function clearAlarm(kind: LedgerAlarm): void {
    if (!raisedAt.delete(kind)) return;
    state = { ...state, alarms: [...raisedAt.keys()] };
    onAlarmCleared(kind);
  }

  return {
    ...{ raiseAlarm, clearAlarm, state: () => state },
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
