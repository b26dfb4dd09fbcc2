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
  summary: 'Read the record of a document',
  description:
    'Title, type, size, digest, status, scan and grants of a document, also while it cannot be retrieved. The same callers as of the document may read it. Each access is a ledger event that is stored before the answer; Link names its receipt.',
  request,
  responses: {
    200: {
      description: 'The record.',
      schema: documentRecord,
      headers: { Link: 'For a client: to the receipt of this use.' },
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
