import {
  type ClaimFinding,
  claimFindings,
  type UnmatchedReason,
  unmatchedReasons,
} from '../../kernel/verification-explanation.ts';
import type { ClaimLevels } from '../match/compare.ts';
import { isConfirmed, type Level } from '../match/level.ts';
import { type ClaimName, claimNames } from '../register/claims.ts';

/**
 * The reason for a decision. Only its citizen may read it (EU 2025/846, Article 4). Attack: a client that reads it would learn which claim
 * to try next.
 */
export type Explanation = {
  /** Null for a match. */
  readonly reason: UnmatchedReason | null;
  /** One finding per submitted claim; empty if no record was compared. */
  readonly claims: { readonly [claim in ClaimName]?: ClaimFinding };
  /** The citizen may not read it before this time (epoch ms), because it would reveal concealed verifications. */
  readonly from?: number | undefined;
};

/** Reduces the levels of a comparison to findings. */
export function explainDecision(reason: UnmatchedReason | null, levels: ClaimLevels): Explanation {
  const claims: { [claim in ClaimName]?: ClaimFinding } = {};
  for (const claim of claimNames) {
    const level = levels[claim];
    if (level !== undefined) claims[claim] = findingOf(level);
  }
  return { reason, claims };
}

function findingOf(level: Level): ClaimFinding {
  if (isConfirmed(level)) return 'match';
  if (level === 'missing') return 'not_available';
  if (level === 'former') return 'former';
  return level === 'different' ? 'no_match' : 'similar';
}

// Stored form: one letter for the reason and one per claim, so that its length does not reveal the findings. Stored results are kept for
// a year: letters never change their meaning, and new claims are added at the end.

const noLetter = '-';
const reasonLetters: Readonly<Record<UnmatchedReason, string>> = {
  'claims-do-not-fit': 'f',
  'record-locked': 'l',
  'record-of-the-dead': 'd',
  'record-under-review': 'r',
  'others-fit-as-well': 'o',
  'guesses-spent': 'g',
  'register-unavailable': 'u',
  'other-person-expected': 'e',
};
const findingLetters: Readonly<Record<ClaimFinding, string>> = {
  match: 'm',
  similar: 's',
  former: 'f',
  no_match: 'n',
  not_available: 'a',
};

/** The stored form, always of the same length. */
export function encodeExplanation({ reason, claims }: Explanation): string {
  const letters = claimNames.map((claim) => {
    const finding = claims[claim];
    return finding === undefined ? noLetter : findingLetters[finding];
  });
  return `${reason === null ? noLetter : reasonLetters[reason]}${letters.join('')}`;
}

/** Reads the stored form. Letters of a newer version are ignored. */
export function decodeExplanation(encoded: string): Explanation {
  const [first, ...letters] = encoded;
  const claims: { [claim in ClaimName]?: ClaimFinding } = {};
  for (const [position, claim] of claimNames.entries()) {
    const finding = claimFindings.find((candidate) => findingLetters[candidate] === letters[position]);
    if (finding !== undefined) claims[claim] = finding;
  }
  return { reason: unmatchedReasons.find((candidate) => reasonLetters[candidate] === first) ?? null, claims };
}
