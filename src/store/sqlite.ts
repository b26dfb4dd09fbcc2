import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Random } from '../kernel/clock.ts';
import { type Db, ReadUnavailable, WriteRefused, WriteUnknown } from './db.ts';
import { allSettled, createGroupCommit, type Lane, type Pending } from './group-commit.ts';
import { openReader, type Reader } from './sqlite-reader.ts';
import type { FromWriter, ToWriter, UnitResult } from './sqlite-writer.ts';
import { createTexts, faultOf } from './statement-texts.ts';

export type SqliteOptions = {
  readonly random: Random;
  /** Called once when the disk, the file or the writer thread fails: the process has to stop and to start anew. */
  readonly onLost?: (error: Error) => void;
};

const batchLimit = 256;
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
export async function openSqlite(path: string, options: SqliteOptions): Promise<Db> {
  refuseNetworkFileSystem(path);
  const lock = takeLock(path);
  try {
    const writer = await startWriter(path, options.onLost);
    return createDb({ reader: openReader(path), writer, lock, random: options.random });
  } catch (error) {
    lock.close();
    throw error;
  }
}

type Parts = { readonly reader: Reader; readonly writer: Writer; readonly lock: DatabaseSync; random: Random };

function createDb({ reader, writer, lock, random }: Parts): Db {
  const texts = createTexts();
  const commits = createGroupCommit({ lanes: [createLane(writer, reader)], batchLimit, texts, random });
  let closing: Promise<void> | undefined;
  return {
    engine: 'sqlite',
    write: commits.write,
    // A read is synchronous inside; being async, it fails as a promise, as the other engine does.
    read: async (sql, args) => {
      const fault = faultOf({ sql, args: args ?? [] }, texts(sql));
      if (fault !== undefined) throw new TypeError(fault);
      try {
        return reader.run(sql, args);
      } catch (error) {
        throw readError(error);
      }
    },
    close: () => {
      closing ??= commits.close().then(async () => {
        reader.close();
        await writer.close();
        lock.close();
      });
      return closing;
    },
  };
}

function readError(error: unknown): Error {
  const { code, errcode = 0, message } = error as { code?: string; errcode?: number; message: string };
  if ((errcode & 0xff) === sqliteBusy) return new ReadUnavailable('the database is busy');
  // The message of node tells the integer that is too large, which may be somebody's.
  return new Error(code === 'ERR_OUT_OF_RANGE' ? 'a row holds an integer above 2^53' : `read failed: ${message}`);
}

function refuseNetworkFileSystem(path: string): void {
  const name = networkFileSystems.get(statfsSync(dirname(path)).type);
  if (name !== undefined) {
    throw new Error(`the folder of ${path} is on ${name}: SQLite needs a local disk; move DATA_DIR or use PostgreSQL`);
  }
}

// The lock is an exclusive transaction on a file of its own: the operating system releases it when the process ends.
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(`${path}-lock`, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return lock;
  } catch (cause) {
    lock.close();
    throw new Error(`another process has ${path} open; stop it first, or use PostgreSQL for several processes`, {
      cause,
    });
  }
}

type Writer = {
  /** Resolves with the writer's answer; with `lost` when the writer failed or ended with the message in its hands. */
  send(message: ToWriter): Promise<FromWriter>;
  readonly lost: boolean;
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
  let answer = Promise.withResolvers<FromWriter>();
  let state: 'starting' | 'open' | 'closing' | 'lost' = 'starting';

  function lose(message: string): void {
    answer.resolve({ state: 'lost', message });
    const wasOpen = state === 'open';
    state = 'lost';
    if (wasOpen) onLost?.(new WriteUnknown(`the SQLite writer is lost: ${message}`));
  }

  worker.on('message', (message: FromWriter) =>
    message.state === 'lost' ? lose(message.message) : answer.resolve(message),
  );
  worker.on('error', (error: Error) => lose(`its thread failed: ${error.message}`));
  worker.on('exit', (code) => {
    if (state !== 'closing') lose(`its thread ended with code ${code}`);
    exited.resolve();
  });

  const opened = await answer.promise;
  if (opened.state !== 'open')
    throw new Error('message' in opened ? opened.message : 'the SQLite writer did not start');
  state = 'open';
  return {
    get lost() {
      return state === 'lost';
    },
    send: (message) => {
      answer = Promise.withResolvers();
      worker.postMessage(message);
      return answer.promise;
    },
    close: async () => {
      if (state === 'open') {
        state = 'closing';
        worker.postMessage({ close: true } satisfies ToWriter);
      } else void worker.terminate();
      await exited.promise;
    },
  };
}

function createLane(writer: Writer, reader: Reader): Lane {
  // The writer keeps the texts it has seen: each crosses between the threads once.
  const sent = new Map<string, number>();
  return async (batch) => {
    // A writer that was lost takes nothing more: these units never reached it.
    if (writer.lost) return { units: batch, because: 'the SQLite writer is lost' };
    const fresh: string[] = [];
    const units = batch.map(({ unit }) =>
      unit.map(({ sql, args, rows }) => {
        let text = sent.get(sql);
        if (text === undefined) {
          text = sent.size;
          sent.set(sql, text);
          fresh.push(sql);
        }
        return [text, args, rows] as const;
      }),
    );
    const answer = await writer.send({ texts: fresh, units });
    // Whoever is told of a write sees it in the next read.
    reader.refresh();
    if (answer.state === 'busy') return { units: batch, because: 'the SQLite file is locked by another program' };
    if (answer.state === 'committed') settle(batch, answer.results);
    else rejectAll(batch, 'message' in answer ? answer.message : answer.state);
    return allSettled;
  };
}

function settle(batch: readonly Pending[], results: readonly UnitResult[]): void {
  for (const [index, pending] of batch.entries()) {
    const result = results[index];
    if (result === undefined) pending.reject(new WriteUnknown('the writer gave no result for this unit'));
    else if ('rows' in result) pending.resolve(result.rows);
    else pending.reject(new WriteRefused(result.kind, result.statement, result.message));
  }
}

function rejectAll(batch: readonly Pending[], message: string): void {
  for (const pending of batch) pending.reject(new WriteUnknown(`the SQLite writer is lost: ${message}`));
}
