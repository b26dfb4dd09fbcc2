import { Type } from 'typebox';
import { type Call, defineOperation } from '../api/operation.ts';
import { toInstant } from '../kernel/clock.ts';
import { parseId } from '../kernel/id.ts';
import { refuse } from '../kernel/problem.ts';
import { leafHash } from '../ledger/merkle.ts';
import type { OversightPorts } from './ports.ts';

const request = {
  params: Type.Object(
    { eventId: Type.String({ description: 'The id in the receipt link.' }) },
    { additionalProperties: false },
  ),
};

const head = {
  eventId: Type.String(),
  type: Type.String({ description: 'The kind of use, as notification.accepted.' }),
  recordedAt: Type.String({ format: 'date-time' }),
};

const pending = Type.Object({
  ...head,
  status: Type.Literal('recorded', {
    description: 'Durable in this installation; its number in the signed log follows.',
  }),
});

const logged = Type.Object({
  ...head,
  status: Type.Literal('logged', { description: 'An entry of the signed log.' }),
  leafIndex: Type.Integer({ description: 'The number of the entry in the log, from 0.' }),
  leafHash: Type.String({ description: 'Its hash (RFC 6962) in base64.' }),
  treeSize: Type.Integer({ description: 'The size of the log that the proof leads to.' }),
  proof: Type.String({
    description:
      'A c2sp.org/tlog-proof, verifiable offline with the public key of the log; its extra line holds the entry and the key that opens what it says.',
  }),
});

type ReceiptCall = Call<typeof request, OversightPorts>;

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
    200: { description: 'In the log, with its proof.', schema: logged },
    202: {
      description: 'Recorded, not yet numbered.',
      schema: pending,
      headers: { 'Retry-After': 'Seconds until it is worth asking again.' },
    },
  },
  refusals: ['receipt-not-found'],
  citizenData: false,
  run: async (call: ReceiptCall) => {
    const receipt = (await loggedReceipt(call)) ?? (await pendingReceipt(call)) ?? (await loggedReceipt(call));
    return receipt === undefined ? { refusal: refuse('receipt-not-found') } : { plain: receipt };
  },
});

/** The answer for an event that waits for its number, or for the signature over it. */
async function pendingReceipt({ params, caller, read }: ReceiptCall) {
  const { eventId } = params;
  const [row] = await read('select type, at from ledger_event where id = $1 and client_id = $2', [
    eventId,
    caller.clientId,
  ]);
  return row === undefined ? undefined : recorded(eventId, String(row['type']), Number(row['at']));
}

function recorded(eventId: string, type: string, at: number) {
  const json = { eventId, type, recordedAt: toInstant(at), status: 'recorded' };
  return { status: 202, headers: { 'retry-after': '1' }, json };
}

async function loggedReceipt({ params, caller, ports: { log } }: ReceiptCall) {
  const eventId = parseId('event', params.eventId);
  const entry = eventId === undefined ? undefined : await log.entryOf(eventId);
  if (entry === undefined || entry.clientId !== caller.clientId) return undefined;
  const checkpoint = await log.checkpointFor(entry.index);
  if (checkpoint === undefined) return recorded(entry.eventId, entry.type, entry.at);
  const json = {
    eventId: entry.eventId,
    type: entry.type,
    recordedAt: toInstant(entry.at),
    status: 'logged',
    leafIndex: entry.index,
    leafHash: leafHash(entry.entry).toString('base64'),
    treeSize: checkpoint.size,
    proof: await log.prove(entry, checkpoint, await log.contentKey(entry)),
  };
  return { status: 200, headers: { 'cache-control': 'private, no-store' }, json };
}
