import { Type } from 'typebox';
import { parseAccept, qualityOf } from '../api/media-range.ts';
import { defineOperation, type OperationCall, type OperationResponse } from '../api/operation.ts';
import { lookupByKey } from '../db/batch-statements.ts';
import { integerField, textField } from '../db/row-fields.ts';
import { formatInstant } from '../kernel/clock.ts';
import { type EventId, parseId } from '../kernel/id.ts';
import { refuse } from '../kernel/refusal.ts';
import type { StoredEntry } from '../ledger/log-view.ts';
import { openEntryContent } from '../ledger/receipt-extra.ts';
import { leafHash } from '../ledger/tlog/merkle.ts';
import type { AuditPorts } from './ports.ts';
import { namesEmployee } from './usage.ts';

const request = {
  params: Type.Object(
    { eventId: Type.String({ description: 'The id in the receipt link.' }) },
    { additionalProperties: false },
  ),
  headers: Type.Object(
    {
      accept: Type.Optional(
        Type.String({ maxLength: 2_000, description: 'To get the proof alone, prefer text/plain to JSON.' }),
      ),
    },
    { additionalProperties: false },
  ),
};

const head = {
  eventId: Type.String(),
  type: Type.String({ description: 'The kind of use, such as notification.accepted.' }),
  recordedAt: Type.String({ format: 'date-time' }),
};

const pending = Type.Object({
  ...head,
  status: Type.Literal('recorded', {
    description: 'Durable in this installation; its number in the signed log follows.',
  }),
});

const logged = Type.Object({
  ...head,
  status: Type.Literal('logged', { description: 'An entry of the signed log.' }),
  leafIndex: Type.Integer({ description: 'The number of the entry in the log, from 0.' }),
  leafHash: Type.String({ description: 'Its hash (RFC 6962) in base64.' }),
  treeSize: Type.Integer({ description: 'The size of the log that the proof leads to.' }),
  proof: Type.String({
    description:
      'A c2sp.org/tlog-proof, verifiable offline with the public key of the log; its extra line has the entry and the key that opens its content.',
  }),
});

type ReceiptCall = OperationCall<typeof request, AuditPorts>;

/**
 * The receipt of a use for the client that caused it, and of an erasure for the issuer of the document. Other clients get 404.
 */
export const readReceipt = defineOperation({
  name: 'readReceipt',
  since: '1.0',
  method: 'GET',
  path: '/v1/receipts/{eventId}',
  scope: 'any',
  callers: ['clients'],
  summary: 'The ledger receipt of one use',
  description:
    'Each answer that used a citizen’s data links to its receipt, and so does the answer about an erased document to its issuer. The status is 202 until the event has its number in the signed log.',
  request,
  responses: {
    200: {
      description: 'In the log, with its proof; or the proof alone, as text.',
      schema: logged,
      text: {
        type: 'text/plain',
        pattern: '^c2sp\\.org/tlog-proof@v1\\n',
        description: 'A c2sp.org/tlog-proof: the file that `ledger verify` and other verifiers of that format read.',
        example: 'c2sp.org/tlog-proof@v1\nindex 0\n\ngov.example/ledger\n1\n…',
      },
      headers: { 'Content-Disposition': 'As text: attachment, with a name for the file (RFC 6266).' },
    },
    202: {
      description: 'Recorded, not yet numbered.',
      schema: pending,
      headers: { 'Retry-After': 'Seconds to wait before the next request.' },
    },
  },
  refusals: ['receipt-not-found'],
  citizenData: false,
  run: async (call: ReceiptCall) => {
    const receipt = (await loggedReceipt(call)) ?? (await pendingReceipt(call)) ?? (await loggedReceipt(call));
    return receipt === undefined ? { refusal: refuse('receipt-not-found') } : { plain: receipt };
  },
});

const findPendingEvent = lookupByKey('ledger_event', 'id', 'id, type, at, client_id');

/** The answer for an event that waits for its number or signature. */
async function pendingReceipt(call: ReceiptCall): Promise<OperationResponse | undefined> {
  const eventId = parseId('event', call.params.eventId);
  if (eventId === undefined) return undefined;
  const [row] = await findPendingEvent(call.read, eventId);
  if (row === undefined) return undefined;
  const event = { eventId, type: textField(row, 'type'), clientId: row['client_id'] };
  return (await mayRead(call, event)) ? pendingAnswer(eventId, event.type, integerField(row, 'at')) : undefined;
}

/** Events that erase documents. For the issuers of these they are the proof. */
const erasureTypes = new Set(['document.erased', 'citizen.erased']);

type CausedEvent = { readonly eventId: EventId; readonly type: string; readonly clientId: unknown };

async function mayRead({ caller, ports }: ReceiptCall, { eventId, type, clientId }: CausedEvent): Promise<boolean> {
  if (clientId === caller.clientId) return true;
  return erasureTypes.has(type) && (await ports.isErasureOf(eventId, caller.clientId));
}

function pendingAnswer(eventId: string, type: string, at: number) {
  const json = { eventId, type, recordedAt: formatInstant(at), status: 'recorded' };
  return { status: 202, headers: { 'retry-after': '1' }, json };
}

async function loggedReceipt(call: ReceiptCall): Promise<OperationResponse | undefined> {
  const { params, headers, ports } = call;
  const { log } = ports;
  const eventId = parseId('event', params.eventId);
  const entry = eventId === undefined ? undefined : await log.findEntry(eventId);
  if (entry === undefined || !(await mayRead(call, entry))) return undefined;
  const checkpoint = await log.checkpointFor(entry.index);
  if (checkpoint === undefined) return pendingAnswer(entry.eventId, entry.type, entry.at);
  const proof = await log.proveEntry(entry, checkpoint, await contentKeyFor(call, entry));
  if (wantsText(headers.accept)) return proofAsText(entry.eventId, proof);
  const json = {
    eventId: entry.eventId,
    type: entry.type,
    recordedAt: formatInstant(entry.at),
    status: 'logged',
    leafIndex: entry.index,
    leafHash: leafHash(entry.entry).toString('base64'),
    treeSize: checkpoint.size,
    proof,
  };
  return { status: 200, headers: { ...privateHeaders }, json };
}

/** The content key of an entry. `citizen.erased` names a pseudonym, and other entries an employee: these stay encrypted. */
async function contentKeyFor({ ports: { log } }: ReceiptCall, entry: StoredEntry): Promise<Uint8Array | undefined> {
  const contentKey = entry.type === 'citizen.erased' ? undefined : await log.findContentKey(entry);
  const content = openEntryContent({ entry: entry.entry, contentKey });
  return content === undefined || namesEmployee(content) ? undefined : contentKey;
}

const privateHeaders = { 'cache-control': 'private, no-store', vary: 'accept, authorization' };

/** Whether the client prefers the bare proof to the receipt as JSON. */
function wantsText(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = parseAccept(accept);
  return qualityOf('text/plain', ranges) > qualityOf('application/json', ranges);
}

function proofAsText(eventId: string, proof: string): OperationResponse {
  const bytes = Buffer.from(proof);
  const headers = {
    ...privateHeaders,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(bytes.length),
    'content-disposition': `attachment; filename="${eventId}.tlog-proof"`,
  };
  return { status: 200, headers, stream: singlePiece(bytes) };
}

async function* singlePiece(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}
