import { hmacString } from '../../kernel/hashing.ts';
import type { ClaimLevels } from '../match/compare.ts';
import { isConfirmed } from '../match/level.ts';
import { type Claims, claimNames, oidcName, splitNationalities, type VerificationRequest } from '../register/claims.ts';
import type { IdentityPorts } from './ports.ts';
import type { Verification } from './verification.ts';

/** The media type of a signed result, without `application/`. */
export const verificationTokenType = 'identity-verification+jwt';

/**
 * The payload of the signed result for one client. Only a match has `verified_claims` (OpenID Connect for Identity Assurance 1.0,
 * section 5), so that a consumer that only checks whether they are present never reads a refusal as a verified person. All results
 * without a match have the same members, whatever the reason.
 */
export function verificationTokenPayload(
  result: Omit<Verification, 'token'>,
  request: VerificationRequest,
  levels: ClaimLevels | undefined,
  audience: { readonly clientId: string; readonly ports: IdentityPorts },
): Readonly<Record<string, unknown>> {
  const payload = {
    iss: audience.ports.issuer,
    aud: audience.clientId,
    iat: toEpochSeconds(result.checkedAt),
    exp: toEpochSeconds(result.expiresAt),
    jti: result.verificationId,
    nonce: request.nonce,
    request_hash: result.requestHash,
    decision: result.decision,
    policy: result.policy,
    purpose: result.purpose ?? undefined,
  };
  if (result.decision !== 'match' || levels === undefined) return payload;
  return {
    ...payload,
    ...pairwiseSubject(request.claims, audience),
    verified_claims: verifiedClaims(result, request, levels, audience.ports),
  };
}

function toEpochSeconds(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000);
}

/** A pairwise subject (OpenID Connect Core 1.0, section 8.1): two clients cannot see that they asked about one person. */
function pairwiseSubject(claims: Claims, audience: { readonly clientId: string; readonly ports: IdentityPorts }) {
  if (claims.citizenId === undefined) return {};
  const key = audience.ports.rootKey.derive('pairwise-subject');
  return { sub: hmacString(key, `${audience.clientId}\0${claims.citizenId}`, 'base64url') };
}

function verifiedClaims(
  result: Omit<Verification, 'token'>,
  request: VerificationRequest,
  levels: ClaimLevels,
  { registerSource }: IdentityPorts,
): object {
  const { assurance, policy, checkedAt, verificationId } = result;
  const check = { check_method: 'data', organization: registerSource.name, check_id: verificationId, time: checkedAt };
  return {
    verification: {
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
    },
    claims: matchedClaims(request.claims, levels),
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
