/** Why a check of details was no match, as the citizen whom it was about is told. */
export const unmatchedReasons = [
  'claims-do-not-fit',
  'record-locked',
  'record-of-the-dead',
  'record-under-review',
  'others-fit-as-well',
  'guesses-spent',
  'register-unavailable',
] as const;

export type UnmatchedReason = (typeof unmatchedReasons)[number];

/** How a claim compares with what the register has, as the person whose record it is may know. */
export const claimFindings = ['match', 'similar', 'former', 'no_match', 'not_available'] as const;

export type ClaimFinding = (typeof claimFindings)[number];
