import type { ByteChunks } from '../api/operation.ts';
import { type MessageKey, SealBroken } from '../crypto/chunked-encryption.ts';
import { openSealedRange } from '../crypto/sealed-stream.ts';
import { BlobBroken } from './blobs/blob-store.ts';
import type { SealedDocument } from './document.ts';
import type { ByteRange } from './http/byte-ranges.ts';
import type { DocumentPorts } from './ports.ts';
import { blobKey, type DocumentContent, unsealRecord } from './sealed-record.ts';

/**
 * Opens the sealed record of a document. A record that does not open raises an alarm and throws: it was changed outside of this
 * program, or the citizen's key is gone.
 */
export async function openDocumentContent(
  ports: Pick<DocumentPorts, 'citizenKeys' | 'alarm'>,
  document: SealedDocument,
): Promise<DocumentContent> {
  const { citizenId, sealedRecord, ...head } = document;
  const binding = { ...head, pseudonym: ports.citizenKeys.pseudonymOf(citizenId) };
  const citizenKey = await ports.citizenKeys.keyOf(citizenId);
  try {
    return unsealRecord(citizenKey, binding, sealedRecord);
  } catch (fault) {
    if (fault instanceof SealBroken) ports.alarm('document-record-broken', document.id);
    throw fault;
  }
}

/**
 * Turns `SealBroken` into undefined, so that one damaged record does not hide the others; `openDocumentContent` has raised the
 * alarm.
 */
export function undefinedIfInvalid(fault: unknown): undefined {
  if (!(fault instanceof SealBroken)) throw fault;
}

/** A document to deliver, with the key of its blob. Send its bytes only after its event is durable. */
export type OpenDocument = {
  readonly document: SealedDocument & { readonly status: 'available' };
  readonly content: DocumentContent;
};

/** The range of the whole document; empty for an empty one. */
export function fullRange(content: DocumentContent): ByteRange {
  return { first: 0, last: content.size - 1 };
}

/**
 * The bytes of a range, decrypted on demand; each piece is verified before it is yielded. Bytes that are not the stored ones
 * raise an alarm, and end the stream with a fault.
 */
export function openBytes(
  ports: Pick<DocumentPorts, 'blobs' | 'alarm'>,
  { document, content }: OpenDocument,
  range: ByteRange,
): AsyncGenerator<Buffer> {
  return openBytesInAnyState(ports, { document, content }, range);
}

/** The same for a document in any state, for the scanner and the verifier. Its bytes must not leave the server. */
export async function* openBytesInAnyState(
  ports: Pick<DocumentPorts, 'blobs' | 'alarm'>,
  { document, content }: { readonly document: SealedDocument; readonly content: DocumentContent },
  range: ByteRange,
): AsyncGenerator<Buffer> {
  const totalBytes = content.sealedSize;
  const read = (start: number, end: number) => ports.blobs.read(document.id, { start, end, totalBytes });
  try {
    const message: MessageKey = blobKey(document.id, content);
    yield* openSealedRange(message, { read, plainLength: content.size, ...range });
  } catch (fault) {
    if (fault instanceof SealBroken || fault instanceof BlobBroken) ports.alarm('document-bytes-broken', document.id);
    throw fault;
  }
}

/**
 * The same pieces with the first one already read: a document that is damaged at its start, and any damaged small one, is
 * answered with a problem, not with an interrupted response. Its `return` closes the source at any time.
 */
export async function withFirstPiece(pieces: AsyncGenerator<Buffer>): Promise<ByteChunks> {
  let firstPiece: IteratorResult<Buffer> | undefined = await pieces.next();
  const given: ByteChunks = {
    [Symbol.asyncIterator]: () => given,
    next: async () => {
      const first = firstPiece;
      firstPiece = undefined;
      return first ?? (await pieces.next());
    },
    return: async () => {
      await pieces.return(undefined);
      return { done: true, value: undefined };
    },
  };
  return given;
}
