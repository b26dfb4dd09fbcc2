import type { OperationCall, RefusedDecision, RequestShape } from '../api/operation.ts';
import type { Read } from '../db/database.ts';
import { parseId } from '../kernel/id.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { DocumentAccess, DocumentReader, StoredDocument } from './document.ts';
import { type DocumentWithGrants, findDocument } from './document-store.ts';

type UseCall = Pick<OperationCall<RequestShape, unknown>, 'caller' | 'mint' | 'now'>;

/**
 * Who reads: the citizen whom the token names, and then nobody but that citizen, where the client may act for citizens;
 * else the client. A client that may not has its own rights, whoever is there.
 */
export function readerOf({ caller }: UseCall, purpose: string | undefined): DocumentReader {
  const { clientId, citizenId, scopes } = caller;
  const own = citizenId !== undefined && scopes.has('citizen:self');
  return own ? { citizen: citizenId } : { client: clientId, purpose };
}

/** The event of the use of a document; the purpose of the grant counts, not what the caller says of it. */
export function documentUseEvent<T extends 'document.retrieved' | 'document.record-read'>(
  call: UseCall,
  document: StoredDocument,
  { type, access }: { readonly type: T; readonly access: DocumentAccess },
) {
  const purpose = access.by === 'grant' ? access.grant.purpose : access.by === 'issuer' ? access.purpose : undefined;
  const id = call.mint('event');
  const actor = actorOf(call, access);
  return { type, id, at: call.now, actor, citizenId: document.citizenId, document: document.id, purpose } as const;
}

function actorOf({ caller }: UseCall, access: DocumentAccess | undefined) {
  return access?.by === 'citizen' ? ({ citizen: true } as const) : { client: caller.clientId };
}

/**
 * A refusal with its event, so that the citizen sees that somebody asked for the document and did not get it. Who may not
 * know that it exists (no `access`) has no receipt of that, which would open whose it is; its id stands in the published log.
 * `why` is told to who has access; where it is left out, the state of the document.
 */
export function refuseWithEvent(
  call: UseCall,
  document: StoredDocument,
  access: DocumentAccess | undefined,
  refusalForReader: Refusal = unavailableRefusal(document),
): RefusedDecision {
  const [id, actor] = [call.mint('event'), actorOf(call, access)];
  const about = { citizenId: document.citizenId, document: document.id };
  const head = { type: 'document.refused', id, at: call.now, actor, ...about } as const;
  const [refusal, event] =
    access === undefined
      ? [refuse('document-not-found'), { ...head, reason: 'not-permitted', receipt: false } as const]
      : [refusalForReader, { ...head, reason: 'not-available' } as const];
  return { refusal, effect: { events: [event], statements: [] } };
}

/**
 * A document that this call may see, or the refusal; an id that does not exist costs the same write as one that is not
 * yours, and leaves the same entry in the published log.
 */
export async function findDocumentFor(
  call: UseCall & { readonly read: Read },
  given: string,
): Promise<DocumentWithGrants | RefusedDecision> {
  const id = parseId('document', given);
  if (id === undefined) return { refusal: refuse('document-not-found') };
  const found = await findDocument(call.read, id);
  if (found !== undefined) return found;
  const head = {
    id: call.mint('event'),
    at: call.now,
    actor: { client: call.caller.clientId },
    receipt: false,
  } as const;
  const about = { citizenId: `nobody:${id}`, document: id, reason: 'not-permitted' } as const;
  const event = { type: 'document.unknown', ...head, ...about } as const;
  return { refusal: refuse('document-not-found'), effect: { events: [event], statements: [] } };
}

/** The document of its issuer; to everyone else it does not exist, and the citizen sees that they asked. */
export async function findIssuedDocument(
  call: UseCall & { readonly read: Read },
  given: string,
): Promise<{ readonly document: Exclude<StoredDocument, { status: 'erased' | 'receiving' }> } | RefusedDecision> {
  const found = await findDocumentFor(call, given);
  if ('refusal' in found) return found;
  const { document } = found;
  if (document.issuer !== call.caller.clientId) return refuseWithEvent(call, document, undefined);
  if (document.status === 'erased' || document.status === 'receiving')
    return refuseWithEvent(call, document, { by: 'issuer', purpose: undefined });
  return { document };
}

function unavailableRefusal(document: StoredDocument): Refusal {
  switch (document.status) {
    case 'available':
    case 'receiving':
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
