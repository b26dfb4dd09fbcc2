import type { ClaimName } from '../claims.ts';

/** How a claim compares with what the register holds, best first. */
export type Level =
  /** The same text. */
  | 'exact'
  /** The same after normalising: accents, case, blanks, hyphens, transliteration. */
  | 'normalised'
  /** Both say the same as far as the less precise of them goes; dates only. */
  | 'precision'
  | 'different'
  /** The register holds nothing. */
  | 'missing';

/** One of these claims. */
export type OneOf = readonly [ClaimName, ...ClaimName[]];

/** A named, versioned way to decide. The name goes into every answer; a change of rules is a new name. */
export type Policy = {
  readonly name: string;
  readonly assurance: { readonly framework: 'eidas'; readonly level: 'low' | 'substantial' | 'high' };
  /** Sets of which one must be submitted, and one must be positively matched. */
  readonly minimum: readonly (readonly OneOf[])[];
  /** The levels that count as agreement. */
  readonly agreement: ReadonlySet<Level>;
  /** Levels that count only beside an agreeing id or document number (EU 2023/333 calls them similar). */
  readonly agreementBesideId: ReadonlySet<Level>;
};

const name: OneOf = ['familyName', 'givenName', 'birthFamilyName'];
const address: OneOf = ['streetAddress', 'postalCode'];

/**
 * The policy of the contract. Every claim that is submitted must agree or be unknown to the register. A person of whom
 * the register knows no name or no birth date can be verified by document number and address in its place.
 */
export const standardPolicy: Policy = {
  name: 'standard-2026-1',
  assurance: { framework: 'eidas', level: 'low' },
  minimum: [
    [['citizenId'], name, ['birthDate']],
    [['citizenId'], name, ['documentNumber'], address],
    [['citizenId'], ['birthDate'], ['documentNumber'], address],
    [['givenName'], ['familyName'], ['birthDate'], [...address, 'documentNumber']],
  ],
  agreement: new Set(['exact', 'normalised']),
  agreementBesideId: new Set(['precision']),
};

/** Whether some minimum set of the policy lies within these claims. */
export function reachesMinimum(policy: Policy, claims: ReadonlySet<ClaimName>): boolean {
  return policy.minimum.some((set) => set.every((oneOf) => oneOf.some((claim) => claims.has(claim))));
}
