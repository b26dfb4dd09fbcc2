import type { Readable } from 'node:stream';
import { tooLarge } from '../api/body.ts';
import { type Refusal, refuse } from '../kernel/problem.ts';
import type { MessageKey } from '../keys/chunked-encryption.ts';
import { type SealedSummary, sealStream } from '../keys/sealed-stream.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import type { DepositTerms } from './deposit-headers.ts';
import { checkContent } from './media-type.ts';

/** The request, the pieces of the document in it, and how many bytes there may be. */
export type Arriving = {
  readonly request: Readable;
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  readonly limit: number;
};

/** Where they go: the name of the blob, and the key it is sealed with. */
export type Destination = { readonly blobs: BlobStore; readonly name: string; readonly message: MessageKey };

/**
 * Seals what arrives into a blob, never holding more than a piece of it, and compares it with what its headers state.
 * Resolves when the blob is synced; a refusal, like a fault, has left no blob.
 */
export async function receiveDocument(
  { request, pieces, signal, limit }: Arriving,
  { blobs, name, message }: Destination,
  terms: DepositTerms,
): Promise<{ readonly received: SealedSummary } | { readonly refusal: Refusal }> {
  async function* counted(): AsyncGenerator<Uint8Array> {
    const check = checkContent(terms.media);
    let length = 0;
    for await (const given of pieces) {
      signal.throwIfAborted();
      length += given.length;
      if (length > limit) throw new TurnedAway(tooLarge(limit));
      if (!check.see(given)) throw new TurnedAway(wrongType());
      yield given;
    }
    if (!check.end()) throw new TurnedAway(wrongType());
    if (terms.length !== undefined && terms.length !== length) throw new TurnedAway(brokeOff());
  }

  const sealing = sealStream(message, counted());

  async function* compared(): AsyncGenerator<Buffer> {
    yield* sealing.bytes;
    const { plainSha256 } = sealing.summary();
    if (terms.sha256 !== undefined && !plainSha256.equals(terms.sha256)) throw new TurnedAway(wrongDigest());
  }

  try {
    await blobs.put(name, compared());
    return { received: sealing.summary() };
  } catch (fault) {
    if (fault instanceof TurnedAway) return { refusal: fault.refusal };
    if (request.errored !== null || request.readableAborted || signal.aborted) return { refusal: brokeOff() };
    throw fault;
  }
}

/** The pieces of a body that is the document itself; left open when it is turned away, so that the refusal still reaches the sender. */
export async function* piecesOf(request: Readable): AsyncGenerator<Uint8Array> {
  // The stream is the request itself, without an encoding set: its pieces are buffers.
  for await (const piece of request.iterator({ destroyOnReturn: false })) yield piece as Buffer;
}

/** Carries a refusal out through the streams between: it is what makes them clean up. Caught in this file alone. */
export class TurnedAway extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

const wrongType = () => refuse('content-mismatch', 'The bytes are not of the media type in Content-Type.');
const wrongDigest = () => refuse('content-mismatch', 'The bytes do not have the SHA-256 in Repr-Digest.');
const brokeOff = () => refuse('content-mismatch', 'The body did not have the length it was announced with.');
