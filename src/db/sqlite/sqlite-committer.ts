import type { MessagePort } from 'node:worker_threads';
import { type SqlValue, WriteRefused, WriteUnknown } from '../database.ts';
import { type BatchCommitter, nothingToRetry, type PendingUnit } from '../group-commit.ts';
import type { BatchResult, UnitResult, WriterBatch } from './sqlite-writer.ts';

/**
 * The lane of one thread to the writer thread. A batch whose answer does not come, because the writer failed or ended
 * with it in its hands, is of unknown outcome; what comes later never reached the writer.
 */
export function createSqliteCommitter(port: MessagePort): BatchCommitter {
  // The writer keeps the texts it has seen: each crosses between the threads once.
  const sentTexts = new Map<string, number>();
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
    const newTexts: string[] = [];
    const packed = createByteBuffer(batch);
    const units = batch.map(({ unit }) =>
      unit.map(({ sql, args, rows }) => {
        let text = sentTexts.get(sql);
        if (text === undefined) {
          text = sentTexts.size;
          sentTexts.set(sql, text);
          newTexts.push(sql);
        }
        return [text, args?.map(packed.put), rows] as const;
      }),
    );
    answer = Promise.withResolvers();
    port.postMessage({ texts: newTexts, units } satisfies WriterBatch, [packed.buffer]);
    const result = await answer.promise;
    if (result.state === 'busy') return { units: batch, reason: 'the SQLite file is locked by another program' };
    if (result.state === 'committed') completeUnits(batch, result.results);
    else rejectUnits(batch, result.message);
    return nothingToRetry;
  };
}

/**
 * One piece of memory for all bytes of a batch, to be handed over. Bytes that are posted take the whole memory that they are
 * cut from along, and a small Buffer is cut from node's pool of 64 KiB.
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
