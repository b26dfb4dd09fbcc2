import { Type } from 'typebox';
import { type Answer, type Call, type Decision, defineOperation, type Refused } from '../api/operation.ts';
import type { EventId } from '../kernel/id.ts';
import { refuse } from '../kernel/problem.ts';
import { SealBroken } from '../keys/chunked-encryption.ts';
import type { Effect } from '../ledger/commit.ts';
import { BlobBroken, BlobsUnavailable } from './blobs/blob-store.ts';
import { judge } from './conditional-request.ts';
import { type Access, accessOf, type HeldDocument } from './document.ts';
import { documentHeaders, etagOf, partsAnswer, privacyHeaders, provenHead, wholeAnswer } from './document-answer.ts';
import { documentParams, documentRecord, recordOf } from './document-record.ts';
import type { Found } from './document-store.ts';
import { findFor, readerOf, turnAway, useOf } from './document-use.ts';
import { longestEncodedLine, readPurpose } from './header-text.ts';
import { noneIfBroken, type OpenDocument, openContent } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';
import { preferredForm } from './preferred-form.ts';
import { wantsSha256 } from './repr-digest.ts';
import type { DocumentContent } from './sealed-record.ts';

const header = (description: string, maxLength = 2_000) => Type.Optional(Type.String({ maxLength, description }));

const request = {
  params: documentParams,
  headers: Type.Object(
    {
      accept: header('application/json, preferred over the type of the document, asks for its record.'),
      range: header('RFC 9110: one or several ranges of bytes.'),
      'if-range': header('The ETag that the range belongs to.'),
      'if-match': header('RFC 9110.'),
      'if-none-match': header('RFC 9110.'),
      'want-repr-digest': header('RFC 9530: sha-256=0 leaves Repr-Digest away; another algorithm there is not.'),
      'want-content-digest': header(
        'RFC 9530: sha-256=1 wants Content-Digest, of a whole document or a part up to 1 MiB.',
      ),
      purpose: header(
        'For what it is read; told to the citizen. With grants, the purpose of the grant that is used.',
        longestEncodedLine,
      ),
    },
    { additionalProperties: false },
  ),
};

const ofDocument = {
  ETag: 'Opaque and strong.',
  'Repr-Digest': 'RFC 9530: the SHA-256 of the whole document.',
  'Accept-Ranges': 'bytes',
  'Content-Disposition': 'attachment, with the title as file name (RFC 6266).',
  Link: 'To the record (describedby) and, for a client, to the receipt of this use.',
};

type RetrieveCall = Call<typeof request, DocumentPorts>;

/** Gives out a document, in whole or in part, or its record, to whom it may concern. */
export const retrieveDocument = defineOperation({
  name: 'retrieveDocument',
  since: '1.0',
  method: 'GET',
  path: '/v1/documents/{id}',
  scope: 'documents:read',
  summary: 'Retrieve a secure document',
  description:
    'The document itself, as an attachment, to the client that deposited it, to clients with a grant, and to its citizen where the token names one (claim citizen_id of a trusted issuer, with the scope citizen:self besides); everyone else finds nothing. Each answer is preceded by a durable ledger event, named in Link. With Accept: application/json the record of the document.',
  request,
  responses: {
    200: {
      description: 'The document; or its record, where JSON is preferred.',
      bytes: true,
      schema: documentRecord,
      headers: ofDocument,
    },
    206: {
      description: 'The ranges asked for; several as multipart/byteranges.',
      bytes: true,
      headers: { ...ofDocument, 'Content-Range': 'The range, where it is one.' },
    },
    304: { description: 'If-None-Match names the present ETag.', headers: ofDocument },
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
  run: async (call: RetrieveCall): Promise<Decision | Refused> => {
    const stated = readPurpose(call.headers.purpose, call.caller);
    if ('refusal' in stated) return stated;
    const found = await findFor(call, call.params.id);
    if ('refusal' in found) return found;
    const { document, grants } = found;
    const access = accessOf(document, grants, readerOf(call, stated.purpose), call.now);
    if (access === undefined) return turnAway(call, document, undefined);
    if (document.status === 'receiving' || document.status === 'erased') return turnAway(call, document, access);

    const content = await openContent(call.ports, document).catch(noneIfBroken);
    if (content === undefined) return turnAway(call, document, access, unreadable());
    const form = preferredForm(call.headers.accept, content.mediaType);
    if (form === undefined) return { refusal: refuse('not-acceptable') };
    if (form === 'record') return giveRecord(call, { document, grants }, content, access);
    if (document.status !== 'available') return turnAway(call, document, access);
    return giveDocument(call, { document: { ...document, status: document.status }, content }, access);
  },
});

function giveRecord(
  call: RetrieveCall,
  { document, grants }: Found<HeldDocument>,
  content: DocumentContent,
  access: Access,
): Decision {
  const event = useOf(call, document, { type: 'document.record-read', access });
  const record = recordOf(document, content, { grants, reader: readerOf(call, undefined), now: call.now });
  return {
    effect: { events: [event], statements: [] },
    answer: { status: 200, headers: privacyHeaders(document.id, receiptOf(event)), json: record },
  };
}

/** The receipt of a use, which is for clients: `GET /v1/receipts/{eventId}` asks who caused it. */
function receiptOf({ id, actor }: ReturnType<typeof useOf>): EventId | undefined {
  return 'citizen' in actor ? undefined : id;
}

/**
 * What is asked of the document itself. Its bytes are opened first, so that the event says what became of it: nothing of them
 * leaves before that is durable.
 */
async function giveDocument(call: RetrieveCall, open: OpenDocument, access: Access): Promise<Decision | Refused> {
  const { method, headers: asked, ports } = call;
  const etag = etagOf(ports.etagKey, open);
  const outcome = judge(method, asked, { etag, length: open.content.size });
  const givesBytes = method === 'GET' && (outcome.answer === 'whole' || outcome.answer === 'parts');
  const type = givesBytes ? 'document.retrieved' : 'document.record-read';
  const event = useOf(call, open.document, { type, access });
  const effect = { events: [event], statements: [] } as const;
  const { 'repr-digest': digest, ...plain } = documentHeaders(open, etag, receiptOf(event));
  const unwanted = wantsSha256(asked['want-repr-digest']) === false;
  const headers = unwanted || digest === undefined ? plain : { ...plain, 'repr-digest': digest };
  const wantsDigest = wantsSha256(asked['want-content-digest']) === true;
  const answering = { ports, open, headers, now: call.now, wantsDigest };
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
      return (
        (await decided(effect, method === 'HEAD' ? provenHead(answering) : wholeAnswer(answering))) ??
        turnAway(call, open.document, access, unreadable())
      );
    case 'parts':
      return (
        (await decided(effect, partsAnswer(answering, outcome.ranges))) ??
        turnAway(call, open.document, access, unreadable())
      );
  }
}

/** undefined where the bytes cannot be had as they were stored; the operator was told. */
async function decided(effect: Effect, bytes: Promise<Answer>): Promise<Decision | undefined> {
  try {
    return { effect, answer: await bytes };
  } catch (fault) {
    if (fault instanceof SealBroken || fault instanceof BlobBroken || fault instanceof BlobsUnavailable)
      return undefined;
    throw fault;
  }
}

const unreadable = () => refuse('document-unreadable', undefined, { headers: { 'retry-after': '10' } });
