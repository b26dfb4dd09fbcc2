import { Type } from 'typebox';
import {
  type Decision,
  defineOperation,
  type OperationCall,
  type OperationResponse,
  type RefusedDecision,
} from '../api/operation.ts';
import { SealBroken } from '../crypto/chunked-encryption.ts';
import { refuse } from '../kernel/refusal.ts';
import {
  authorizeDocumentUse,
  documentUnreadable,
  documentUseEvent,
  receiptOf,
  refuseWithEvent,
} from './authorize-document-use.ts';
import { BlobBroken, BlobsUnavailable } from './blobs/blob-store.ts';
import type { DocumentAccess } from './document.ts';
import {
  type DocumentAnswerContext,
  documentHeaders,
  etagOf,
  partsAnswer,
  verifiedHeadAnswer,
  wholeAnswer,
} from './document-answer.ts';
import { documentParams, purposeHeader } from './document-record.ts';
import { acceptsType, type ConditionalOutcome, evaluateConditions } from './http/conditional-request.ts';
import { wantsSha256 } from './http/repr-digest.ts';
import type { OpenDocument } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';

const header = (description: string) => Type.Optional(Type.String({ maxLength: 2_000, description }));

const request = {
  params: documentParams,
  headers: Type.Object(
    {
      accept: header('The accepted media types. They must include the media type of the document.'),
      range: header('One or several ranges of bytes (RFC 9110).'),
      'if-range': header('The ETag to which the range belongs. For another ETag, the response is the whole document.'),
      'if-match': header('Retrieves the document only if its ETag is one of these (RFC 9110).'),
      'if-none-match': header('Retrieves the document only if its ETag is none of these (RFC 9110).'),
      'want-repr-digest': header('sha-256=0 omits Repr-Digest (RFC 9530). No other algorithm is supported.'),
      'want-content-digest': header(
        'sha-256=1 requests Content-Digest (RFC 9530), for a whole document or a part up to 1 MiB.',
      ),
      purpose: purposeHeader,
    },
    { additionalProperties: false },
  ),
};

const ofDocument = {
  ETag: 'The version of the document, as a strong ETag. Do not parse it.',
  'Repr-Digest': 'The SHA-256 of the whole document (RFC 9530).',
  'Accept-Ranges': 'bytes: the server supports byte ranges.',
  'Content-Disposition': 'attachment, with the title as the file name (RFC 6266).',
  Link: 'Links to the record (describedby) and, for a client, to the ledger receipt of this access.',
};

type RetrieveCall = OperationCall<typeof request, DocumentPorts>;

/** Retrieves a document or a part of it. The event is durable before any byte leaves. */
export const retrieveDocument = defineOperation({
  name: 'retrieveDocument',
  since: '1.0',
  method: 'GET',
  path: '/v1/documents/{id}',
  scope: 'documents:read',
  callers: ['clients', 'citizens'],
  summary: 'Retrieve a secure document',
  description:
    'Returns the document as an attachment. The client that deposited it, clients with a grant, and its citizen (claim citizen_id of a trusted issuer) can call it. All other callers receive 404. The server stores each access as a ledger event before it responds; Link has the receipt.',
  request,
  responses: {
    200: { description: 'The whole document.', bytes: true, headers: ofDocument },
    206: {
      description: 'The requested ranges. Several ranges have the type multipart/byteranges.',
      bytes: true,
      headers: { ...ofDocument, 'Content-Range': 'The range and the length of the document, for a single range.' },
    },
    304: { description: 'If-None-Match contains the current ETag.', headers: ofDocument },
  },
  refusals: [
    'document-not-found',
    'document-not-ready',
    'document-quarantined',
    'document-withdrawn',
    'document-erased',
    'precondition-failed',
    'range-not-satisfiable',
    'document-unreadable',
    'not-acceptable',
    'purpose-not-permitted',
  ],
  citizenData: true,
  run: async (call: RetrieveCall): Promise<Decision | RefusedDecision> => {
    const authorized = await authorizeDocumentUse(call);
    if ('refusal' in authorized) return authorized;
    const { document, content, access } = authorized;
    if (document.status !== 'available') return refuseWithEvent(call, document, access);
    const open = { document: { ...document, status: document.status }, content };
    return acceptsType(call.headers.accept, content.mediaType)
      ? answerDocument(call, open, access)
      : refuseMediaType(call, open, access);
  },
});

/** The refusal shows that the document is not of an accepted type, so it has the event of a read record. */
function refuseMediaType(call: RetrieveCall, { document }: OpenDocument, access: DocumentAccess): RefusedDecision {
  const event = documentUseEvent(call, document, { type: 'document.record-read', access });
  const detail = `The Accept header does not allow the media type of the document. Its record as JSON is at /v1/documents/${document.id}/record.`;
  return { refusal: refuse('not-acceptable', detail), effect: { events: [event], statements: [] } };
}

/**
 * Answers a request for an available document. The bytes are opened before the decision, so that the event states the real
 * outcome. No byte leaves before the event is durable.
 */
async function answerDocument(
  call: RetrieveCall,
  open: OpenDocument,
  access: DocumentAccess,
): Promise<Decision | RefusedDecision> {
  const { method, headers: requestHeaders, ports } = call;
  const etag = etagOf(ports.etagKey, open);
  const outcome = evaluateConditions(method, requestHeaders, { etag, length: open.content.size });
  const givesBytes = method === 'GET' && (outcome.answer === 'whole' || outcome.answer === 'parts');
  const type = givesBytes ? 'document.retrieved' : 'document.record-read';
  const event = documentUseEvent(call, open.document, { type, access });
  const effect = { events: [event], statements: [] } as const;
  const { 'repr-digest': digest, ...plain } = documentHeaders(open, etag, receiptOf(event));
  const unwanted = wantsSha256(requestHeaders['want-repr-digest']) === false;
  const headers = unwanted || digest === undefined ? plain : { ...plain, 'repr-digest': digest };
  const wantsDigest = wantsSha256(requestHeaders['want-content-digest']) === true;
  const context = { ports, open, headers, now: call.now, wantsDigest };
  switch (outcome.answer) {
    case 'precondition-failed':
      return { refusal: refuse('precondition-failed'), effect };
    case 'unsatisfiable': {
      const range = `bytes */${open.content.size}`;
      return { refusal: refuse('range-not-satisfiable', undefined, { headers: { 'content-range': range } }), effect };
    }
    case 'not-modified':
      return { effect, answer: { status: 304, headers, stream: null } };
    case 'whole':
    case 'parts':
      try {
        return { effect, answer: await bytesAnswer(context, method, outcome) };
      } catch (fault) {
        const isUnreadable =
          fault instanceof SealBroken || fault instanceof BlobBroken || fault instanceof BlobsUnavailable;
        if (isUnreadable) return refuseWithEvent(call, open.document, access, documentUnreadable());
        throw fault;
      }
  }
}

function bytesAnswer(
  context: DocumentAnswerContext,
  method: string,
  outcome: Extract<ConditionalOutcome, { answer: 'whole' | 'parts' }>,
): Promise<OperationResponse> {
  if (outcome.answer === 'parts') return partsAnswer(context, outcome.ranges);
  return method === 'HEAD' ? verifiedHeadAnswer(context) : wholeAnswer(context);
}
