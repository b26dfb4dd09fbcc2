import type { Readable } from 'node:stream';
import { payloadTooLarge } from '../api/read-body.ts';
import type { MessageKey } from '../crypto/chunked-encryption.ts';
import { type SealedSummary, sealStream } from '../crypto/sealed-stream.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import type { DepositTerms } from './deposit-headers.ts';
import { createContentCheck } from './media-type.ts';

type IncomingDocument = {
  readonly request: Readable;
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
};

type BlobDestination = { readonly blobs: BlobStore; readonly name: string; readonly message: MessageKey };

/**
 * Encrypts the document into a blob while it arrives, piece by piece, and compares it with its headers. Resolves when the blob
 * is synced; a refusal or fault leaves no blob.
 */
export async function receiveDocument(
  { request, pieces, signal, maxBytes }: IncomingDocument,
  { blobs, name, message }: BlobDestination,
  terms: DepositTerms,
): Promise<{ readonly received: SealedSummary } | { readonly refusal: Refusal }> {
  async function* checkedPieces(): AsyncGenerator<Uint8Array> {
    const check = createContentCheck(terms.media);
    let length = 0;
    for await (const piece of pieces) {
      signal.throwIfAborted();
      length += piece.length;
      if (length > maxBytes) throw new RequestRejected(payloadTooLarge(maxBytes));
      if (!check.add(piece)) throw new RequestRejected(wrongType());
      yield piece;
    }
    if (!check.end()) throw new RequestRejected(wrongType());
    if (terms.length !== undefined && terms.length !== length) throw new RequestRejected(wrongLength());
  }

  const sealing = sealStream(message, checkedPieces());

  async function* digestChecked(): AsyncGenerator<Buffer> {
    yield* sealing.bytes;
    const { plainSha256 } = sealing.summary();
    if (terms.sha256 !== undefined && !plainSha256.equals(terms.sha256)) throw new RequestRejected(wrongDigest());
  }

  try {
    await blobs.put(name, digestChecked());
    return { received: sealing.summary() };
  } catch (fault) {
    if (fault instanceof RequestRejected) return { refusal: fault.refusal };
    if (request.errored !== null || request.readableAborted || signal.aborted) return { refusal: wrongLength() };
    throw fault;
  }
}

/**
 * The pieces of a body that is the document itself. After a rejection the request stays open, so that the refusal reaches the
 * client.
 */
export async function* piecesOf(request: Readable): AsyncGenerator<Uint8Array> {
  // The stream is the request without an encoding: its pieces are buffers.
  for await (const piece of request.iterator({ destroyOnReturn: false })) yield piece as Buffer;
}

/** Carries a refusal through the streams, whose clean-up runs on errors. It never leaves the deposit. */
export class RequestRejected extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.name = 'RequestRejected';
    this.refusal = refusal;
  }
}

const wrongType = () => refuse('content-mismatch', 'The bytes do not have the media type in Content-Type.');
const wrongDigest = () => refuse('content-mismatch', 'The bytes do not have the SHA-256 in Repr-Digest.');
const wrongLength = () => refuse('content-mismatch', 'The body does not have the length in Content-Length.');
