import { type MessageKey, messageKeyFromHeader, openSealed, seal } from '../crypto/chunked-encryption.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import type { DocumentId } from '../kernel/id.ts';

/** The description of a document and the key of its blob. It is stored only encrypted under the citizen's key. */
export type DocumentContent = {
  readonly title: string;
  readonly kind: string | null;
  readonly mediaType: string;
  /** Sizes in bytes: of the document, and of its encrypted blob. */
  readonly size: number;
  readonly sealedSize: number;
  readonly sha256: Uint8Array;
  readonly sealedSha256: Uint8Array;
  readonly issuedAt: number;
  /** The data key of this document (32 random bytes), and the header of its blob: salt and commitment. */
  readonly dataKey: Uint8Array;
  readonly header: Uint8Array;
};

/** The encryption context of a record: in another row, or with changed columns, it does not open. */
type RecordBinding = {
  readonly id: DocumentId;
  readonly pseudonym: Uint8Array;
  readonly issuer: string;
  readonly createdAt: number;
};

const contextOf = ({ id, pseudonym, issuer, createdAt }: RecordBinding) =>
  `citizen-services/document-record@v1\0${id}\0${canonicalJson({
    createdAt,
    issuer,
    pseudonym: Buffer.from(pseudonym).toString('hex'),
  })}`;

/** The encryption context of a blob: the blob of another document does not open in its place. */
export function blobContext(id: DocumentId): Uint8Array {
  return Buffer.from(`citizen-services/document@v1\0${id}`);
}

/**
 * Encrypts the record of a document under its citizen's key (C2SP chunked encryption): the data key, and the digests and sizes
 * that the blob must match.
 */
export function sealRecord(
  citizenKey: Uint8Array,
  binding: RecordBinding,
  content: DocumentContent,
  random: RandomBytes,
): Buffer {
  const written: SerialisedContent = {
    ...content,
    sha256: toBase64(content.sha256),
    sealedSha256: toBase64(content.sealedSha256),
    dataKey: toBase64(content.dataKey),
    header: toBase64(content.header),
  };
  return seal(citizenKey, contextOf(binding), Buffer.from(canonicalJson(written)), random);
}

/** Opens a record; throws `SealBroken` if a byte or the binding has changed. */
export function unsealRecord(citizenKey: Uint8Array, binding: RecordBinding, sealed: Uint8Array): DocumentContent {
  // Only `sealRecord` can have written what opens under this key and context.
  const written = JSON.parse(openSealed(citizenKey, contextOf(binding), sealed).toString()) as SerialisedContent;
  return {
    ...written,
    sha256: fromBase64(written.sha256),
    sealedSha256: fromBase64(written.sealedSha256),
    dataKey: fromBase64(written.dataKey),
    header: fromBase64(written.header),
  };
}

/** The key of the document's blob; throws `SealBroken` if header and data key do not belong together. */
export function blobKey(id: DocumentId, content: DocumentContent): MessageKey {
  return messageKeyFromHeader(content.dataKey, blobContext(id), content.header);
}

type ByteMember = 'sha256' | 'sealedSha256' | 'dataKey' | 'header';
type SerialisedContent = Omit<DocumentContent, ByteMember> & { readonly [name in ByteMember]: string };

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const fromBase64 = (text: string) => Buffer.from(text, 'base64');
