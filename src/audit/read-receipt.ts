import { Type } from 'typebox';
import { defineOperation } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { leafHash } from '../ledger/tlog/merkle.ts';
import { findReceipt, type ReceiptCall, receiptHeaders, receiptParams } from './find-receipt.ts';

const request = { params: receiptParams };

const receiptShape = Type.Object({
  eventId: Type.String(),
  type: Type.String({ description: 'The type of the event, such as notification.accepted.' }),
  recordedAt: Type.String({ format: 'date-time' }),
  leafIndex: Type.Integer({ description: 'The number of the entry in the ledger, from 0.' }),
  leafHash: Type.String({ description: 'The hash of the entry (RFC 6962), in base64.' }),
  treeSize: Type.Integer({ description: 'The size of the ledger to which the proof leads, in entries.' }),
  proof: Type.String({
    description:
      'A c2sp.org/tlog-proof, which you can verify offline with the public key of the ledger. Its extra line has the entry and the key that decrypts its content.',
  }),
});

/** The receipt of an event with its proof, for the client that caused it (`findReceipt`). */
export const readReceipt = defineOperation({
  name: 'readReceipt',
  since: '1.0',
  method: 'GET',
  path: '/v1/receipts/{eventId}',
  scope: 'any',
  callers: ['clients'],
  summary: 'Read the ledger receipt of an access',
  description:
    'Returns the entry of one access in the ledger, with its proof. Each response that used data of a citizen links to its receipt, and so does the response about an erased document to its issuer. For about a second, until the event has its number in the ledger, the response is 409 receipt-not-ready.',
  request,
  responses: { 200: { description: 'The entry in the ledger, with its proof.', schema: receiptShape } },
  refusals: ['receipt-not-found', 'receipt-not-ready'],
  citizenData: false,
  run: async (call: ReceiptCall) => {
    const found = await findReceipt(call);
    if ('refusal' in found) return found;
    const { entry, treeSize, proof } = found;
    const json = {
      eventId: entry.eventId,
      type: entry.type,
      recordedAt: formatInstant(entry.at),
      leafIndex: entry.index,
      leafHash: leafHash(entry.entry).toString('base64'),
      treeSize,
      proof,
    };
    return { plain: { status: 200, headers: receiptHeaders, json } };
  },
});
