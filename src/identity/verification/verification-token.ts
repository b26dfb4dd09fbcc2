import { hmacString } from '../../kernel/hashing.ts';
import type { ClaimLevels } from '../match/compare.ts';
import { isConfirmed } from '../match/level.ts';
import {
  type ClaimName,
  type Claims,
  claimNames,
  oidcName,
  splitNationalities,
  type VerificationRequest,
} from '../register/claims.ts';
import type { AttestationEvidence } from './attested-claims.ts';
import type { IdentityPorts } from './ports.ts';
import type { Verification } from './verification.ts';

/** The media type of a signed result, without `application/`. */
export const verificationTokenType = 'identity-verification+jwt';

type Audience = { readonly clientId: string; readonly ports: IdentityPorts };
type UnsignedResult = Omit<Verification, 'token'>;

/**
 * The payload of the signed result for one client. Only a match has `verified_claims` (OpenID Connect for Identity Assurance 1.0,
 * section 5), so that a consumer that only checks whether they are present never reads a refusal as a verified person. All results
 * without a match have the same members, whatever the reason.
 */
export function verificationTokenPayload(
  result: UnsignedResult,
  request: VerificationRequest,
  levels: ClaimLevels | undefined,
  audience: Audience,
): Readonly<Record<string, unknown>> {
  const payload = commonPayload(result, request, audience);
  if (result.decision !== 'match' || levels === undefined) return payload;
  return {
    ...payload,
    ...pairwiseSubject(request.claims, audience),
    verified_claims: {
      verification: registerVerification(result, audience.ports),
      claims: matchedClaims(request.claims, levels),
    },
  };
}

/** The attestation of a wallet in a signed result, and the claims that were compared. */
type PresentedEvidence = { readonly evidence: AttestationEvidence; readonly compared: readonly ClaimName[] };

/**
 * The payload of the signed result of a presentation. A match has a second evidence, the credential. The claims name what was compared,
 * because the schema demands at least one claim. They contain no value that the client did not send (test/attacks/wallet-values.test.ts).
 */
export function presentationTokenPayload(
  result: UnsignedResult,
  request: VerificationRequest,
  { evidence, compared }: PresentedEvidence,
  audience: Audience,
): Readonly<Record<string, unknown>> {
  const payload = commonPayload(result, request, audience);
  if (result.decision !== 'match') return payload;
  const verification = registerVerification(result, audience.ports);
  const { assurance_process: process } = verification;
  const checkId = `${result.verificationId}:wallet`;
  const { citizenId } = request.claims;
  return {
    ...payload,
    ...pairwiseSubject(request.claims, audience),
    verified_claims: {
      verification: {
        ...verification,
        assurance_process: {
          ...process,
          assurance_details: [
            ...process.assurance_details,
            { assurance_type: 'verification', evidence_ref: [{ check_id: checkId }] },
          ],
        },
        evidence: [...verification.evidence, credentialEvidence(evidence, result, checkId)],
      },
      claims: {
        ...(citizenId === undefined ? {} : { [oidcName('citizenId')]: citizenId }),
        compared_claims: compared.map(oidcName),
      },
    },
  };
}

/** `vcrypt`: the signatures of issuer and holder were verified. */
function credentialEvidence(
  { credentialType, format, issuer, issuingCountry, certificateDigest }: AttestationEvidence,
  { checkedAt }: UnsignedResult,
  checkId: string,
) {
  const country = issuingCountry === undefined ? {} : { country: issuingCountry };
  return {
    type: 'electronic_record',
    check_details: [{ check_method: 'vcrypt', check_id: checkId, time: checkedAt }],
    record: { type: credentialType, format, source: { name: issuer, ...country } },
    // A digest as in the schema of attachments: the algorithm of IANA, and base64 with padding.
    issuer_certificate: {
      digest: { alg: 'sha-256', value: Buffer.from(certificateDigest, 'base64url').toString('base64') },
    },
  };
}

function commonPayload(result: UnsignedResult, request: VerificationRequest, { clientId, ports }: Audience) {
  return {
    iss: ports.issuer,
    aud: clientId,
    iat: toEpochSeconds(result.checkedAt),
    exp: toEpochSeconds(result.expiresAt),
    jti: result.verificationId,
    nonce: request.nonce,
    request_hash: result.requestHash,
    decision: result.decision,
    policy: result.policy,
    purpose: result.purpose ?? undefined,
  };
}

function toEpochSeconds(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000);
}

/** A pairwise subject (OpenID Connect Core 1.0, section 8.1): two clients cannot see that they asked about one person. */
function pairwiseSubject(claims: Claims, audience: Audience) {
  if (claims.citizenId === undefined) return {};
  const key = audience.ports.rootKey.derive('pairwise-subject');
  return { sub: hmacString(key, `${audience.clientId}\0${claims.citizenId}`, 'base64url') };
}

/** The member `verification` of a match with the register. */
function registerVerification(result: UnsignedResult, { registerSource }: IdentityPorts) {
  const { assurance, policy, checkedAt, verificationId } = result;
  const check = { check_method: 'data', organization: registerSource.name, check_id: verificationId, time: checkedAt };
  return {
    trust_framework: assurance.framework,
    assurance_level: assurance.level,
    assurance_process: {
      policy,
      procedure: 'register-match',
      assurance_details: [{ assurance_type: 'evidence_validation', evidence_ref: [{ check_id: verificationId }] }],
    },
    time: checkedAt,
    verification_process: verificationId,
    evidence: [
      {
        type: 'electronic_record',
        check_details: [check],
        record: { type: 'population_register', source: registerSource },
      },
    ],
  };
}

const addressClaims = new Set(['streetAddress', 'postalCode', 'locality', 'country']);

/**
 * The claims that matched, as the caller sent them, never a value of the register. A deviation that the policy tolerates is not attested:
 * the value sent is not that of the register.
 */
function matchedClaims(claims: Claims, levels: ClaimLevels): Readonly<Record<string, unknown>> {
  const matched: Record<string, unknown> = {};
  const address: Record<string, string> = {};
  for (const claim of claimNames) {
    const value = claims[claim];
    if (value === undefined || !isConfirmed(levels[claim])) continue;
    if (addressClaims.has(claim)) address[oidcName(claim)] = value;
    else if (claim === 'nationality') matched['nationalities'] = splitNationalities(value);
    else if (claim === 'birthPlace') matched['place_of_birth'] = { locality: value };
    else matched[oidcName(claim)] = value;
  }
  return Object.keys(address).length === 0 ? matched : { ...matched, address };
}
