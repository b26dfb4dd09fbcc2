import { type Static, Type } from 'typebox';
import { instantPattern, instantRequirement, parseInstant } from '../kernel/clock.ts';
import { maxCitizenIdLength } from '../kernel/id.ts';
import { type Issue, type Refusal, refuse, refuseIssues } from '../kernel/refusal.ts';
import type { ProcessingBasis } from '../ledger/ledger-event.ts';
import {
  decodeCitizenId,
  decodeLine,
  encodedTextNote,
  maxEncodedLineLength,
  visibleAsciiPattern,
} from './http/header-text.ts';
import { parseReprDigest } from './http/repr-digest.ts';
import { allowedMediaTypes, type MediaType, parseMediaType } from './media-type.ts';
import { retentionClassNamePattern } from './retention/retention-class.ts';

const instant = (description: string) =>
  Type.Optional(Type.String({ pattern: instantPattern, maxLength: 40, description }));

const text = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: visibleAsciiPattern, description });

const encodedLine = (description: string) =>
  Type.Optional(text(maxEncodedLineLength, `${description} ${encodedTextNote}`));

/**
 * The headers of a deposit. They describe the document, because the body is the document itself. A form has the same values in
 * fields (deposit-form.ts).
 */
export const depositHeaders = Type.Object(
  {
    'content-type': text(
      200,
      `The media type of the document: one of ${allowedMediaTypes.join(', ')}. Text is UTF-8. A form has multipart/form-data.`,
    ),
    'content-length': Type.Optional(
      Type.String({ pattern: '^\\d{1,15}$', description: 'The length of the body in bytes.' }),
    ),
    'content-encoding': Type.Optional(
      text(40, 'Only identity is accepted, because the server stores a document as it was issued.'),
    ),
    'repr-digest': Type.Optional(
      text(
        400,
        'The SHA-256 of the document as sha-256=:BASE64: (RFC 9530). The server rejects bytes with another digest. Required with an Idempotency-Key.',
      ),
    ),
    'citizen-id': encodedLine('Required. The id of the citizen in the register.'),
    'document-title': encodedLine(
      'Required. The title that the citizen sees, which is also the file name. At most 200 characters.',
    ),
    'document-kind': Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
        maxLength: 64,
        description: 'Your name for this kind of document, such as tax-assessment.',
      }),
    ),
    'document-issued-at': instant('The time of issue (RFC 3339). Default: the time of the deposit.'),
    'document-retain-until': instant('The document is not erased before this time (RFC 3339), which is in the future.'),
    'document-retention-class': Type.Optional(
      Type.String({
        pattern: retentionClassNamePattern,
        maxLength: 64,
        description:
          'A retention class of this installation. It determines how long the server keeps the document, and when it erases it.',
      }),
    ),
    purpose: encodedLine('The purpose of the deposit. The citizen can read it.'),
    'legal-basis': encodedLine('The legal basis of the deposit. The citizen can read it.'),
  },
  { additionalProperties: false },
);

/** The headers of a deposit, received or converted from a form. */
export type DepositHeaders = Static<typeof depositHeaders>;

/** The checked values of the headers. Instants in epoch ms. */
export type DepositTerms = {
  readonly citizenId: string;
  readonly title: string;
  readonly kind: string | null;
  readonly media: MediaType;
  readonly issuedAt: number;
  readonly retainUntil: number | null;
  readonly retentionClass: string | null;
  readonly processingBasis: ProcessingBasis;
  readonly length: number | undefined;
  readonly sha256: Uint8Array | undefined;
};

/** Reads headers that passed their schema; the refusal names all faults. */
export function readDepositHeaders(
  headers: DepositHeaders,
  now: number,
): { readonly terms: DepositTerms } | { readonly refusal: Refusal } {
  const media = parseMediaType(headers['content-type']);
  if (media === undefined || (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    return { refusal: unsupported() };
  }
  const issues: Issue[] = [];
  const readPart = <T>(name: keyof DepositHeaders, read: (text: string) => T | undefined, detail: string) => {
    const text = headers[name];
    const value = text === undefined ? undefined : read(text);
    if (text !== undefined && value === undefined) issues.push({ in: 'header', name, code: 'malformed', detail });
    return value;
  };
  const readLine = (name: keyof DepositHeaders, most: number, decode = decodeLine) =>
    readPart(name, (text) => decode(text, most), `must be percent-encoded UTF-8 of 1 to ${most} printable characters`);
  for (const name of ['citizen-id', 'document-title'] as const) {
    if (headers[name] === undefined) issues.push({ in: 'header', name, code: 'required', detail: 'required' });
  }
  const terms = {
    citizenId: readLine('citizen-id', maxCitizenIdLength, decodeCitizenId) ?? '',
    title: readLine('document-title', 200) ?? '',
    kind: headers['document-kind'] ?? null,
    media,
    issuedAt: readPart('document-issued-at', parseInstant, instantRequirement) ?? now,
    retainUntil: readPart('document-retain-until', parseInstant, instantRequirement) ?? null,
    retentionClass: headers['document-retention-class'] ?? null,
    processingBasis: { purpose: readLine('purpose', 200), legalBasis: readLine('legal-basis', 200) },
    length: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
    sha256: readPart('repr-digest', parseReprDigest, 'must contain sha-256=:BASE64: of 32 bytes'),
  };
  if (terms.retainUntil !== null && terms.retainUntil <= now) {
    const detail = 'must be in the future';
    issues.push({ in: 'header', name: 'document-retain-until', code: 'out-of-range', detail });
  }
  if (issues.length === 0) return { terms };
  return { refusal: refuseIssues(issues) };
}

function unsupported(): Refusal {
  const accept = allowedMediaTypes.join(', ');
  return refuse('unsupported-media-type', `Send one of ${accept}, without a content coding; text as UTF-8.`, {
    headers: { accept },
  });
}
