import type { OperationCall, RefusedDecision, RequestShape } from '../api/operation.ts';
import type { Read } from '../db/database.ts';
import { type DocumentId, type EventId, parseId } from '../kernel/id.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import {
  accessOf,
  type DocumentAccess,
  type DocumentReader,
  type SealedDocument,
  type StoredDocument,
} from './document.ts';
import { type DocumentWithGrants, findDocument } from './document-store.ts';
import { parsePurpose } from './http/header-text.ts';
import { openDocumentContent, undefinedIfInvalid } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';
import type { DocumentContent } from './sealed-record.ts';

type UseCall = Pick<OperationCall<RequestShape, unknown>, 'caller' | 'createId' | 'now'>;

/** The reader of a call: the citizen of the token, or the client that acts for itself. */
export function readerOf({ caller }: UseCall, purpose: string | undefined): DocumentReader {
  const { clientId, citizenId } = caller;
  return citizenId === undefined ? { client: clientId, purpose } : { citizen: citizenId };
}

/** The event of the use of a document. The purpose of the grant counts, not the stated one. */
export function documentUseEvent<T extends 'document.retrieved' | 'document.record-read'>(
  call: UseCall,
  document: StoredDocument,
  { type, access }: { readonly type: T; readonly access: DocumentAccess },
) {
  const purpose = access.by === 'grant' ? access.grant.purpose : access.by === 'issuer' ? access.purpose : undefined;
  const id = call.createId('event');
  const actor = actorOf(call, access);
  return { type, id, at: call.now, actor, citizenId: document.citizenId, document: document.id, purpose } as const;
}

/**
 * The receipt of a use for a client. A citizen has none, but the access log: `GET /v1/receipts/{eventId}` serves the client that caused
 * the event.
 */
export function receiptOf({ id, actor }: ReturnType<typeof documentUseEvent>): EventId | undefined {
  return 'citizen' in actor ? undefined : id;
}

function actorOf({ caller }: UseCall, access: DocumentAccess | undefined) {
  return access?.by === 'citizen' ? ({ citizen: true } as const) : { client: caller.clientId };
}

/**
 * A refusal with its event, so that the citizen sees the attempt. A client without access gets 404, and no receipt: the receipt
 * would reveal whose document it is, and the event id is in the published log. A citizen without access leaves no entry in the
 * log of the other citizen, who would take it for a use by an authority. `refusalForReader` is for a client with access; by
 * default it states the status of the document.
 */
export function refuseWithEvent(
  call: UseCall,
  document: StoredDocument,
  access: DocumentAccess | undefined,
  refusalForReader: Refusal = unavailableRefusal(document),
): RefusedDecision {
  if (access === undefined && call.caller.citizenId !== undefined) return refuseUnknown(call, document.id);
  const id = call.createId('event');
  const actor = actorOf(call, access);
  const about = { citizenId: document.citizenId, document: document.id };
  const head = { type: 'document.refused', id, at: call.now, actor, ...about } as const;
  const [refusal, event] =
    access === undefined
      ? [refuse('document-not-found'), { ...head, reason: 'not-permitted', receipt: false } as const]
      : [refusalForReader, { ...head, reason: 'not-available' } as const];
  return { refusal, effect: { events: [event], statements: [] } };
}

/**
 * The document of a call, or the refusal. An unknown id costs the same write as the document of another client, and leaves the
 * same entry in the published log, so that ids cannot be probed.
 */
async function findDocumentFor(
  call: UseCall & { readonly read: Read },
  idText: string,
): Promise<DocumentWithGrants | RefusedDecision> {
  const id = parseId('document', idText);
  if (id === undefined) return { refusal: refuse('document-not-found') };
  const found = await findDocument(call.read, id);
  return found ?? refuseUnknown(call, id);
}

/** The refusal of a document that does not exist for the caller. Its event concerns nobody. */
function refuseUnknown(call: UseCall, id: DocumentId): RefusedDecision {
  const head = {
    id: call.createId('event'),
    at: call.now,
    actor: { client: call.caller.clientId },
    receipt: false,
  } as const;
  const about = { citizenId: `nobody:${id}`, document: id, reason: 'not-permitted' } as const;
  const event = { type: 'document.unknown', ...head, ...about } as const;
  return { refusal: refuse('document-not-found'), effect: { events: [event], statements: [] } };
}

/** A document that the caller of an operation may use, and why. */
type AuthorizedDocument = DocumentWithGrants<SealedDocument> & {
  readonly access: DocumentAccess;
  readonly content: DocumentContent;
};

type AuthorizedCall = UseCall & {
  readonly read: Read;
  readonly params: { readonly id: string };
  readonly headers: { readonly purpose?: string | undefined };
  readonly ports: Pick<DocumentPorts, 'citizenKeys' | 'alarm'>;
};

/**
 * The document of a call with its opened record, or the refusal. These may read it: the client that deposited it, clients with a grant,
 * and the citizen. For everyone else it does not exist.
 */
export async function authorizeDocumentUse(call: AuthorizedCall): Promise<AuthorizedDocument | RefusedDecision> {
  const stated = parsePurpose(call.headers.purpose, call.caller);
  if ('refusal' in stated) return stated;
  const found = await findDocumentFor(call, call.params.id);
  if ('refusal' in found) return found;
  const { document, grants } = found;
  const access = accessOf(document, grants, readerOf(call, stated.purpose), call.now);
  if (access === undefined) return refuseWithEvent(call, document, undefined);
  if (document.status === 'erased') return refuseWithEvent(call, document, access);
  const content = await openDocumentContent(call.ports, document).catch(undefinedIfInvalid);
  if (content === undefined) return refuseWithEvent(call, document, access, documentUnreadable());
  return { document, grants, access, content };
}

/** The document of its issuer. For other clients it does not exist, and the citizen sees the attempt. */
export async function findIssuedDocument(
  call: UseCall & { readonly read: Read },
  idText: string,
): Promise<{ readonly document: SealedDocument } | RefusedDecision> {
  const found = await findDocumentFor(call, idText);
  if ('refusal' in found) return found;
  const { document } = found;
  if (document.issuer !== call.caller.clientId) return refuseWithEvent(call, document, undefined);
  if (document.status === 'erased') return refuseWithEvent(call, document, { by: 'issuer', purpose: undefined });
  return { document };
}

/** The refusal of a document whose record or bytes cannot be read now. */
export const documentUnreadable = () => refuse('document-unreadable', undefined, { headers: { 'retry-after': '10' } });

function unavailableRefusal(document: StoredDocument): Refusal {
  switch (document.status) {
    case 'available':
    case 'scanning':
      return refuse('document-not-ready', undefined, { headers: { 'retry-after': '5' } });
    case 'quarantined':
      return refuse('document-quarantined');
    case 'withdrawn':
      return refuse('document-withdrawn');
    case 'erased': {
      const proof = `/v1/receipts/${document.proof}`;
      const headers = { link: `<${proof}>; rel="describedby"` };
      return refuse('document-erased', undefined, { members: { proof }, headers });
    }
  }
}
