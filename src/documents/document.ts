import type { DocumentId, EventId } from '../kernel/id.ts';

/** What the row of a document says in clear; all else is in its sealed record. Instants in epoch ms. */
type DocumentHead = {
  readonly id: DocumentId;
  readonly citizenId: string;
  /** The client that deposited it. */
  readonly issuer: string;
  readonly createdAt: number;
  /** Until when it must be kept; it may be moved, so nothing is sealed to it. */
  readonly retainUntil: number | null;
  readonly retentionClass: string | null;
  /** When the deletion run erases it; null: never by itself. */
  readonly eraseAt: number | null;
  /** Whether a legal hold keeps it from being erased. */
  readonly held: boolean;
  /** What the last scan said; null before the first. */
  readonly scan: ScanResult | null;
};

/** A verdict on record. `not-scanned`: let out without a scanner, because the operator said so. */
export type ScanResult = {
  readonly verdict: 'clean' | 'infected' | 'unscannable' | 'not-scanned';
  readonly at: number;
  readonly engine: string | null;
  readonly finding: string | null;
};

/** Title, type, digest and key of the content, as `sealed-record.ts` seals them. */
type WithSealedRecord = { readonly sealedRecord: Uint8Array };

/** A document with the facts that are true in its state. Only `available` is ever given out. */
export type StoredDocument = DocumentHead &
  (
    | { readonly status: 'receiving' }
    | ({ readonly status: 'scanning' | 'available' | 'quarantined' } & WithSealedRecord)
    | ({ readonly status: 'withdrawn'; readonly withdrawnAt: number } & WithSealedRecord)
    | { readonly status: 'erased'; readonly erasedAt: number; readonly proof: EventId }
  );

/** A document whose record can be read; `available` ones can be read themselves. */
export type SealedDocument = Extract<StoredDocument, WithSealedRecord>;

/** Leave for one client to read one document, for one purpose, until its end (epoch ms; null: no end). */
export type DocumentGrant = {
  readonly documentId: DocumentId;
  readonly clientId: string;
  readonly purpose: string;
  readonly grantedAt: number;
  readonly endsAt: number | null;
};

/** Who asks to read; a client may say for what. */
export type DocumentReader =
  | { readonly client: string; readonly purpose?: string | undefined }
  | { readonly citizen: string };

/** Whether it may be erased at that instant: nothing that is held, or that must still be kept. */
export function mayErase({ held, retainUntil }: StoredDocument, now: number): boolean {
  return !held && (retainUntil === null || retainUntil <= now);
}

/** Why a reader may read. */
export type DocumentAccess =
  | { readonly by: 'issuer'; readonly purpose: string | undefined }
  | { readonly by: 'grant'; readonly grant: DocumentGrant }
  | { readonly by: 'citizen' };

/**
 * Why this reader may read the document at that instant, or undefined: the client that deposited it, a client with a
 * grant that has not ended (for the purpose it states, where it states one), and the citizen.
 */
export function accessOf(
  document: StoredDocument,
  grants: readonly DocumentGrant[],
  reader: DocumentReader,
  now: number,
): DocumentAccess | undefined {
  if ('citizen' in reader) return reader.citizen === document.citizenId ? { by: 'citizen' } : undefined;
  if (reader.client === document.issuer) return { by: 'issuer', purpose: reader.purpose };
  const grant = grants.find(
    (candidate) =>
      candidate.documentId === document.id &&
      candidate.clientId === reader.client &&
      (reader.purpose === undefined || candidate.purpose === reader.purpose) &&
      isGrantActive(candidate, now),
  );
  return grant === undefined ? undefined : { by: 'grant', grant };
}

/** Whether a grant opens anything at that instant; at its end it no longer does. */
export function isGrantActive(grant: DocumentGrant, now: number): boolean {
  return grant.grantedAt <= now && (grant.endsAt === null || now < grant.endsAt);
}
