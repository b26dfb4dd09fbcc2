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
 * Why a question was answered as it was. It is for the citizen whom the question was about, who is to be told what did not
 * fit (EU 2025/846, Article 4), and never for who asked: to them it would say what to guess next.
 */
export type Explanation = {
  /** Null for a match. */
  readonly reason: UnmatchedReason | null;
  /** Of each claim that was asked about; empty where no record was compared. */
  readonly claims: { readonly [claim in ClaimName]?: ClaimFinding };
  /** From when on it may be told, in epoch ms; before, it would tell of guesses that are hidden from the citizen. */
  readonly from?: number | undefined;
};

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

// As it is kept: a letter for the reason and one for each claim of the contract, so that it is as long whatever was found.
// Answers are kept for a year: these letters stay, and new claims come at the end.

const noLetter = '-';
const reasonLetters: Readonly<Record<UnmatchedReason, string>> = {
  'claims-do-not-fit': 'f',
  'record-locked': 'l',
  'record-of-the-dead': 'd',
  'record-under-review': 'r',
  'others-fit-as-well': 'o',
  'guesses-spent': 'g',
  'register-unavailable': 'u',
};
const findingLetters: Readonly<Record<ClaimFinding, string>> = {
  match: 'm',
  similar: 's',
  former: 'f',
  no_match: 'n',
  not_available: 'a',
};

export function encodeExplanation({ reason, claims }: Explanation): string {
  const letters = claimNames.map((claim) => {
    const finding = claims[claim];
    return finding === undefined ? noLetter : findingLetters[finding];
  });
  return `${reason === null ? noLetter : reasonLetters[reason]}${letters.join('')}`;
}

export function decodeExplanation(packed: string): Explanation {
  const [first, ...letters] = packed;
  const claims: { [claim in ClaimName]?: ClaimFinding } = {};
  for (const [position, claim] of claimNames.entries()) {
    const finding = claimFindings.find((one) => findingLetters[one] === letters[position]);
    if (finding !== undefined) claims[claim] = finding;
  }
  return { reason: unmatchedReasons.find((one) => reasonLetters[one] === first) ?? null, claims };
}
