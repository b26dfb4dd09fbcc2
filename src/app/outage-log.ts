import type { Log } from '../api/log.ts';
import { ReadUnavailable, WriteBusy, WriteUnknown } from '../db/database.ts';
import { BlobsUnavailable } from '../documents/blobs/blob-store.ts';
import { createDocumentsCheck } from '../documents/open-blobs.ts';
import type { AppContext } from './app-context.ts';

/** The interval between checks of a database that is out of reach. */
const checkEveryMs = 1_000;
/** Up to this number of faults wait for the result of the first check; the others are only counted. */
const maxPending = 20;
/** The interval at which a continuing outage of the document store is logged, so that alarms on the fault counter stay active. */
const repeatEveryMs = 60_000;

type LoggedFault = Parameters<Log['fault']>;

/** A log that reports an outage once, although many parts of the server meet it. */
type OutageLog = { readonly log: Log; stop(): Promise<void> };

/** Wraps the log so that it reports each outage of the database and of the document store once. */
export function createOutageLog(deps: Pick<AppContext, 'db' | 'log' | 'settings' | 'timer'>): OutageLog {
  // A process on SQLite ends if it loses its file, so only PostgreSQL can have an outage.
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
 * Reports an outage of the database when it begins and when it ends, because each part of the server meets it separately, some
 * many times a second. If the database can be reached, each fault is logged unchanged.
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
        if (isOut && !stopped) log.notice('the database responds again', { faultsNotLogged: suppressed });
        if (!isOut) reportPending();
        pending = undefined;
        isOut = false;
        suppressed = 0;
      },
      (fault: unknown) => {
        // A stopped server has closed its database, so a failed check is no outage.
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
        // Faults of `stop` are logged unchanged: a part that stops reports once what it could not store.
        if (stopped || logged[0] === 'stop' || !isDatabaseFault(logged[1])) log.fault(...logged);
        else if (pending === undefined) {
          pending = [logged];
          checkDatabase();
        } else if (isOut || pending.length === maxPending) suppressed += 1;
        else pending.push(logged);
      },
    },
    /** Ends the checks; later faults are logged unchanged. */
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
 * Reports an outage of the document store when it begins, each minute while it lasts, and when it ends. It ends when no fault
 * occurred for a minute and `check` succeeds. The check alone is not enough: it succeeds on a full disk, where only writes fail.
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
    log.notice('the document storage responds again', { faultsNotLogged: since.suppressed });
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
