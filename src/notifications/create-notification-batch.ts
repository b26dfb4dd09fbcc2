import type { Static } from 'typebox';
import { defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { declaredTooLarge, payloadTooLarge } from '../api/read-body.ts';
import { WriteRefused } from '../db/database.ts';
import type { Json } from '../kernel/canonical-json.ts';
import { type Issue, type Refusal, refuse, refuseIssues } from '../kernel/refusal.ts';
import type { Effect } from '../ledger/commit.ts';
import {
  type BatchFormat,
  type BatchOptions,
  batchChangedEvent,
  batchLimits,
  type NotificationBatch,
  quotaWeightOfRows,
} from './batches/batch.ts';
import { checkColumns } from './batches/batch-columns.ts';
import { batchSummaryOf, batchSummaryShape } from './batches/batch-shape.ts';
import {
  afterAllBatchIds,
  changeState,
  completeUpload,
  findBatchByKey,
  findBatches,
  insertBatch,
} from './batches/batch-store.ts';
import { endBatch } from './batches/end-batch.ts';
import { createCsvUploadParser } from './batches/parse-csv-upload.ts';
import { createJsonlUploadParser } from './batches/parse-jsonl-upload.ts';
import { hashUpload, type ReceivedUpload, receiveUpload, type UploadEnd } from './batches/receive-upload.ts';
import { createBatchKey, openBatchKey } from './batches/sealed-piece.ts';
import { batchBodies, batchHeaders, batchQuery } from './batches/upload-request.ts';
import type { BatchPorts, NotificationPorts } from './ports.ts';
import { parseSendTimes, textIssues } from './send-request.ts';
import { type Template, templateHeadOf } from './templates/template.ts';

const request = { query: batchQuery, headers: batchHeaders };

type CreateCall = OperationCall<typeof request, NotificationPorts & BatchPorts>;

/**
 * Receives a file of messages. Its rows are stored in sealed pieces while they arrive. The event and the state `checking` end the
 * upload; until then a repeated upload with the same Idempotency-Key continues it.
 */
export const createNotificationBatch = defineOperation({
  name: 'createNotificationBatch',
  since: '1.0',
  method: 'POST',
  path: '/v1/notification-batches',
  scope: 'notifications:send',
  callers: ['clients'],
  summary: 'Send many notifications with one file',
  description: `Send a CSV file in UTF-8 with a line of column names, or JSON Lines. Each row is one message with the members of the send operation as columns; the value of a placeholder is a column personalisation.NAME, or NAME with templateId in the query. A file has at most ${batchLimits.rows} rows and ${batchLimits.bytes} bytes. The server checks all rows, and then sends them after all single messages. Send an Idempotency-Key: a repeated upload with the same key continues, and creates no second batch. Each 100 rows count as one request of your quota. A client has at most ${batchLimits.openPerClient} open batches.`,
  request,
  bodyBytes: { texts: batchBodies },
  idempotent: true,
  responses: {
    202: {
      description: 'The file was received and is stored durably. Its state is checking, or refused with a code.',
      schema: batchSummaryShape,
      headers: {
        Location: 'The path of the batch, where you can read its state.',
        'Idempotent-Replayed': 'true if the server repeats an earlier response.',
      },
    },
  },
  refusals: ['bad-request', 'unsupported-media-type', 'content-mismatch', 'conflict'],
  citizenData: true,
  run: async (call: CreateCall) => {
    const upload = await parseUpload(call);
    if ('refusal' in upload) return upload;
    const opened = await openBatch(call, upload);
    if ('slug' in opened) return { refusal: opened };
    const { batch } = opened;
    const received = await receive(call, upload, opened);
    if (typeof received === 'string') return { refusal: await endUpload(call, batch, received) };
    const input: Json = { query: { ...call.query }, format: upload.format, sha256: received.sha256 };
    const earlier = await call.repeat?.findStoredResult(input, async (body) => body);
    if (earlier !== undefined) return earlier;
    if (batch.state !== 'receiving')
      return { refusal: refuse('conflict', 'The batch of this Idempotency-Key has ended. Use another key.') };
    return decide(call, batch, received);
  },
});

type Upload = { readonly format: BatchFormat; readonly options: BatchOptions; readonly template: Template | undefined };
type Received = ReceivedUpload & Pick<NotificationBatch, 'delimiter'> & { readonly columns: readonly string[] };

/** Reads the options of an upload; the refusal names all faults. */
async function parseUpload(call: CreateCall): Promise<Upload | RefusedDecision> {
  const { headers, query, ports, caller } = call;
  const format = formatOf(headers['content-type']);
  if (format === undefined || !/^identity$/i.test(headers['content-encoding'] ?? 'identity')) {
    const detail = 'Send text/csv or application/jsonl in UTF-8, without a content coding.';
    return {
      refusal: refuse('unsupported-media-type', detail, { headers: { accept: 'text/csv, application/jsonl' } }),
    };
  }
  const tooLarge = declaredTooLarge(headers['content-length'], batchLimits.bytes);
  if (tooLarge !== undefined) return { refusal: tooLarge };
  const { name: _name, rows = 'good', start = 'automatic', dryRun = false, ...defaults } = query;
  const template =
    defaults.templateId === undefined ? undefined : await ports.templateOf(defaults.templateId, caller.clientId);
  const issues = issuesOf(defaults, template, call.now);
  if (issues.length > 0) return { refusal: refuseIssues(issues) };
  return { format, template, options: { rows, start, dryRun, defaults } };
}

function formatOf(type: string): BatchFormat | undefined {
  const [name = '', charset] = type.toLowerCase().split(/\s*;\s*/);
  if (charset !== undefined && !/^(charset="?utf-8"?|header=.*)$/.test(charset)) return undefined;
  return name === 'text/csv' ? 'csv' : name === 'application/jsonl' ? 'jsonl' : undefined;
}

type Defaults = Pick<
  Static<typeof batchQuery>,
  'templateId' | 'category' | 'language' | 'sendAt' | 'deliverBy' | 'legalEffect'
>;

/** The issues of the values that apply to all rows, as for a single message. */
function issuesOf(defaults: Defaults, template: Template | undefined, now: number): Issue[] {
  // The rows have the values, and the texts if no template has them.
  const texts = defaults.templateId === undefined ? ['message'] : [];
  const ofRows = new Set([...texts, 'personalisation', 'citizenId']);
  const issues = [...textIssues(defaults, { faulty: ofRows, template }), ...parseSendTimes(defaults, now).issues];
  return issues.map(({ pointer = '', code, detail }) => ({ in: 'query', name: pointer.slice(1), code, detail }));
}

type OpenedBatch = { readonly batch: NotificationBatch; readonly isNew: boolean };

/** The batch of the Idempotency-Key, or a new one. */
async function openBatch(call: CreateCall, { format, options }: Upload): Promise<OpenedBatch | Refusal> {
  const { caller, ports, now, repeat } = call;
  const earlier = repeat && (await findBatchByKey(call.read, caller.clientId, repeat.key));
  if (earlier !== undefined) {
    const isSame = earlier.format === format && JSON.stringify(earlier.options) === JSON.stringify(options);
    return isSame ? { batch: earlier, isNew: false } : refuse('idempotency-key-reused');
  }
  const id = call.createId('batch');
  const { wrapped } = createBatchKey(ports.batchKey, id, ports.random);
  const empty = {
    code: null,
    detail: null,
    columns: null,
    delimiter: null,
    rowCount: null,
    checked: 0,
    handled: 0,
    refused: 0,
    accepted: 0,
    startBefore: null,
  };
  const head = { id, clientId: caller.clientId, name: call.query.name ?? null, createdAt: now, endedAt: null };
  const batch: NotificationBatch = { ...head, ...empty, format, options, state: 'receiving', wrappedKey: wrapped };
  try {
    await ports.write(insertBatch(batch, repeat?.key));
    return { batch, isNew: true };
  } catch (fault) {
    if (!(fault instanceof WriteRefused)) throw fault;
    if (fault.kind === 'unique') return uploadInProgress();
    if (fault.kind !== 'rows') throw fault;
    return await tooManyOpen(call);
  }
}

/** Names the open batches: another person or program may have uploaded them. */
async function tooManyOpen({ caller, read }: CreateCall): Promise<Refusal> {
  const limit = batchLimits.openPerClient;
  const open = await findBatches(read, caller.clientId, { before: afterAllBatchIds, limit, isOpen: true });
  const ids = open.map(({ id, state }) => `${id} (${state})`).join(', ');
  return refuse(
    'conflict',
    `A client has at most ${limit} open batches: ${ids}. Wait until one has ended, or start or cancel one of them.`,
  );
}

async function receive(call: CreateCall, upload: Upload, { batch, isNew }: OpenedBatch): Promise<Received | UploadEnd> {
  const { bytes, signal, ports, read } = call;
  const key = openBatchKey(ports.batchKey, batch);
  if (batch.state !== 'receiving' || key === undefined) {
    const hashed = await hashUpload({ bytes, signal });
    return typeof hashed === 'string' ? hashed : { ...hashed, rows: 0, columns: [], delimiter: null };
  }
  const placeholders = upload.template && { placeholders: new Set(templateHeadOf(upload.template).placeholders) };
  const parser =
    upload.format === 'csv'
      ? createCsvUploadParser((names) => checkColumns(names, placeholders))
      : createJsonlUploadParser();
  const pieceKey = { key, batch: batch.id };
  const { write, random } = ports;
  const received = await receiveUpload({ bytes, signal, parser, pieceKey, continues: !isNew, read, write, random });
  if (typeof received === 'string') return received;
  return { ...received, columns: parser.columns(), delimiter: parser.delimiter() };
}

/** The refusal of an upload that ended early. Nobody can continue an upload without a key, so it is cancelled. */
async function endUpload(call: CreateCall, batch: NotificationBatch, end: UploadEnd): Promise<Refusal> {
  if (end === 'in-progress') return uploadInProgress();
  if (end === 'other-content') return refuse('idempotency-key-reused');
  if (batch.state === 'receiving' && (end === 'too-large' || call.repeat === undefined)) {
    const change = {
      from: 'receiving',
      to: 'cancelled',
      at: call.now,
      code: end === 'too-large' ? 'too-large' : 'interrupted',
    } as const;
    const detail =
      end === 'too-large'
        ? `expected at most ${batchLimits.bytes} bytes`
        : 'the upload was interrupted, and had no Idempotency-Key';
    await call.ports.write([changeState(batch, { ...change, detail })]);
  }
  return end === 'too-large'
    ? payloadTooLarge(batchLimits.bytes)
    : refuse('content-mismatch', 'The body does not have the length in Content-Length.');
}

const uploadInProgress = () => refuse('idempotency-key-in-progress', undefined, { headers: { 'retry-after': '1' } });

function decide(call: CreateCall, batch: NotificationBatch, { rows, columns, delimiter, refused }: Received) {
  const { caller, now } = call;
  const state = refused === undefined ? 'checking' : 'refused';
  const head = { id: call.createId('event'), at: now, actor: { client: caller.clientId } };
  const end = { from: 'receiving', to: 'refused', code: refused?.code, detail: refused?.message } as const;
  const effect: Effect =
    refused === undefined
      ? {
          events: [batchChangedEvent(head, batch.id, state)],
          statements: [completeUpload(batch, { columns, delimiter, rows })],
        }
      : endBatch(head, batch, end);
  const after: NotificationBatch =
    refused === undefined
      ? { ...batch, state, columns, delimiter, rowCount: rows }
      : { ...batch, state, code: refused.code, detail: refused.message, endedAt: now };
  return {
    effect,
    answer: { status: 202, headers: { location: `/v1/notification-batches/${batch.id}` }, json: batchSummaryOf(after) },
    quotaWeight: quotaWeightOfRows(rows),
    // Another request with the same key, or a cancellation, was first.
    onConflict: () => refuse('conflict', 'The upload ended by another request. Read the batch.'),
  } as const;
}
