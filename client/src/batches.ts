import { randomUUID } from 'node:crypto';
import type { Bytes, Operations } from './api-types.ts';
import type { Call, CallOptions, Send } from './call-operation.ts';
import type { Clock } from './retry.ts';

type Answers = { [Id in keyof Operations]: Operations[Id]['answers'] };
/** A batch without the statuses of its notifications. */
export type Batch = Answers['createNotificationBatch'][202];
/** A batch with the number of its notifications in each status. */
export type BatchProgress = Answers['readNotificationBatch'][200];
/** A row of a batch that has an outcome. */
export type BatchRow = Answers['listBatchRows'][200]['items'][number];
/** The media type of the file of a batch. */
export type BatchType = Operations['createNotificationBatch']['headers']['Content-Type'];
type BatchOptions = Operations['createNotificationBatch']['query'];

/** Many notifications with one file. */
export type Batches = {
  /**
   * Uploads a file of messages. Retries continue the upload and create no second batch; to continue after a crash, pass your own
   * `idempotencyKey`. `openAsBlob` of node:fs gives a file that can be sent again. A stream has no retries.
   */
  sendBatch(
    content: Bytes,
    type: BatchType,
    batch?: BatchOptions,
    options?: CallOptions & { readonly idempotencyKey?: string },
  ): Promise<Batch>;
  batch(id: string, options?: CallOptions): Promise<BatchProgress>;
  batches(options?: CallOptions): AsyncGenerator<Batch, void>;
  /** The rows that have an outcome now, in the order of the file. */
  batchRows(
    id: string,
    query?: Pick<NonNullable<Operations['listBatchRows']['query']>, 'state'>,
    options?: CallOptions,
  ): AsyncGenerator<BatchRow, void>;
  /** The response with the results as CSV. Read its body or cancel it. */
  batchResults(id: string, query?: Operations['readBatchResults']['query'], options?: CallOptions): Promise<Response>;
  startBatch(id: string, options?: CallOptions): Promise<Batch>;
  cancelBatch(id: string, options?: CallOptions): Promise<Batch>;
  /**
   * Waits until a batch has ended, or waits for its start. `onProgress` gets the batch after each look, by default every second.
   */
  waitForBatch(
    id: string,
    wait?: { readonly pollMs?: number; onProgress?(batch: BatchProgress): void },
    options?: CallOptions,
  ): Promise<BatchProgress>;
};

/** Creates the batch methods of a client. An upload may take `uploadMs`. */
export function createBatches(
  call: Call,
  send: Send,
  { clock, uploadMs }: { readonly clock: Clock; readonly uploadMs: number },
): Batches {
  const batch: Batches['batch'] = async (id, options) =>
    (await call('readNotificationBatch', { ...options, params: { id } })).body;
  return {
    batch,
    sendBatch: async (content, type, query, { idempotencyKey = randomUUID(), ...options } = {}) => {
      const headers = { 'Content-Type': type, 'Idempotency-Key': idempotencyKey };
      const input = {
        timeoutMs: uploadMs,
        ...options,
        headers,
        body: content,
        ...(query === undefined ? {} : { query }),
      };
      return (await call('createNotificationBatch', input)).body;
    },
    batches: async function* (options) {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = cursor === undefined ? {} : { cursor };
        const { body } = await call('listNotificationBatches', { ...options, query });
        yield* body.items;
        cursor = body.next;
      }
    },
    batchRows: async function* (id, query, options) {
      for (let after: number | null = 0; after !== null; ) {
        const page: Answers['listBatchRows'][200] = (
          await call('listBatchRows', { ...options, params: { id }, query: { ...query, after, limit: 100 } })
        ).body;
        yield* page.items;
        after = page.next;
      }
    },
    batchResults: (id, query, options) => {
      const headers = { Accept: 'text/csv' };
      return send(
        'readBatchResults',
        { ...options, params: { id }, headers, ...(query === undefined ? {} : { query }) },
        (response) => response,
      );
    },
    startBatch: async (id, options) => (await call('startNotificationBatch', { ...options, params: { id } })).body,
    cancelBatch: async (id, options) => (await call('cancelNotificationBatch', { ...options, params: { id } })).body,
    waitForBatch: async (id, { pollMs = 1_000, onProgress } = {}, options) => {
      for (;;) {
        const current = await batch(id, options);
        onProgress?.(current);
        if (current.endedAt !== null || current.state === 'ready') return current;
        await clock.wait(pollMs, options?.signal);
      }
    },
  };
}
