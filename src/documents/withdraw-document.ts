import { Type } from 'typebox';
import { type Call, type Decision, defineOperation, type Refused } from '../api/operation.ts';
import { toInstant } from '../kernel/clock.ts';
import { refuse } from '../kernel/problem.ts';
import { judge } from './conditional-request.ts';
import { type HeldDocument, mayErase } from './document.ts';
import { etagOf } from './document-answer.ts';
import { documentParams } from './document-record.ts';
import { findOwn, useOf } from './document-use.ts';
import { erasureOf, removeSealed } from './erase-document.ts';
import { withdrawal } from './keeping-store.ts';
import { noneIfBroken, openContent } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';

const request = {
  params: documentParams,
  headers: Type.Object(
    {
      'if-match': Type.Optional(
        Type.String({
          maxLength: 2_000,
          description: 'RFC 9110: only where the ETag of the document is one of these.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
};

type WithdrawCall = Call<typeof request, DocumentPorts>;

/** Takes a document back; it is erased at once where nothing stands against that. */
export const withdrawDocument = defineOperation({
  name: 'withdrawDocument',
  since: '1.0',
  method: 'DELETE',
  path: '/v1/documents/{id}',
  scope: 'documents:write',
  summary: 'Withdraw a document',
  description:
    'From now on nobody is given the document. Where its retention has ended and no legal hold stands against it, it is erased at once: its key is destroyed. Else it is erased by the deletion run when that is so. For the client that deposited it; repeated, it does no harm.',
  request,
  responses: {
    200: {
      description: 'Withdrawn, or erased.',
      schema: Type.Object({
        id: Type.String(),
        status: Type.Union([Type.Literal('withdrawn'), Type.Literal('erased')]),
        at: Type.String({ format: 'date-time' }),
        retainUntil: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
        receipt: Type.String({ description: 'The receipt of this use; of an erasure, its proof.' }),
      }),
    },
  },
  refusals: ['document-not-found', 'document-erased', 'precondition-failed', 'changed-meanwhile'],
  citizenData: true,
  run: (call: WithdrawCall) => withdraw(call, true),
});

/** Whether it is another document than the caller thinks, by its If-Match. Of a broken record no ETag is known: none is named. */
async function isAnother({ headers, ports }: WithdrawCall, document: HeldDocument): Promise<boolean> {
  const match = headers['if-match'];
  if (match === undefined) return false;
  const content = await openContent(ports, document).catch(noneIfBroken);
  const etag = content === undefined ? '' : etagOf(ports.etagKey, { document, content });
  return judge('DELETE', { 'if-match': match }, { etag, length: 0 }).answer === 'precondition-failed';
}

async function withdraw(call: WithdrawCall, isFirst: boolean): Promise<Decision | Refused> {
  const { caller, mint, now, ports } = call;
  const found = await findOwn(call, call.params.id);
  if ('refusal' in found) return found;
  const { document } = found;
  if (await isAnother(call, document)) {
    const access = { by: 'issuer', purpose: undefined } as const;
    const event = useOf(call, document, { type: 'document.record-read', access });
    return { refusal: refuse('precondition-failed'), effect: { events: [event], statements: [] } };
  }
  const { id, citizenId } = document;
  const actor = { client: caller.clientId };
  const erases = isFirst && mayErase(document, now);
  const head = { id: mint('event'), at: now, actor, citizenId, document: id } as const;
  const effect = erases
    ? await erasureOf(ports, document, { mint, now, actor, rule: 'withdrawn' })
    : document.status === 'withdrawn'
      ? ({ events: [{ ...head, type: 'document.record-read' }], statements: [] } as const)
      : ({ events: [{ ...head, type: 'document.withdrawn' }], statements: [withdrawal(document, now)] } as const);
  const [event] = effect.events;
  const at = document.status === 'withdrawn' && !erases ? document.withdrawnAt : now;
  const json = {
    id,
    status: erases ? 'erased' : 'withdrawn',
    at: toInstant(at),
    retainUntil: document.retainUntil === null ? null : toInstant(document.retainUntil),
    receipt: `/v1/receipts/${event.id}`,
  };
  return {
    effect,
    answer: async () => {
      if (erases) await removeSealed(ports, document);
      return { status: 200, headers: { 'cache-control': 'private, no-store' }, json };
    },
    // A hold was placed, or its state changed, between the reading and the writing: the deletion run erases it when it may.
    onRefused: () => withdraw(call, false),
  };
}
