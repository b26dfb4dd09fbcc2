import { Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { findIssuedDocument } from './authorize-document-use.ts';
import { documentParams } from './document-record.ts';
import { removeGrant } from './document-store.ts';
import { decodeLine } from './http/header-text.ts';
import type { DocumentPorts } from './ports.ts';

const request = {
  params: documentParams,
  query: Type.Object(
    {
      clientId: Type.String({ minLength: 1, maxLength: 128, description: 'The client that has the grant.' }),
      purpose: Type.String({ minLength: 1, maxLength: 200, description: 'The purpose of the grant.' }),
    },
    { additionalProperties: false },
  ),
};

/** Ends a grant at once; the next range request is refused. */
export const endGrant = defineOperation({
  name: 'endGrant',
  since: '1.0',
  method: 'DELETE',
  path: '/v1/documents/{id}/grants',
  scope: 'documents:write',
  callers: ['clients'],
  summary: 'End a grant',
  description:
    'Ends the grant at once, also between two range requests. Only the client that deposited the document can call it.',
  request,
  responses: {
    200: { description: 'The grant has ended.', schema: Type.Object({ receipt: Type.String() }) },
  },
  refusals: ['document-not-found', 'document-erased', 'conflict'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, DocumentPorts>): Promise<Decision | RefusedDecision> => {
    const { caller, createId, now, query } = call;
    const found = await findIssuedDocument(call, call.params.id);
    if ('refusal' in found) return found;
    const { id, citizenId } = found.document;
    const { clientId: to } = query;
    // Normalised like at the grant, so that the same text ends it.
    const purpose = decodeLine(encodeURIComponent(query.purpose), 200) ?? query.purpose;
    const event = createId('event');
    const actor = { client: caller.clientId };
    return {
      effect: {
        events: [{ type: 'document.grant-ended', id: event, at: now, actor, citizenId, document: id, to, purpose }],
        statements: [removeGrant(id, to, purpose)],
      },
      answer: {
        status: 200,
        headers: { 'cache-control': 'private, no-store' },
        json: { receipt: `/v1/receipts/${event}` },
      },
      onConflict: () => refuse('conflict', 'The document has no grant for this client and purpose.'),
    };
  },
});
