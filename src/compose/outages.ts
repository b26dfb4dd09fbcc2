import type { Log } from '../api/log.ts';
import type { House } from '../compose.ts';
import { ReadUnavailable, WriteBusy, WriteUnknown } from '../store/db.ts';

/** As often a database that cannot be reached is looked at. */
const lookEveryMs = 1_000;
/** So many faults wait for what the look says; more of them would say the same. */
const mostHeld = 20;

type Told = Parameters<Log['fault']>;

/**
 * A log in which an outage of the database stands once, and once more when it is over: each part of the server comes to know
 * of it by itself, some many times a second. A fault of a database that can be reached is told as it is. Undefined for SQLite:
 * its file is there, or the process ends.
 */
export function tellOutagesOnce({ db, log, timer }: Pick<House, 'db' | 'log' | 'timer'>) {
  if (db.engine !== 'postgres') return undefined;
  let held: Told[] | undefined;
  let isOut = false;
  let untold = 0;
  let cancel: (() => void) | undefined;
  let stopped = false;

  function look(): void {
    db.read('select 1 as up').then(
      () => {
        const faults = isOut ? [] : (held ?? []);
        if (isOut) log.notice('the database can be reached again', { faultsNotTold: untold });
        held = undefined;
        isOut = false;
        untold = 0;
        for (const told of faults) log.fault(...told);
      },
      (fault: unknown) => {
        if (!isOut) log.fault('database', fault);
        isOut = true;
        untold += held?.length ?? 0;
        held = [];
        if (!stopped) cancel = timer(lookEveryMs, look);
      },
    );
  }

  return {
    log: {
      ...log,
      fault: (...told: Told) => {
        // What a part that ends could not store any more, it says once.
        if (stopped || told[0] === 'stop' || !isOfDatabase(told[1])) log.fault(...told);
        else if (isOut) untold += 1;
        else if (held === undefined) {
          held = [told];
          look();
        } else if (held.length < mostHeld) held.push(told);
      },
    } satisfies Log,
    /** Looks no more; what comes then is told as it is. */
    stop: async () => {
      stopped = true;
      cancel?.();
    },
  };
}

function isOfDatabase(fault: unknown): boolean {
  return fault instanceof ReadUnavailable || fault instanceof WriteBusy || fault instanceof WriteUnknown;
}
