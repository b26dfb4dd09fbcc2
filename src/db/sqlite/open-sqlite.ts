import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { RandomBytes } from '../../kernel/clock.ts';
import { createTickBatch } from '../../kernel/tick-batch.ts';
import { type Database, ReadUnavailable, WriteUnknown } from '../database.ts';
import { createGroupCommit } from '../group-commit.ts';
import { createStatementTexts, validateStatement } from '../statement-texts.ts';
import { lockDatabase } from './database-lock.ts';
import { createSqliteCommitter } from './sqlite-committer.ts';
import { sqliteErrorInfo } from './sqlite-error.ts';
import { openSqliteReader } from './sqlite-reader.ts';
import type { WriterCommand, WriterStatus } from './sqlite-writer.ts';

export type SqliteOptions = {
  readonly random: RandomBytes;
  /** Called once when the disk, the file or the writer thread fails: the process has to stop and to start anew. */
  readonly onLost?: (error: Error) => void;
};

const maxBatchUnits = 256;
const sqliteBusy = 5;
const networkFileSystems = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
]);

/**
 * Opens the SQLite file at `path`, made when absent. One process at a time may have it open; the lock dies with the
 * process. Writes are committed in groups by a worker thread, so that no sync to disk stands on the event loop.
 */
export async function openSqlite(path: string, options: SqliteOptions): Promise<Database> {
  refuseNetworkFileSystem(path);
  const lock = lockDatabase(path);
  try {
    const writer = await startWriter(path, options.onLost);
    const db = createSqliteDatabase({ path, port: writer.connectThread(), random: options.random });
    let closing: Promise<void> | undefined;
    return {
      ...db,
      share: writer.connectThread,
      close: () => {
        closing ??= db.close().then(async () => {
          await writer.close();
          lock.close();
        });
        return closing;
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Opens, in another thread of this process, what is open already; `port` is what its `Db.share` gave. */
export function openSqliteInThread(path: string, port: MessagePort, random: RandomBytes): Database {
  return createSqliteDatabase({ path, port, random });
}

type SqliteDatabaseDeps = { readonly path: string; readonly port: MessagePort; readonly random: RandomBytes };

/** The database of one thread: a connection that reads, and a lane to the writer. */
function createSqliteDatabase({ path, port, random }: SqliteDatabaseDeps): Database {
  const texts = createStatementTexts();
  const reader = openSqliteReader(path);
  const commits = createGroupCommit({ committers: [createSqliteCommitter(port)], maxBatchUnits, texts, random });
  const waitForTick = createTickBatch();
  let closing: Promise<void> | undefined;
  return {
    engine: 'sqlite',
    write: commits.write,
    // A read is synchronous inside. What is read in one turn is read behind it, in one transaction that has ended before the next
    // such turn: whoever is told of a write sees it in the next read.
    read: async (sql, args) => {
      const fault = validateStatement({ sql, args: args ?? [] }, texts(sql));
      if (fault !== undefined) throw new TypeError(fault);
      await waitForTick();
      try {
        return reader.run(sql, args);
      } catch (error) {
        throw toReadError(error);
      }
    },
    close: () => {
      closing ??= commits
        .close()
        .then(waitForTick)
        .then(() => {
          reader.close();
          port.close();
        });
      return closing;
    },
  };
}

/** A read that failed as every reader of this engine tells it. */
export function toReadError(error: unknown): Error {
  const { errcode = 0, message } = sqliteErrorInfo(error);
  if ((errcode & 0xff) === sqliteBusy) return new ReadUnavailable('the database is busy');
  return new Error(`read failed: ${message}`);
}

/** Refuses the folder of an SQLite file that is on a network. */
export function refuseNetworkFileSystem(path: string): void {
  const name = networkFileSystems.get(statfsSync(dirname(path)).type);
  if (name !== undefined) {
    throw new Error(`the folder of ${path} is on ${name}: SQLite needs a local disk; move DATA_DIR or use PostgreSQL`);
  }
}

type Writer = {
  /** A port to the writer, for one thread. */
  connectThread(): MessagePort;
  close(): Promise<void>;
};

async function startWriter(path: string, onLost: SqliteOptions['onLost']): Promise<Writer> {
  // The same file runs from TypeScript and, compiled, from JavaScript.
  const file = import.meta.filename.endsWith('.ts') ? './sqlite-writer.ts' : './sqlite-writer.js';
  const worker = new Worker(new URL(file, import.meta.url), {
    ...{ workerData: { path }, execArgv: [] },
    // What it makes lives as long as one batch: a small nursery costs next to no time, and saves memory under load.
    resourceLimits: { maxYoungGenerationSizeMb: 32 },
  });
  const exited = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<WriterStatus>();
  let state: 'starting' | 'open' | 'closing' | 'lost' = 'starting';

  function reportLost(message: string): void {
    opened.resolve({ state: 'lost', message });
    const wasOpen = state === 'open';
    state = 'lost';
    if (wasOpen) onLost?.(new WriteUnknown(`the SQLite writer is lost: ${message}`));
  }

  worker.on('message', (message: WriterStatus) =>
    message.state === 'lost' ? reportLost(message.message) : opened.resolve(message),
  );
  worker.on('error', (error: Error) => reportLost(`its thread failed: ${error.message}`));
  worker.on('exit', (code) => {
    if (state !== 'closing') reportLost(`its thread ended with code ${code}`);
    exited.resolve();
  });

  const first = await opened.promise;
  if (first.state !== 'open') throw new Error(first.message);
  state = 'open';
  const sendCommand = (message: WriterCommand, ports: readonly MessagePort[] = []) =>
    worker.postMessage(message, ports);
  return {
    connectThread: () => {
      const { port1, port2 } = new MessageChannel();
      sendCommand({ join: port1 }, [port1]);
      return port2;
    },
    close: async () => {
      if (state === 'open') {
        state = 'closing';
        sendCommand({ close: true });
      } else void worker.terminate();
      await exited.promise;
    },
  };
}
