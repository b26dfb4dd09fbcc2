import { type Static, Type } from 'typebox';
import { formatInstant } from '../kernel/clock.ts';
import { type DocumentGrant, type DocumentReader, isGrantActive, type SealedDocument } from './document.ts';
import { maxEncodedLineLength } from './http/header-text.ts';
import { reprDigest } from './http/repr-digest.ts';
import type { DocumentContent } from './sealed-record.ts';

const instant = Type.String({ format: 'date-time' });
const instantOrNullSchema = (description: string) => Type.Union([instant, Type.Null()], { description });

/** The path parameters of operations on one document. */
export const documentParams = Type.Object(
  { id: Type.String({ maxLength: 64, description: 'The id of the document, such as doc_….' }) },
  { additionalProperties: false },
);

/** The header in which a reader states its purpose. */
export const purposeHeader = Type.Optional(
  Type.String({
    maxLength: maxEncodedLineLength,
    description: 'The purpose of the access. The citizen can read it. It selects one of several grants.',
  }),
);

/** The record of a document on the wire. */
export const documentRecord = Type.Object(
  {
    id: Type.String(),
    citizenId: Type.String(),
    title: Type.String(),
    kind: Type.Union([Type.String(), Type.Null()]),
    mediaType: Type.String(),
    size: Type.Integer({ description: 'Bytes of the document.' }),
    digest: Type.String({ description: 'In the form of Repr-Digest (RFC 9530): sha-256=:BASE64:' }),
    issuer: Type.String({ description: 'The client that deposited it.' }),
    issuedAt: instant,
    status: Type.Union([
      Type.Literal('scanning'),
      Type.Literal('available'),
      Type.Literal('quarantined'),
      Type.Literal('withdrawn'),
    ]),
    retainUntil: instantOrNullSchema('It is not erased before this time.'),
    retentionClass: Type.Union([Type.String(), Type.Null()]),
    eraseAt: instantOrNullSchema('When it is erased automatically; null: never.'),
    scan: Type.Object(
      {
        verdict: Type.Union([
          Type.Literal('clean'),
          Type.Literal('infected'),
          Type.Literal('unscannable'),
          Type.Literal('not-scanned'),
          Type.Literal('waiting'),
        ]),
        at: instantOrNullSchema('The time of the last scan.'),
        engine: Type.Union([Type.String(), Type.Null()], {
          description: 'The scanner and the version of its signatures.',
        }),
        finding: Type.Union([Type.String(), Type.Null()]),
      },
      {
        $id: 'DocumentScan',
        description: 'The malware scan. not-scanned: this installation delivers documents without a scan.',
      },
    ),
    access: Type.Array(
      Type.Object(
        { clientId: Type.String(), purpose: Type.String(), endsAt: instantOrNullSchema('Null: no end.') },
        { $id: 'DocumentAccess' },
      ),
      {
        description:
          'The other clients that may read it now. The issuer and the citizen see all grants, another client its own.',
      },
    ),
  },
  { $id: 'DocumentRecord' },
);

/** The record for a reader. The issuer and the citizen see all active grants; another client sees its own. */
export function toDocumentRecord(
  document: SealedDocument,
  content: DocumentContent,
  access: { readonly grants: readonly DocumentGrant[]; readonly reader: DocumentReader; readonly now: number },
): Static<typeof documentRecord> {
  const { grants, reader, now } = access;
  const visibleGrants = grants.filter(
    (grant) =>
      isGrantActive(grant, now) &&
      ('citizen' in reader || reader.client === document.issuer || grant.clientId === reader.client),
  );
  return {
    id: document.id,
    citizenId: document.citizenId,
    title: content.title,
    kind: content.kind,
    mediaType: content.mediaType,
    size: content.size,
    digest: reprDigest(content.sha256),
    issuer: document.issuer,
    issuedAt: formatInstant(content.issuedAt),
    status: document.status,
    retainUntil: instantOrNull(document.retainUntil),
    retentionClass: document.retentionClass,
    eraseAt: instantOrNull(document.eraseAt),
    scan: scanOf(document),
    access: visibleGrants.map((grant) => ({
      clientId: grant.clientId,
      purpose: grant.purpose,
      endsAt: instantOrNull(grant.endsAt),
    })),
  };
}

function scanOf({ scan, status }: SealedDocument): Static<typeof documentRecord>['scan'] {
  const verdict = status === 'scanning' ? 'waiting' : 'not-scanned';
  if (scan === null) return { verdict, at: null, engine: null, finding: null };
  return { ...scan, at: formatInstant(scan.at) };
}

function instantOrNull(at: number | null): string | null {
  return at === null ? null : formatInstant(at);
}
