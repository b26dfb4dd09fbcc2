import { Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { formatInstant, instantRequirement, parseInstant } from '../kernel/clock.ts';
import { type IssueCode, type Refusal, refuse, refuseIssues } from '../kernel/refusal.ts';
import { findIssuedDocument } from './authorize-document-use.ts';
import { documentParams } from './document-record.ts';
import { insertGrant, maxGrants } from './document-store.ts';
import { decodeLine } from './http/header-text.ts';
import type { DocumentPorts } from './ports.ts';

const request = {
  params: documentParams,
  body: Type.Object(
    {
      clientId: Type.String({ minLength: 1, maxLength: 128, description: 'The client that may read the document.' }),
      purpose: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The purpose of the grant: one of those that are agreed for that client.',
      }),
      endsAt: Type.Optional(
        Type.String({
          format: 'date-time',
          maxLength: 40,
          description: 'The end of the grant (RFC 3339), in the future. Default: no end.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
};

const bodyRefusal = (pointer: string, code: IssueCode, detail: string): Refusal =>
  refuseIssues([{ in: 'body', pointer, code, detail }]);
const malformed = (pointer: string, detail: string): Refusal => bodyRefusal(pointer, 'malformed', detail);

/** Lets another client read a document for one purpose until an end. */
export const grantDocument = defineOperation({
  name: 'grantDocument',
  since: '1.0',
  method: 'POST',
  path: '/v1/documents/{id}/grants',
  scope: 'documents:write',
  callers: ['clients'],
  summary: 'Let another client read a document',
  description:
    'Grants one client the right to read the document for one purpose. Only the client that deposited the document can call it, and the citizen sees the grant. If you repeat the request, the new end applies. A document has at most 100 grants at once.',
  request,
  responses: {
    201: {
      description: 'The grant is valid.',
      schema: Type.Object({
        clientId: Type.String(),
        purpose: Type.String(),
        endsAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
        receipt: Type.String(),
      }),
    },
  },
  refusals: ['document-not-found', 'document-erased', 'purpose-not-permitted', 'conflict'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, DocumentPorts>): Promise<Decision | RefusedDecision> => {
    const { body, caller, createId, now, ports } = call;
    const endsAt = body.endsAt === undefined ? null : parseInstant(body.endsAt);
    if (endsAt === undefined) return { refusal: malformed('/endsAt', instantRequirement) };
    if (endsAt !== null && endsAt <= now)
      return { refusal: bodyRefusal('/endsAt', 'out-of-range', 'must be in the future') };
    const purpose = decodeLine(encodeURIComponent(body.purpose), 200);
    if (purpose === undefined) return { refusal: malformed('/purpose', 'must be one line of text') };
    const found = await findIssuedDocument(call, call.params.id);
    if ('refusal' in found) return found;
    const grantee = await ports.granteeOf(body.clientId);
    if (grantee === undefined)
      return { refusal: bodyRefusal('/clientId', 'not-found', 'must be the id of a client that is not disabled') };
    if (grantee.purposes?.includes(purpose) === false) {
      const detail = 'The purpose is not agreed for that client.';
      return { refusal: refuse('purpose-not-permitted', detail) };
    }
    const { id, citizenId } = found.document;
    const event = createId('event');
    const shownEnd = endsAt === null ? null : formatInstant(endsAt);
    return {
      effect: {
        events: [
          {
            type: 'document.granted',
            id: event,
            at: now,
            actor: { client: caller.clientId },
            citizenId,
            document: id,
            to: body.clientId,
            purpose,
            endsAt: shownEnd ?? undefined,
          },
        ],
        statements: insertGrant({ documentId: id, clientId: body.clientId, purpose, grantedAt: now, endsAt }),
      },
      answer: {
        status: 201,
        headers: { 'cache-control': 'private, no-store' },
        json: { clientId: body.clientId, purpose, endsAt: shownEnd, receipt: `/v1/receipts/${event}` },
      },
      onConflict: () => refuse('conflict', `A document has at most ${maxGrants} grants at once; end one first.`),
    };
  },
});
