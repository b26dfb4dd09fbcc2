import { type Static, Type } from 'typebox';
import { idPatternSource, type VerificationId } from '../../kernel/id.ts';
import type { ClaimLevels } from '../match/compare.ts';
import { type ClaimName, claimNames } from '../register/claims.ts';

/** The time in which clients may rely on a result and its token. */
export const verificationValidMs = 5 * 60_000;

/** The result of one claim, for callers with the scope for it: never a score. */
type ClaimResult = 'match' | 'no_match' | 'not_available';

/** The result as it is sent and stored. */
export type Verification = Omit<Static<typeof verificationSchema>, 'verificationId' | 'claims'> & {
  readonly verificationId: VerificationId;
  readonly claims?: { readonly [claim in ClaimName]?: ClaimResult };
};

/** The coarse result of each submitted claim. */
export function claimResults(levels: ClaimLevels): { [claim in ClaimName]?: ClaimResult } {
  const results: { [claim in ClaimName]?: ClaimResult } = {};
  for (const claim of claimNames) {
    const level = levels[claim];
    if (level === undefined) continue;
    results[claim] = level === 'missing' ? 'not_available' : level === 'different' ? 'no_match' : 'match';
  }
  return results;
}

const claimResult = Type.Union([Type.Literal('match'), Type.Literal('no_match'), Type.Literal('not_available')], {
  description: 'match: the claim fits the record. no_match: it does not. not_available: the record has no value.',
});

/** The schema of a result. */
export const verificationSchema = Type.Object(
  {
    verificationId: Type.String({ pattern: idPatternSource('verification') }),
    verified: Type.Boolean({ description: 'true if decision is match.' }),
    decision: Type.Union([Type.Literal('match'), Type.Literal('no_match'), Type.Literal('not_determined')], {
      description:
        'match: the claims fit exactly one citizen. no_match: they fit none, or the id is unknown. not_determined: the record is under review, several people fit, or the register is unavailable.',
    }),
    claims: Type.Optional(
      Type.Object(Object.fromEntries(claimNames.map((claim) => [claim, Type.Optional(claimResult)])), {
        description:
          'The result of each submitted claim. It is absent without a match, and without the scope identity:verify:claims.',
      }),
    ),
    assurance: Type.Object({
      framework: Type.String(),
      level: Type.String({
        description:
          'The assurance level. Without the member evidence, the check proves that such a person exists, not that the user of your program is this person.',
      }),
    }),
    policy: Type.String({ description: 'The name of the verification policy, which contains its version.' }),
    checkedAt: Type.String({ format: 'date-time' }),
    expiresAt: Type.String({
      format: 'date-time',
      description: 'The time at which the result and its token expire.',
    }),
    purpose: Type.Union([Type.String(), Type.Null()]),
    legalBasis: Type.Union([Type.String(), Type.Null()]),
    consentReference: Type.Union([Type.String(), Type.Null()]),
    requestHash: Type.String({
      description:
        'sha-256: and the base64url of SHA-256 over the canonical JSON (RFC 8785) of all request members, with names in camelCase. For a wallet, only citizenId, purpose, legalBasis and nonce count.',
    }),
    receipt: Type.String({ description: 'The path of the ledger receipt of this access.' }),
    evidence: Type.Optional(
      Type.Object(
        {
          kind: Type.Literal('wallet', { description: 'The citizen presented a credential of a wallet.' }),
          credential: Type.String({ description: 'The type of the credential: its vct or document type.' }),
          format: Type.String({ description: 'The format of the credential: dc+sd-jwt or mso_mdoc.' }),
          issuer: Type.String({ description: 'The issuer, by its certificate.' }),
          issuingCountry: Type.Optional(
            Type.String({ description: 'The country of the issuer (ISO 3166-1 alpha-2).' }),
          ),
          holderBinding: Type.Literal(true, {
            description: 'true: the wallet proved that it holds the key of the credential.',
          }),
        },
        { description: 'The credential that the citizen presented. It is absent without a wallet.' },
      ),
    ),
    token: Type.String({
      description:
        'The signed result: a JWS of type identity-verification+jwt. On a match, it contains verified_claims (OpenID Connect for Identity Assurance).',
    }),
  },
  { $id: 'Verification' },
);
