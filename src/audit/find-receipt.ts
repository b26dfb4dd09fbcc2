import { Type } from 'typebox';
import type { OperationCall } from '../api/operation.ts';
import { lookupByKey } from '../db/batch-statements.ts';
import { textField } from '../db/row-fields.ts';
import { type EventId, parseId } from '../kernel/id.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { openEntryContent } from '../ledger/receipt-extra.ts';
import type { StoredEntry } from '../ledger/stored-entry.ts';
import type { AuditPorts } from './ports.ts';
import { namesEmployee } from './usage.ts';

/** The path parameters of the operations on one receipt. */
export const receiptParams = Type.Object(
  { eventId: Type.String({ description: 'The id of the event, which the receipt link contains.' }) },
  { additionalProperties: false },
);

/** A call of an operation on one receipt. */
export type ReceiptCall = OperationCall<{ readonly params: typeof receiptParams }, AuditPorts>;

/** The entry of an event in the signed log, with its proof (c2sp.org/tlog-proof) in a log of `treeSize` entries. */
type Receipt = { readonly entry: StoredEntry; readonly treeSize: number; readonly proof: string };

/** The headers of every answer with a receipt: it says what the entry says. */
export const receiptHeaders = { 'cache-control': 'private, no-store', vary: 'accept, authorization' } as const;

/**
 * The receipt of a use for the client that caused it, and of an erasure for the issuer of the document. For other clients it does not
 * exist. Until the event has its number and a signed checkpoint covers it, the refusal is `receipt-not-ready`.
 */
export async function findReceipt(call: ReceiptCall): Promise<Receipt | { readonly refusal: Refusal }> {
  const eventId = parseId('event', call.params.eventId);
  if (eventId === undefined) return { refusal: refuse('receipt-not-found') };
  return (
    (await numberedReceipt(call, eventId)) ??
    (await waitingReceipt(call, eventId)) ??
    // The sequencer may have numbered the event between these lookups.
    (await numberedReceipt(call, eventId)) ?? { refusal: refuse('receipt-not-found') }
  );
}

const findWaitingEvent = lookupByKey('ledger_event', 'id', 'id, type, client_id');

async function waitingReceipt(call: ReceiptCall, eventId: EventId): Promise<{ readonly refusal: Refusal } | undefined> {
  const [row] = await findWaitingEvent(call.read, eventId);
  if (row === undefined) return undefined;
  const event = { eventId, type: textField(row, 'type'), clientId: row['client_id'] };
  return (await mayRead(call, event)) ? notReady() : undefined;
}

async function numberedReceipt(
  call: ReceiptCall,
  eventId: EventId,
): Promise<Receipt | { readonly refusal: Refusal } | undefined> {
  const { log } = call.ports;
  const entry = await log.findEntry(eventId);
  if (entry === undefined || !(await mayRead(call, entry))) return undefined;
  const checkpoint = await log.checkpointFor(entry.index);
  if (checkpoint === undefined) return notReady();
  const proof = await log.proveEntry(entry, checkpoint, await contentKeyFor(call, entry));
  return { entry, treeSize: checkpoint.size, proof };
}

const notReady = () => ({ refusal: refuse('receipt-not-ready', undefined, { headers: { 'retry-after': '1' } }) });

/** Events that erase documents. For the issuers of these they are the proof. */
const erasureTypes = new Set(['document.erased', 'citizen.erased']);

type CausedEvent = { readonly eventId: EventId; readonly type: string; readonly clientId: unknown };

async function mayRead({ caller, ports }: ReceiptCall, { eventId, type, clientId }: CausedEvent): Promise<boolean> {
  if (clientId === caller.clientId) return true;
  return erasureTypes.has(type) && (await ports.isErasureOf(eventId, caller.clientId));
}

/** The content key of an entry. `citizen.erased` names a pseudonym, and other entries an employee: these stay encrypted. */
async function contentKeyFor({ ports: { log } }: ReceiptCall, entry: StoredEntry): Promise<Uint8Array | undefined> {
  const contentKey = entry.type === 'citizen.erased' ? undefined : await log.findContentKey(entry);
  const content = openEntryContent({ entry: entry.entry, contentKey });
  return content === undefined || namesEmployee(content) ? undefined : contentKey;
}
