/** Why a verification did not match, as the citizen can read it about the own record. */
export const unmatchedReasons = [
  'claims-do-not-fit',
  'record-locked',
  'record-of-the-dead',
  'record-under-review',
  'others-fit-as-well',
  'guesses-spent',
  'register-unavailable',
  'other-person-expected',
] as const;

/** One of `unmatchedReasons`. */
export type UnmatchedReason = (typeof unmatchedReasons)[number];

/** How a claim compares with the register, as the citizen can read it about the own record. */
export const claimFindings = ['match', 'similar', 'former', 'no_match', 'not_available'] as const;

/** One of `claimFindings`. */
export type ClaimFinding = (typeof claimFindings)[number];
