import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { RandomBytes } from '../../kernel/clock.ts';
import { createTickBatch } from '../../kernel/tick-batch.ts';
import { type Database, DatabaseUnusable, ReadFailed, ReadUnavailable, WriteUnknown } from '../database.ts';
import { createGroupCommit } from '../group-commit.ts';
import { createStatementTexts, validateStatement } from '../statement-texts.ts';
import { lockDatabase } from './database-lock.ts';
import { createSqliteCommitter } from './sqlite-committer.ts';
import { sqliteErrorInfo } from './sqlite-error.ts';
import { openSqliteReader } from './sqlite-reader.ts';
import type { WriterCommand, WriterStatus } from './sqlite-writer.ts';

type SqliteOptions = {
  readonly random: RandomBytes;
  /** Called once when the disk, the file or the writer thread fails. The process must stop and start again. */
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
 * Opens the SQLite file at `path`, and creates it if it does not exist. One process at a time may open it; its lock ends with
 * the process. A worker thread commits the writes in groups, so that no sync to disk blocks the event loop.
 */
export async function openSqlite(path: string, options: SqliteOptions): Promise<Database> {
  refuseNetworkFileSystem(path);
  const lock = lockDatabase(path);
  try {
    const writer = await startWriter(path, options.onLost);
    const db = openSqliteInThread({ path, port: writer.connectThread(), random: options.random });
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

type ThreadOptions = { readonly path: string; readonly port: MessagePort; readonly random: RandomBytes };

/**
 * Opens, in one thread of this process, the file that `openSqlite` has open; `port` comes from its `share`. A thread has a
 * connection for reads, and a committer that posts to the writer.
 */
export function openSqliteInThread({ path, port, random }: ThreadOptions): Database {
  const texts = createStatementTexts();
  const reader = openSqliteReader(path);
  const commits = createGroupCommit({ committers: [createSqliteCommitter(port)], maxBatchUnits, texts, random });
  const waitForTick = createTickBatch();
  let closing: Promise<void> | undefined;
  return {
    engine: 'sqlite',
    write: commits.write,
    // SQLite reads synchronously. The reads of one tick run after it, in one transaction that ends before the next tick.
    // Therefore a read sees every write that was acknowledged before it.
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

/** The error of a failed read, for every reader of this engine. */
export function toReadError(error: unknown): Error {
  const { errcode = 0, message } = sqliteErrorInfo(error);
  if ((errcode & 0xff) === sqliteBusy) return new ReadUnavailable('the database is busy');
  return new ReadFailed(message);
}

/** Rejects a folder on a network file system, where SQLite's locks do not work. */
export function refuseNetworkFileSystem(path: string): void {
  const name = networkFileSystems.get(statfsSync(dirname(path)).type);
  if (name !== undefined) {
    throw new DatabaseUnusable(
      `the folder of ${path} is on ${name}: SQLite needs a local disk; move DATA_DIR or use PostgreSQL`,
    );
  }
}

type Writer = {
  /** A new port to the writer, for one thread. */
  connectThread(): MessagePort;
  close(): Promise<void>;
};

async function startWriter(path: string, onLost: SqliteOptions['onLost']): Promise<Writer> {
  // From a clone this file is TypeScript, in the npm package JavaScript.
  const file = import.meta.filename.endsWith('.ts') ? './sqlite-writer.ts' : './sqlite-writer.js';
  const worker = new Worker(new URL(file, import.meta.url), {
    workerData: { path },
    execArgv: [],
    // Its objects live as long as one batch. A small young generation costs little time and saves memory under load.
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
  if (first.state !== 'open') throw new DatabaseUnusable(first.message);
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
