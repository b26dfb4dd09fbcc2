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
    description:
      'The purpose of the access, which the citizen can read. It selects the grant, if your client has several.',
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
    size: Type.Integer({ description: 'The size of the document in bytes.' }),
    digest: Type.String({
      description: 'The SHA-256 of the document in the form of Repr-Digest (RFC 9530): sha-256=:BASE64:.',
    }),
    issuer: Type.String({ description: 'The client that deposited the document.' }),
    issuedAt: instant,
    depositedAt: Type.String({
      format: 'date-time',
      description: 'The time at which the server accepted the document.',
    }),
    status: Type.Union(
      [Type.Literal('scanning'), Type.Literal('available'), Type.Literal('quarantined'), Type.Literal('withdrawn')],
      {
        description:
          'scanning: it waits for the malware scan. available: it can be retrieved. quarantined: it is harmful, or the scanner cannot read it. withdrawn: its issuer withdrew it.',
      },
    ),
    retainUntil: instantOrNullSchema('The document is not erased before this time. null: there is no such time.'),
    retentionClass: Type.Union([Type.String(), Type.Null()]),
    eraseAt: instantOrNullSchema('The time at which the document is erased automatically. null: never.'),
    scan: Type.Object(
      {
        verdict: Type.Union(
          [
            Type.Literal('clean'),
            Type.Literal('infected'),
            Type.Literal('unscannable'),
            Type.Literal('not-scanned'),
            Type.Literal('waiting'),
          ],
          {
            description:
              'clean: the scan found nothing. infected: it found malware. unscannable: the scanner cannot read the document. waiting: the scan follows. not-scanned: this installation delivers documents without a scan.',
          },
        ),
        at: instantOrNullSchema('The time of the last scan. null: there was none.'),
        engine: Type.Union([Type.String(), Type.Null()], {
          description: 'The scanner and the version of its signatures. null: there was no scan.',
        }),
        finding: Type.Union([Type.String(), Type.Null()]),
      },
      {
        $id: 'DocumentScan',
        description: 'The result of the malware scan.',
      },
    ),
    access: Type.Array(
      Type.Object(
        {
          clientId: Type.String(),
          purpose: Type.String(),
          endsAt: instantOrNullSchema('The end of the grant. null: no end.'),
        },
        { $id: 'DocumentAccess' },
      ),
      {
        description:
          'The grants of other clients that are valid now. The issuer and the citizen see all grants; another client sees its own.',
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
    depositedAt: formatInstant(document.createdAt),
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
