import type { Verification } from './verification.ts';

// An answer as it is kept. Its token holds most of what it says, in base64url and once more: kept whole it fills a page of
// SQLite alone, and without what stands there twice two of them do. Four lines, each without a line end of its own: what the
// token does not say, and the token's header, payload and signature. JSON of one line is an answer that was kept whole.

type TokenPayload = {
  readonly jti: Verification['verificationId'];
  readonly decision: Verification['decision'];
  readonly policy: string;
  readonly purpose?: string;
  readonly request_hash: string;
};
type Rest = Pick<
  Verification,
  'claims' | 'assurance' | 'checkedAt' | 'expiresAt' | 'legalBasis' | 'consentReference' | 'receipt'
>;

/** The bytes of an answer to be sealed. */
export function packAnswer({ token, ...answer }: Verification): Buffer {
  const { claims, assurance, checkedAt, expiresAt, legalBasis, consentReference, receipt } = answer;
  const rest: Rest = {
    ...(claims === undefined ? {} : { claims }),
    ...{ assurance, checkedAt, expiresAt, legalBasis, consentReference, receipt },
  };
  const [header = '', payload = '', signature = ''] = token.split('.');
  return Buffer.from(`${JSON.stringify(rest)}\n${fromBase64Url(header)}\n${fromBase64Url(payload)}\n${signature}`);
}

/** The answer of those bytes, each member in its place: its JSON is again that of the answer that was packed. */
export function unpackAnswer(bytes: Uint8Array): Verification {
  const lines = Buffer.from(bytes).toString().split('\n');
  const [first = '', header, payload, signature] = lines;
  // What was sealed as an answer is one, in one of the two forms.
  if (header === undefined || payload === undefined) return JSON.parse(first) as Verification;
  const { claims, assurance, checkedAt, expiresAt, legalBasis, consentReference, receipt } = JSON.parse(first) as Rest;
  const { jti, decision, policy, purpose, request_hash: requestHash } = JSON.parse(payload) as TokenPayload;
  return {
    ...{ verificationId: jti, verified: decision === 'match', decision },
    ...(claims === undefined ? {} : { claims }),
    ...{ assurance, policy, checkedAt, expiresAt, purpose: purpose ?? null, legalBasis, consentReference },
    ...{ requestHash, receipt, token: `${toBase64Url(header)}.${toBase64Url(payload)}.${signature}` },
  };
}

function fromBase64Url(part: string): string {
  return Buffer.from(part, 'base64url').toString();
}

function toBase64Url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
