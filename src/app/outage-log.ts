import type { Log } from '../api/log.ts';
import { ReadUnavailable, WriteBusy, WriteUnknown } from '../db/database.ts';
import { BlobsUnavailable } from '../documents/blobs/blob-store.ts';
import { createDocumentsCheck } from '../documents/open-blobs.ts';
import type { AppContext } from './app-context.ts';

/** As often a database that cannot be reached is looked at. */
const checkEveryMs = 1_000;
/** So many faults wait for what the look says; more of them would say the same. */
const maxPending = 20;
/** While the documents cannot be had, it is told again so often, so that the alarm of whoever counts faults lasts as well. */
const repeatEveryMs = 60_000;

type LoggedFault = Parameters<Log['fault']>;

/** A log in which an outage stands once for all who meet it, until it is over. */
type OutageLog = { readonly log: Log; stop(): Promise<void> };

/** A log in which an outage of the database, and one of the documents, stands once, however many requests and parts meet it. */
export function createOutageLog(deps: Pick<AppContext, 'db' | 'log' | 'settings' | 'timer'>): OutageLog {
  // The file of SQLite is there, or the process ends.
  const database = deps.db.engine === 'postgres' ? createDatabaseOutageLog(deps) : undefined;
  const documents = createDocumentsOutageLog({ ...deps, log: database?.log ?? deps.log }, createDocumentsCheck(deps));
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
export function createDatabaseOutageLog({ db, log, timer }: Pick<AppContext, 'db' | 'log' | 'timer'>): OutageLog {
  let pending: LoggedFault[] | undefined;
  let isOut = false;
  let suppressed = 0;
  let cancel: (() => void) | undefined;
  let stopped = false;

  function checkDatabase(): void {
    db.read('select 1 as up').then(
      () => {
        if (isOut && !stopped) log.notice('the database can be reached again', { faultsNotTold: suppressed });
        if (!isOut) reportPending();
        pending = undefined;
        isOut = false;
        suppressed = 0;
      },
      (fault: unknown) => {
        // The database of a server that has ended is shut.
        if (stopped) return;
        if (!isOut) log.fault('database', fault);
        isOut = true;
        suppressed += pending?.length ?? 0;
        pending = [];
        cancel = timer(checkEveryMs, checkDatabase);
      },
    );
  }

  function reportPending(): void {
    for (const logged of pending ?? []) log.fault(...logged);
    pending = undefined;
  }

  return {
    log: {
      ...log,
      fault: (...logged: LoggedFault) => {
        // What a part that ends could not store any more, it says once.
        if (stopped || logged[0] === 'stop' || !isDatabaseFault(logged[1])) log.fault(...logged);
        else if (pending === undefined) {
          pending = [logged];
          checkDatabase();
        } else if (isOut || pending.length === maxPending) suppressed += 1;
        else pending.push(logged);
      },
    },
    /** Looks no more; what comes then is told as it is. */
    stop: async () => {
      stopped = true;
      cancel?.();
      reportPending();
    },
  };
}

function isDatabaseFault(fault: unknown): boolean {
  return fault instanceof ReadUnavailable || fault instanceof WriteBusy || fault instanceof WriteUnknown;
}

/**
 * An outage of the documents is told once, again each minute while it lasts, and once more when for a minute nothing failed and
 * `look` finds them. A disk that is full can be looked at: only who stores there learns that it is.
 */
export function createDocumentsOutageLog(
  { log, timer }: { readonly log: Log; readonly timer: AppContext['timer'] },
  check: () => Promise<void>,
): OutageLog {
  let outage: { suppressed: number; newest: unknown } | undefined;
  let cancel: (() => void) | undefined;
  let stopped = false;

  async function reportAgain(since: { suppressed: number; newest: unknown }): Promise<void> {
    const fault = since.newest ?? (await check().then(ignore, (why: unknown) => why));
    if (stopped) return;
    since.newest = undefined;
    if (fault !== undefined) {
      log.fault('documents', fault);
      cancel = timer(repeatEveryMs, () => void reportAgain(since));
      return;
    }
    outage = undefined;
    log.notice('the documents can be used again', { faultsNotTold: since.suppressed });
  }

  return {
    log: {
      ...log,
      fault: (...logged: LoggedFault) => {
        if (stopped || !(logged[1] instanceof BlobsUnavailable)) return log.fault(...logged);
        if (outage !== undefined) {
          outage.suppressed += 1;
          outage.newest = logged[1];
          return;
        }
        const since = { suppressed: 0, newest: undefined };
        outage = since;
        log.fault(...logged);
        cancel = timer(repeatEveryMs, () => void reportAgain(since));
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
