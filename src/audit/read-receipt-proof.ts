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
  callers: ['clients'],
  summary: 'Download the proof of a receipt as a file',
  description:
    'Returns the member proof of the receipt, for the same callers. For about a second, until the event has its number in the ledger, the response is 409 receipt-not-ready.',
  request,
  responses: {
    200: {
      description: 'The proof as a text file.',
      text: {
        type: 'text/plain',
        pattern: '^c2sp\\.org/tlog-proof@v1\\n',
        description: 'A c2sp.org/tlog-proof, which `ledger verify` and other verifiers of this format read.',
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
