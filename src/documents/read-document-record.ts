import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { authorizeDocumentUse, documentUseEvent, readerOf, receiptOf } from './authorize-document-use.ts';
import { privacyHeaders, receiptLink } from './document-answer.ts';
import { documentParams, documentRecord, purposeHeader, toDocumentRecord } from './document-record.ts';
import type { DocumentPorts } from './ports.ts';

const request = {
  params: documentParams,
  headers: Type.Object({ purpose: purposeHeader }, { additionalProperties: false }),
};

/** Reads the record of a document in any state before its erasure. */
export const readDocumentRecord = defineOperation({
  name: 'readDocumentRecord',
  since: '1.0',
  method: 'GET',
  path: '/v1/documents/{id}/record',
  scope: 'documents:read',
  callers: ['clients', 'citizens'],
  summary: 'Read the record of a document',
  description:
    'Returns the title, type, size, digest, status, scan and grants of a document, also while it cannot be retrieved. The callers that may retrieve the document may read its record. The server stores each access as a ledger event before it responds; Link has the receipt.',
  request,
  responses: {
    200: {
      description: 'The record of the document.',
      schema: documentRecord,
      headers: { Link: 'For a client: a link to the ledger receipt of this access.' },
    },
  },
  refusals: ['document-not-found', 'document-erased', 'document-unreadable', 'purpose-not-permitted'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, DocumentPorts>) => {
    const authorized = await authorizeDocumentUse(call);
    if ('refusal' in authorized) return authorized;
    const { document, grants, content, access } = authorized;
    const event = documentUseEvent(call, document, { type: 'document.record-read', access });
    const receipt = receiptOf(event);
    const headers = receipt === undefined ? privacyHeaders : { ...privacyHeaders, link: receiptLink(receipt) };
    const json = toDocumentRecord(document, content, { grants, reader: readerOf(call, undefined), now: call.now });
    return { effect: { events: [event], statements: [] }, answer: { status: 200, headers, json } };
  },
});
