import { Type } from 'typebox';
import { type Call, type Decision, defineOperation, type Refused } from '../api/operation.ts';
import { toInstant } from '../kernel/clock.ts';
import { mayErase } from './document.ts';
import { documentParams } from './document-record.ts';
import { findOwn } from './document-use.ts';
import { erasureOf, removeSealed } from './erase-document.ts';
import { withdrawal } from './keeping-store.ts';
import type { DocumentPorts } from './ports.ts';

const request = { params: documentParams };

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
  refusals: ['document-not-found', 'document-erased', 'changed-meanwhile'],
  citizenData: true,
  run: (call: Call<typeof request, DocumentPorts>) => withdraw(call, true),
});

async function withdraw(call: Call<typeof request, DocumentPorts>, isFirst: boolean): Promise<Decision | Refused> {
  const { caller, mint, now, ports } = call;
  const found = await findOwn(call, call.params.id);
  if ('refusal' in found) return found;
  const { document } = found;
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
