import type { Readable } from 'node:stream';
import { type Refusal, refuse } from '../kernel/problem.ts';
import type { MessageKey } from '../keys/chunked-encryption.ts';
import { type SealedSummary, sealStream } from '../keys/sealed-stream.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import type { DepositTerms } from './deposit-headers.ts';
import { checkContent } from './media-type.ts';

/** The bytes as they come in, and how many there may be. */
export type Arriving = { readonly bytes: Readable; readonly signal: AbortSignal; readonly limit: number };

/** Where they go: the name of the blob, and the key it is sealed with. */
export type Destination = { readonly blobs: BlobStore; readonly name: string; readonly message: MessageKey };

/**
 * Seals what arrives into a blob, never holding more than a piece of it, and compares it with what its headers state.
 * Resolves when the blob is synced; a refusal, like a fault, has left no blob.
 */
export async function receiveDocument(
  { bytes, signal, limit }: Arriving,
  { blobs, name, message }: Destination,
  terms: DepositTerms,
): Promise<{ readonly received: SealedSummary } | { readonly refusal: Refusal }> {
  async function* counted(): AsyncGenerator<Uint8Array> {
    const check = checkContent(terms.media);
    let length = 0;
    // Left open when it is turned away, so that the refusal still reaches the sender.
    for await (const piece of bytes.iterator({ destroyOnReturn: false })) {
      signal.throwIfAborted();
      // The stream is the request itself, without an encoding set: its pieces are buffers.
      const given = piece as Buffer;
      length += given.length;
      if (length > limit) throw new TurnedAway(refuse('payload-too-large', undefined, { members: { limit } }));
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
    if (bytes.errored !== null || bytes.readableAborted || signal.aborted) return { refusal: brokeOff() };
    throw fault;
  }
}

/** Carries a refusal out through the streams between: it is what makes them clean up. Caught in this file alone. */
class TurnedAway extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

const wrongType = () => refuse('content-mismatch', 'The bytes are not of the media type in Content-Type.');
const wrongDigest = () => refuse('content-mismatch', 'The bytes do not have the SHA-256 in Repr-Digest.');
const brokeOff = () => refuse('content-mismatch', 'The body did not have the length it was announced with.');
