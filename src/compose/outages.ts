import type { Log } from '../api/log.ts';
import type { House } from '../compose.ts';
import { BlobsUnavailable } from '../documents/blobs/blob-store.ts';
import { ReadUnavailable, WriteBusy, WriteUnknown } from '../store/db.ts';
import { documentsLook } from './documents.ts';

/** As often a database that cannot be reached is looked at. */
const lookEveryMs = 1_000;
/** So many faults wait for what the look says; more of them would say the same. */
const mostHeld = 20;
/** While the documents cannot be had, it is told again so often, so that the alarm of whoever counts faults lasts as well. */
const toldAgainMs = 60_000;

type Told = Parameters<Log['fault']>;

/** A log in which an outage stands once for all who meet it, until it is over. */
type OutageLog = { readonly log: Log; stop(): Promise<void> };

/** A log in which an outage of the database, and one of the documents, stands once, however many requests and parts meet it. */
export function tellOutagesOnce(given: Pick<House, 'db' | 'log' | 'settings' | 'timer'>): OutageLog {
  // The file of SQLite is there, or the process ends.
  const database = given.db.engine === 'postgres' ? ofDatabase(given) : undefined;
  const documents = ofDocuments({ ...given, log: database?.log ?? given.log }, documentsLook(given));
  return {
    log: documents.log,
    stop: async () => {
      await documents.stop();
      await database?.stop();
    },
  };
}

/**
 * An outage of the database is told once, and once more when it is over: each part of the server comes to know of it by itself,
 * some many times a second. A fault of a database that can be reached is told as it is.
 */
export function ofDatabase({ db, log, timer }: Pick<House, 'db' | 'log' | 'timer'>): OutageLog {
  let held: Told[] | undefined;
  let isOut = false;
  let untold = 0;
  let cancel: (() => void) | undefined;
  let stopped = false;

  function look(): void {
    db.read('select 1 as up').then(
      () => {
        if (isOut && !stopped) log.notice('the database can be reached again', { faultsNotTold: untold });
        if (!isOut) tellHeld();
        held = undefined;
        isOut = false;
        untold = 0;
      },
      (fault: unknown) => {
        // The database of a server that has ended is shut.
        if (stopped) return;
        if (!isOut) log.fault('database', fault);
        isOut = true;
        untold += held?.length ?? 0;
        held = [];
        cancel = timer(lookEveryMs, look);
      },
    );
  }

  function tellHeld(): void {
    for (const told of held ?? []) log.fault(...told);
    held = undefined;
  }

  return {
    log: {
      ...log,
      fault: (...told: Told) => {
        // What a part that ends could not store any more, it says once.
        if (stopped || told[0] === 'stop' || !isOfDatabase(told[1])) log.fault(...told);
        else if (held === undefined) {
          held = [told];
          look();
        } else if (isOut || held.length === mostHeld) untold += 1;
        else held.push(told);
      },
    },
    /** Looks no more; what comes then is told as it is. */
    stop: async () => {
      stopped = true;
      cancel?.();
      tellHeld();
    },
  };
}

function isOfDatabase(fault: unknown): boolean {
  return fault instanceof ReadUnavailable || fault instanceof WriteBusy || fault instanceof WriteUnknown;
}

/**
 * An outage of the documents is told once, again each minute while it lasts, and once more when for a minute nothing failed and
 * `look` finds them. A disk that is full can be looked at: only who stores there learns that it is.
 */
export function ofDocuments(
  { log, timer }: { readonly log: Log; readonly timer: House['timer'] },
  look: () => Promise<void>,
): OutageLog {
  let out: { untold: number; newest: unknown } | undefined;
  let cancel: (() => void) | undefined;
  let stopped = false;

  async function tellAgain(since: { untold: number; newest: unknown }): Promise<void> {
    const fault = since.newest ?? (await look().then(ignore, (why: unknown) => why));
    if (stopped) return;
    since.newest = undefined;
    if (fault !== undefined) {
      log.fault('documents', fault);
      cancel = timer(toldAgainMs, () => void tellAgain(since));
      return;
    }
    out = undefined;
    log.notice('the documents can be used again', { faultsNotTold: since.untold });
  }

  return {
    log: {
      ...log,
      fault: (...told: Told) => {
        if (stopped || !(told[1] instanceof BlobsUnavailable)) return log.fault(...told);
        if (out !== undefined) {
          out.untold += 1;
          out.newest = told[1];
          return;
        }
        const since = { untold: 0, newest: undefined };
        out = since;
        log.fault(...told);
        cancel = timer(toldAgainMs, () => void tellAgain(since));
      },
    },
    stop: async () => {
      stopped = true;
      cancel?.();
    },
  };
}

function ignore(): undefined {
  return undefined;
}
