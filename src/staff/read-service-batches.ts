import { listBatchRows } from '../notifications/list-batch-rows.ts';
import { listNotificationBatches } from '../notifications/list-notification-batches.ts';
import { readBatchResults } from '../notifications/read-batch-results.ts';
import { readNotificationBatch } from '../notifications/read-notification-batch.ts';
import { actForService } from './act-for-service.ts';

const base = '/v1/staff/notification-batches';

/** Lists the batches of the person's service, also those that its programs sent. */
export const listServiceBatches = actForService({
  operation: listNotificationBatches,
  name: 'listServiceBatches',
  path: base,
  summary: 'List the batches of your service',
  description: 'Lists batches, newest first, with the progress of each. To read the next page, send next as cursor.',
});

/** Reads the progress of a batch. */
export const readServiceBatch = actForService({
  operation: readNotificationBatch,
  name: 'readServiceBatch',
  path: `${base}/{id}`,
  summary: 'Read the progress of a batch of your service',
  description:
    'Returns the state of the batch, the number of checked, refused and accepted rows, and the number of its notifications in each status.',
});

/** Lists the rows of a batch that have an outcome. */
export const listServiceBatchRows = actForService({
  operation: listBatchRows,
  name: 'listServiceBatchRows',
  path: `${base}/{id}/rows`,
  summary: 'List the rows of a batch of your service',
  description:
    'Lists the rows that have an outcome, in the order of the file. To read the next page, send next as after. The staff log records this.',
  after: ({ items }) => ({ shown: Array.isArray(items) ? items.length : 0 }),
});

/** Reads the file of a batch again, with the outcome of each row. */
export const readServiceBatchResults = actForService({
  operation: readBatchResults,
  name: 'readServiceBatchResults',
  path: `${base}/{id}/results`,
  summary: 'Download the rows of a batch of your service',
  description:
    'Returns CSV with the uploaded columns and the columns row, state, code, detail and notificationId. Correct the refused rows and send the file again: the server ignores the added columns. The staff log records this.',
});
