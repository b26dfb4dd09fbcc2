import type { MessagePort } from 'node:worker_threads';
import { type SqlValue, type Statement, WriteRefused, WriteUnknown } from '../database.ts';
import { type BatchCommitter, nothingToRetry, type PendingUnit } from '../group-commit.ts';
import type { BatchResult, UnitResult, WriterBatch } from './sqlite-writer.ts';

/**
 * The committer of one thread, which posts batches to the writer thread. If the writer fails or ends before it answers, the
 * outcome of the batch is unknown. Later batches are not posted.
 */
export function createSqliteCommitter(port: MessagePort): BatchCommitter {
  let answer = Promise.withResolvers<BatchResult>();
  let lost = false;
  port.on('message', (result: BatchResult) => {
    lost = result.state === 'lost';
    answer.resolve(result);
  });
  port.on('close', () => {
    lost = true;
    answer.resolve({ state: 'lost', message: 'its thread has ended' });
  });

  return async (batch) => {
    if (lost) return { units: batch, reason: 'the SQLite writer is lost' };
    const packed = createByteBuffer(batch);
    const units = batch.map(({ unit }) =>
      unit.map(({ sql, args = [], rows }) => ({ sql, args: args.map(packed.put), rows })),
    );
    answer = Promise.withResolvers();
    const isAny = (has: (statement: Statement) => boolean) => batch.some(({ unit }) => unit.some(has));
    const message: WriterBatch = {
      units,
      erases: isAny(({ erase }) => erase === true),
      needsTempFiles: isAny(({ tempFiles }) => tempFiles === true),
    };
    port.postMessage(message, [packed.buffer]);
    const result = await answer.promise;
    if (result.state === 'busy') return { units: batch, reason: 'the SQLite file is locked by another program' };
    if (result.state === 'committed') completeUnits(batch, result.results);
    else rejectUnits(batch, result.message);
    return nothingToRetry;
  };
}

/**
 * One buffer for all bytes of a batch, which is transferred to the writer. Without it, `postMessage` would copy the whole
 * pool of 64 KiB that a small `Buffer` is a slice of.
 */
function createByteBuffer(batch: readonly PendingUnit[]): {
  readonly buffer: ArrayBuffer;
  put(value: SqlValue): SqlValue;
} {
  let length = 0;
  for (const { unit } of batch) {
    for (const { args = [] } of unit) for (const value of args) if (value instanceof Uint8Array) length += value.length;
  }
  const bytes = new Uint8Array(length);
  let used = 0;
  return {
    buffer: bytes.buffer,
    put: (value) => {
      if (!(value instanceof Uint8Array)) return value;
      bytes.set(value, used);
      used += value.length;
      return bytes.subarray(used - value.length, used);
    },
  };
}

function completeUnits(batch: readonly PendingUnit[], results: readonly UnitResult[]): void {
  for (const [index, pending] of batch.entries()) {
    const result = results[index];
    if (result === undefined) pending.reject(new WriteUnknown('the writer gave no result for this unit'));
    else if ('rows' in result) pending.resolve(result.rows);
    else pending.reject(new WriteRefused(result.kind, result.statement, result.message));
  }
}

function rejectUnits(batch: readonly PendingUnit[], message: string): void {
  for (const pending of batch) pending.reject(new WriteUnknown(`the SQLite writer is lost: ${message}`));
}
