import { Type } from 'typebox';
import { type Call, defineOperation } from '../api/operation.ts';
import { toInstant } from '../kernel/clock.ts';
import { refuse } from '../kernel/problem.ts';
import type { OversightPorts } from './ports.ts';

const request = {
  params: Type.Object(
    { eventId: Type.String({ description: 'The id in the receipt link.' }) },
    { additionalProperties: false },
  ),
};

const pending = Type.Object({
  eventId: Type.String(),
  type: Type.String({ description: 'The kind of use, as notification.accepted.' }),
  recordedAt: Type.String({ format: 'date-time' }),
  status: Type.Literal('recorded', {
    description: 'Durable in this installation; its number in the signed log follows.',
  }),
});

/** The receipt of one use, for the client that caused it; anyone else finds nothing. */
export const readReceipt = defineOperation({
  name: 'readReceipt',
  since: '1.0',
  method: 'GET',
  path: '/v1/receipts/{eventId}',
  scope: 'any',
  summary: 'The ledger receipt of one use',
  description:
    'Every answer that used a citizen’s data names its receipt. 202 while the event is recorded but not yet numbered in the signed log.',
  request,
  responses: {
    202: {
      description: 'Recorded, not yet numbered.',
      schema: pending,
      headers: { 'Retry-After': 'Seconds until it is worth asking again.' },
    },
  },
  refusals: ['receipt-not-found'],
  citizenData: false,
  run: async (call: Call<typeof request, OversightPorts>) => {
    const [row] = await call.read('select type, at from ledger_event where id = $1 and client_id = $2', [
      call.params.eventId,
      call.caller.clientId,
    ]);
    if (row === undefined) return { refusal: refuse('receipt-not-found') };
    const recordedAt = toInstant(Number(row['at']));
    const json = { eventId: call.params.eventId, type: row['type'], recordedAt, status: 'recorded' };
    return { plain: { status: 202, headers: { 'retry-after': '1' }, json } };
  },
});
