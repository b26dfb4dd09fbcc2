import type { DocumentId, EventId } from '../kernel/id.ts';

/** The readable columns of a document; everything else is in its sealed record. Instants in epoch ms. */
type DocumentHead = {
  readonly id: DocumentId;
  readonly citizenId: string;
  /** The client that deposited it. */
  readonly issuer: string;
  readonly createdAt: number;
  /** The end of retention. It may change, so it is not part of the encryption context. */
  readonly retainUntil: number | null;
  readonly retentionClass: string | null;
  /** When the deletion run erases it; null: never. */
  readonly eraseAt: number | null;
  readonly held: boolean;
  /** The last scan; null before the first. */
  readonly scan: ScanResult | null;
};

/** A stored verdict. `not-scanned`: available without a scan, because the operator configured no scanner. */
export type ScanResult = {
  readonly verdict: 'clean' | 'infected' | 'unscannable' | 'not-scanned';
  readonly at: number;
  readonly engine: string | null;
  readonly finding: string | null;
};

/** Title, type, digest and key of the content, encrypted (`sealed-record.ts`). */
type WithSealedRecord = { readonly sealedRecord: Uint8Array };

/** A document with the facts of its state. Only `available` documents are ever delivered. */
export type StoredDocument = DocumentHead &
  (
    | ({ readonly status: 'scanning' | 'available' | 'quarantined' } & WithSealedRecord)
    | ({ readonly status: 'withdrawn'; readonly withdrawnAt: number } & WithSealedRecord)
    | { readonly status: 'erased'; readonly erasedAt: number; readonly proof: EventId }
  );

/** A document with a readable record. */
export type SealedDocument = Extract<StoredDocument, WithSealedRecord>;

/** Lets one client read one document for one purpose until `endsAt` (epoch ms; null: no end). */
export type DocumentGrant = {
  readonly documentId: DocumentId;
  readonly clientId: string;
  readonly purpose: string;
  readonly grantedAt: number;
  readonly endsAt: number | null;
};

/** The reader; a client may state a purpose. */
export type DocumentReader =
  | { readonly client: string; readonly purpose?: string | undefined }
  | { readonly citizen: string };

/** Whether the document may be erased at `now`: not under a hold, and after its retention. */
export function mayErase({ held, retainUntil }: StoredDocument, now: number): boolean {
  return !held && (retainUntil === null || retainUntil <= now);
}

/** Why a reader has access. */
export type DocumentAccess =
  | { readonly by: 'issuer'; readonly purpose: string | undefined }
  | { readonly by: 'grant'; readonly grant: DocumentGrant }
  | { readonly by: 'citizen' };

/**
 * Why this reader may read the document at `now`, or undefined. These may: the client that deposited it, a client with an active
 * grant (for the stated purpose, if it states one), and the citizen.
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

/** Whether a grant gives access at `now`; at `endsAt` it no longer does. */
export function isGrantActive(grant: DocumentGrant, now: number): boolean {
  return grant.grantedAt <= now && (grant.endsAt === null || now < grant.endsAt);
}
