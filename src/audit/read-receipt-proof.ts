import { defineOperation } from '../api/operation.ts';
import { findReceipt, type ReceiptCall, receiptHeaders, receiptParams } from './find-receipt.ts';

const request = { params: receiptParams };

/** The proof of a receipt alone, as the file that verifiers of the format read. */
export const readReceiptProof = defineOperation({
  name: 'readReceiptProof',
  since: '1.0',
  method: 'GET',
  path: '/v1/receipts/{eventId}/proof',
  scope: 'any',
  summary: 'The proof of one receipt as a file',
  description:
    'The member proof of the receipt, for the same callers. Until the event has its number in the signed log, for about a second, the answer is 409 receipt-not-ready.',
  request,
  responses: {
    200: {
      description: 'The proof.',
      text: {
        type: 'text/plain',
        pattern: '^c2sp\\.org/tlog-proof@v1\\n',
        description: 'A c2sp.org/tlog-proof: the file that `ledger verify` and other verifiers of that format read.',
        example: 'c2sp.org/tlog-proof@v1\nindex 0\n\ngov.example/ledger\n1\n…',
      },
      headers: { 'Content-Disposition': 'attachment, with a name for the file (RFC 6266).' },
    },
  },
  refusals: ['receipt-not-found', 'receipt-not-ready'],
  citizenData: false,
  run: async (call: ReceiptCall) => {
    const found = await findReceipt(call);
    if ('refusal' in found) return found;
    const bytes = Buffer.from(found.proof);
    const headers = {
      ...receiptHeaders,
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="${found.entry.eventId}.tlog-proof"`,
    };
    return { plain: { status: 200, headers, stream: singlePiece(bytes) } };
  },
});

async function* singlePiece(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}
