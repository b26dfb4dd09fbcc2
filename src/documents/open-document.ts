import type { ByteChunks } from '../api/operation.ts';
import { type MessageKey, SealBroken } from '../crypto/chunked-encryption.ts';
import { openSealedRange } from '../crypto/sealed-stream.ts';
import { BlobBroken } from './blobs/blob-store.ts';
import type { SealedDocument } from './document.ts';
import type { ByteRange } from './http/byte-ranges.ts';
import type { DocumentPorts } from './ports.ts';
import { blobKey, type DocumentContent, unsealRecord } from './sealed-record.ts';

/**
 * Opens the sealed record of a document. A record that does not open is told to the operator and thrown: it was changed
 * outside this program, or the citizen's key is gone.
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

/** One damaged record must not hide the others; `openContent` has told the operator. */
export function undefinedIfInvalid(fault: unknown): undefined {
  if (!(fault instanceof SealBroken)) throw fault;
}

/** A document that is given out, with the key of its blob. To be called only after the event of it is durable. */
export type OpenDocument = {
  readonly document: SealedDocument & { readonly status: 'available' };
  readonly content: DocumentContent;
};

/** The whole of a document as a range; of an empty one, nothing. */
export function fullRange(content: DocumentContent): ByteRange {
  return { first: 0, last: content.size - 1 };
}

/**
 * The bytes of one part, opened as they are asked for: each piece was verified before it is given. The operator is told
 * of bytes that are not what was stored, and the stream ends with that fault.
 */
export function openBytes(
  ports: Pick<DocumentPorts, 'blobs' | 'alarm'>,
  { document, content }: OpenDocument,
  range: ByteRange,
): AsyncGenerator<Buffer> {
  return openBytesInAnyState(ports, { document, content }, range);
}

/** The same for a document in any state, for who looks at it inside: the scanner, the verifier. Nothing of it may leave. */
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
 * The same pieces with the first one there already: so a document that is broken at its start, and any small one, is
 * answered as a fault, not as a reply that breaks off. Returned at any time, it closes what the pieces come from.
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
