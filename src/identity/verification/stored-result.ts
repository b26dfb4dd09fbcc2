import { decodeExplanation, type Explanation, encodeExplanation } from './explanation.ts';
import type { Verification } from './verification.ts';

// An answer as it is kept. Its token holds most of what it says, in base64url and once more: kept whole it fills a page of
// SQLite alone, and without what stands there twice three of them do. Four lines, each without a line end of its own: what the
// token does not say, and the token's header, payload and signature. Of a payload on how a person was verified only the source
// is stored, because all else follows from the other lines.

type TokenPayload = {
  readonly jti: Verification['verificationId'];
  readonly decision: Verification['decision'];
  readonly policy: string;
  readonly purpose?: string;
  readonly request_hash: string;
};
type ResultMembers = Pick<
  Verification,
  'claims' | 'assurance' | 'checkedAt' | 'expiresAt' | 'legalBasis' | 'consentReference' | 'receipt'
>;

/** The first line: what the token does not say, and what only the citizen is told. */
type FirstLine = ResultMembers & { readonly why: string; readonly whyFrom?: number | undefined };

/** The bytes of an answer to be sealed, with what explains it to the citizen. */
export function encodeStoredResult({ token, ...answer }: Verification, explanation: Explanation): Buffer {
  const { claims, assurance, checkedAt, expiresAt, legalBasis, consentReference, receipt } = answer;
  const rest: FirstLine = {
    ...(claims === undefined ? {} : { claims }),
    ...{ assurance, checkedAt, expiresAt, legalBasis, consentReference, receipt, why: encodeExplanation(explanation) },
    whyFrom: explanation.from,
  };
  const [header = '', payload = '', signature = ''] = token.split('.');
  const said = folded(fromBase64Url(payload), answer);
  return Buffer.from(`${JSON.stringify(rest)}\n${fromBase64Url(header)}\n${said}\n${signature}`);
}

/** The answer of those bytes, each member in its place: its JSON is again that of the answer that was packed. */
export function decodeStoredResult(bytes: Uint8Array): Verification {
  const lines = Buffer.from(bytes).toString().split('\n');
  const [first = '', header = '', payload = '', signature = ''] = lines;
  const { claims, assurance, checkedAt, expiresAt, legalBasis, consentReference, receipt } = JSON.parse(
    first,
  ) as ResultMembers;
  const { jti, decision, policy, purpose, request_hash: requestHash } = JSON.parse(payload) as TokenPayload;
  const said = unfolded(payload, { verificationId: jti, assurance, policy, checkedAt });
  return {
    ...{ verificationId: jti, verified: decision === 'match', decision },
    ...(claims === undefined ? {} : { claims }),
    ...{ assurance, policy, checkedAt, expiresAt, purpose: purpose ?? null, legalBasis, consentReference },
    ...{ requestHash, receipt, token: `${toBase64Url(header)}.${toBase64Url(said)}.${signature}` },
  };
}

/** The explanation of the answer of those bytes, for the citizen. */
export function decodeStoredExplanation(bytes: Uint8Array): Explanation {
  const [first = ''] = Buffer.from(bytes).toString().split('\n', 1);
  const { why, whyFrom: from } = JSON.parse(first) as FirstLine;
  return from === undefined ? decodeExplanation(why) : { ...decodeExplanation(why), from };
}

/** What a payload says of a verification follows from these, and from the source. */
type Facts = Pick<Verification, 'verificationId' | 'assurance' | 'policy' | 'checkedAt'>;

/** A quote in the text of a caller has a stroke before it in JSON, so neither mark can come from there. */
const mark = '"verified_claims":{"verification":{"source":';
const sourceMark = '"record":{"type":"population_register","source":';
const sourceEnd = '}}]},"claims":{';
const foldedEnd = '},"claims":{';

/**
 * That part of a payload, without and behind `mark`. This text is a form that answers lie in for as long as they are kept: where
 * payloads come to say more (verification-token.ts) it stays, and those are kept as they are.
 */
function unfoldedPart({ verificationId, assurance, policy, checkedAt }: Facts, source: string): string {
  const [id, by, time] = [JSON.stringify(verificationId), JSON.stringify(policy), JSON.stringify(checkedAt)];
  const { framework, level } = assurance;
  const { name } = JSON.parse(source) as { readonly name?: unknown };
  return [
    `"verified_claims":{"verification":{"trust_framework":${JSON.stringify(framework)},"assurance_level":${JSON.stringify(level)}`,
    `,"assurance_process":{"policy":${by},"procedure":"register-match","assurance_details":[{"assurance_type":"evidence_validation"`,
    `,"evidence_ref":[{"check_id":${id}}]}]},"time":${time},"verification_process":${id},"evidence":[{"type":"electronic_record"`,
    `,"check_details":[{"check_method":"data","organization":${JSON.stringify(name)},"check_id":${id},"time":${time}}]`,
    `,${sourceMark}${source}${sourceEnd}`,
  ].join('');
}

function folded(payload: string, facts: Facts): string {
  const at = payload.indexOf(sourceMark);
  const end = payload.indexOf(sourceEnd, at);
  if (at < 0 || end < 0) return payload;
  const source = payload.slice(at + sourceMark.length, end);
  const part = unfoldedPart(facts, source);
  const begin = end + sourceEnd.length - part.length;
  if (!payload.startsWith(part, begin)) return payload;
  return `${payload.slice(0, begin)}${mark}${source}${foldedEnd}${payload.slice(end + sourceEnd.length)}`;
}

function unfolded(payload: string, facts: Facts): string {
  const at = payload.indexOf(mark);
  if (at < 0) return payload;
  const end = payload.indexOf(foldedEnd, at);
  const source = payload.slice(at + mark.length, end);
  return `${payload.slice(0, at)}${unfoldedPart(facts, source)}${payload.slice(end + foldedEnd.length)}`;
}

function fromBase64Url(part: string): string {
  return Buffer.from(part, 'base64url').toString();
}

function toBase64Url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
