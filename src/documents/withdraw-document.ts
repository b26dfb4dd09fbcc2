import { Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse } from '../kernel/refusal.ts';
import { documentUseEvent, findIssuedDocument } from './authorize-document-use.ts';
import { mayErase, type SealedDocument } from './document.ts';
import { etagOf } from './document-answer.ts';
import { documentParams } from './document-record.ts';
import { evaluateConditions } from './http/conditional-request.ts';
import { openDocumentContent, undefinedIfInvalid } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';
import { erasureEffect, removeSealedBlob } from './retention/erase-document.ts';
import { withdrawStatement } from './retention/retention-store.ts';

const request = {
  params: documentParams,
  headers: Type.Object(
    {
      'if-match': Type.Optional(
        Type.String({
          maxLength: 2_000,
          description: 'Withdraws the document only if its ETag is one of these (RFC 9110).',
        }),
      ),
    },
    { additionalProperties: false },
  ),
};

type WithdrawCall = OperationCall<typeof request, DocumentPorts>;

/** Withdraws a document, and erases it at once if its retention has ended and no legal hold exists. */
export const withdrawDocument = defineOperation({
  name: 'withdrawDocument',
  since: '1.0',
  method: 'DELETE',
  path: '/v1/documents/{id}',
  scope: 'documents:write',
  callers: ['clients'],
  summary: 'Withdraw a document',
  description:
    'Ends the delivery of a document that your client deposited. If its retention has ended and no legal hold exists, the server destroys its key and thus erases it at once. Otherwise the worker erases it later. A repeated request has no further effect.',
  request,
  responses: {
    200: {
      description: 'The document is withdrawn or erased.',
      schema: Type.Object({
        id: Type.String(),
        status: Type.Union([Type.Literal('withdrawn'), Type.Literal('erased')], {
          description: 'withdrawn: it is erased later. erased: its key is destroyed.',
        }),
        at: Type.String({ format: 'date-time' }),
        retainUntil: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
        receipt: Type.String({
          description: 'The path of the ledger receipt of this request. For an erasure, it is the proof.',
        }),
      }),
    },
  },
  refusals: ['document-not-found', 'document-erased', 'precondition-failed', 'changed-meanwhile'],
  citizenData: true,
  run: (call: WithdrawCall) => withdraw(call, true),
});

/** Whether If-Match names another document state. A damaged record has no known ETag, so nothing matches. */
async function hasOtherEtag({ headers, ports }: WithdrawCall, document: SealedDocument): Promise<boolean> {
  const match = headers['if-match'];
  if (match === undefined) return false;
  const content = await openDocumentContent(ports, document).catch(undefinedIfInvalid);
  const etag = content === undefined ? '' : etagOf(ports.etagKey, { document, content });
  return evaluateConditions('DELETE', { 'if-match': match }, { etag, length: 0 }).answer === 'precondition-failed';
}

async function withdraw(call: WithdrawCall, isFirst: boolean): Promise<Decision | RefusedDecision> {
  const { caller, createId, now, ports } = call;
  const found = await findIssuedDocument(call, call.params.id);
  if ('refusal' in found) return found;
  const { document } = found;
  if (await hasOtherEtag(call, document)) {
    const access = { by: 'issuer', purpose: undefined } as const;
    const event = documentUseEvent(call, document, { type: 'document.record-read', access });
    return { refusal: refuse('precondition-failed'), effect: { events: [event], statements: [] } };
  }
  const { id, citizenId } = document;
  const actor = { client: caller.clientId };
  const erases = isFirst && mayErase(document, now);
  const head = { id: createId('event'), at: now, actor, citizenId, document: id } as const;
  const effect = erases
    ? await erasureEffect(ports, document, { createId, now, actor, rule: 'withdrawn' })
    : document.status === 'withdrawn'
      ? ({ events: [{ ...head, type: 'document.record-read' }], statements: [] } as const)
      : ({
          events: [{ ...head, type: 'document.withdrawn' }],
          statements: [withdrawStatement(document, now)],
        } as const);
  const [event] = effect.events;
  const at = document.status === 'withdrawn' && !erases ? document.withdrawnAt : now;
  const json = {
    id,
    status: erases ? 'erased' : 'withdrawn',
    at: formatInstant(at),
    retainUntil: document.retainUntil === null ? null : formatInstant(document.retainUntil),
    receipt: `/v1/receipts/${event.id}`,
  };
  return {
    effect,
    answer: async () => {
      if (erases) await removeSealedBlob(ports, document);
      return { status: 200, headers: { 'cache-control': 'private, no-store' }, json };
    },
    // A hold was placed, or the state changed, between reading and writing: withdraw without erasing. The deletion run erases
    // it later.
    onConflict: () => withdraw(call, false),
  };
}
