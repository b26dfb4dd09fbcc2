import { Type } from 'typebox';
import { type Call, defineOperation } from '../api/operation.ts';
import { refuse } from '../kernel/problem.ts';
import { keyBytes, saltBytes, startMessage } from '../keys/chunked-encryption.ts';
import { depositHeaders, readDepositHeaders } from './deposit-headers.ts';
import type { HeldDocument } from './document.ts';
import { documentRecord, recordOf } from './document-record.ts';
import { insertDocument } from './document-store.ts';
import type { DocumentPorts } from './ports.ts';
import { receiveDocument } from './receive-document.ts';
import { contentContext, sealRecord } from './sealed-record.ts';

const request = { headers: depositHeaders };

/** What one document may weigh, in bytes. */
export const documentLimit = 104_857_600;

/** Takes a document for a citizen: sealed on the way in, and stored whole with its event, or not at all. */
export const depositDocument = defineOperation({
  name: 'depositDocument',
  since: '1.0',
  method: 'POST',
  path: '/v1/documents',
  scope: 'documents:write',
  summary: 'Deposit a document for a citizen',
  description:
    'The body is the document itself, streamed; what is known of it stands in headers. Text in headers is percent-encoded UTF-8 (encodeURIComponent); plain ASCII without % needs no encoding. The document is encrypted on the way in, under a key that only the citizen’s key opens. Its first bytes are compared with Content-Type, its digest with Repr-Digest where that is sent. A broken upload leaves nothing behind.',
  request,
  bodyBytes: { limit: documentLimit },
  responses: {
    201: {
      description: 'Stored, and durable.',
      schema: Type.Interface([documentRecord], {
        receipt: Type.String({ description: 'The receipt of this deposit.' }),
      }),
      headers: { Location: 'The path of the document.' },
    },
  },
  refusals: ['citizen-not-found', 'content-mismatch', 'unsupported-media-type'],
  citizenData: true,
  run: async (call: Call<typeof request, DocumentPorts>) => {
    const { bytes, caller, now, ports, signal } = call;
    const read = readDepositHeaders(call.headers, now);
    if ('refusal' in read) return read;
    const { citizenId, ground, issuedAt, kind, media, retainUntil, title } = read.terms;
    if (!(await ports.citizenExists(citizenId))) return { refusal: refuse('citizen-not-found') };

    const id = call.mint('document');
    const citizenKey = await ports.citizenKeys.keyOf(citizenId);
    const dataKey = ports.random(keyBytes);
    const message = startMessage(dataKey, contentContext(id), ports.random(saltBytes));
    const destination = { blobs: ports.blobs, name: id, message };
    const arrived = await receiveDocument({ bytes, signal, limit: documentLimit }, destination, read.terms);
    if ('refusal' in arrived) return arrived;

    const { plainBytes: size, plainSha256: sha256, sealedBytes: sealedSize, sealedSha256 } = arrived.received;
    const content = { title, kind, mediaType: media.name, size, sealedSize, sha256, sealedSha256, issuedAt };
    const sealed = { ...content, dataKey, header: message.header };
    const head = { id, citizenId, issuer: caller.clientId, createdAt: now };
    const binding = { ...head, pseudonym: ports.citizenKeys.pseudonymOf(citizenId) };
    const sealedRecord = sealRecord(citizenKey, binding, sealed, ports.random);
    const document: HeldDocument & { status: 'available' } = {
      ...head,
      retainUntil,
      status: 'available',
      sealedRecord,
    };

    const event = call.mint('event');
    const actor = { client: caller.clientId };
    const record = recordOf(document, sealed, { grants: [], clientId: caller.clientId, now });
    return {
      effect: {
        events: [{ type: 'document.deposited', id: event, at: now, actor, citizenId, document: id, ...ground }],
        statements: [insertDocument(document)],
      },
      answer: {
        status: 201,
        headers: { location: `/v1/documents/${id}`, 'cache-control': 'private, no-store' },
        json: { ...record, receipt: `/v1/receipts/${event}` },
      },
      undo: () => ports.blobs.remove(id),
    };
  },
});
