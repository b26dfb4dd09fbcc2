import { Type } from 'typebox';
import { batchLimits } from '../notifications/batches/batch.ts';
import { batchHeaders, batchQuery } from '../notifications/batches/upload-request.ts';
import { createNotificationBatch } from '../notifications/create-notification-batch.ts';
import { actForService } from './act-for-service.ts';

/** Receives a file of messages for the service of the person. A person starts the batch: it never starts by itself. */
export const createServiceBatch = actForService({
  operation: createNotificationBatch,
  name: 'createServiceBatch',
  path: '/v1/staff/notification-batches',
  summary: 'Upload a file of messages for your service',
  description: `Receives a CSV file in UTF-8 with a line of column names, or JSON Lines, as for a client. A file has at most ${batchLimits.rows} rows and ${batchLimits.bytes} bytes. The server checks all rows and sends nothing until you start the batch. Send an Idempotency-Key: a repeated upload with the same key continues.`,
  request: { query: Type.Omit(batchQuery, ['start'], { additionalProperties: false }), headers: batchHeaders },
  query: { start: 'manual' },
  after: ({ state, rows }) => ({ state, rows }),
});
