import type { Call } from '../api/operation.ts';
import { toInstant } from '../kernel/clock.ts';
import type { VerificationId } from '../kernel/id.ts';
import { type ClaimName, kindOf, type Question } from './claims.ts';
import { guessTags, strangerSubjectOf, subjectOf } from './guess-subjects.ts';
import { type Finding, identify } from './identify.ts';
import type { NormalisedClaims } from './match/comparable.ts';
import type { Levels } from './match/compare.ts';
import type { Policy } from './match/policy.ts';
import type { IdentityPorts } from './ports.ts';
import { RegisterUnavailable } from './register.ts';
import { strangersOf } from './strangers.ts';

/** What an operation of verification is called with. */
export type VerifyCall = Pick<Call<object, IdentityPorts>, 'caller' | 'now' | 'mint' | 'ports'>;

/** One question on its way to its answer. */
export type Asking = {
  readonly verificationId: VerificationId;
  readonly question: Question;
  readonly claims: NormalisedClaims;
  readonly policy: Policy;
  readonly call: VerifyCall;
};

/** Whose budget this question finds spent, and who was not told of it yet: a citizen, or a stranger in the place of one. */
export type Untold = { readonly citizenId: string; readonly subject: string };

export type Decided = { readonly finding: Finding; readonly untold?: Untold };

/**
 * Asks the register, and counts what was wrong. Over budget everything is done as ever, and then answered as a mismatch:
 * test/attacks/guessing.test.ts. Where the register could not be asked nothing is counted, and no budget is looked at.
 */
export async function decideQuestion({ verificationId, question, claims, policy, call }: Asking): Promise<Decided> {
  const { register, frequencies, guesses, rootKey, citizenKeys } = call.ports;
  const key = rootKey.derive('guess-budget');
  const tags = guessTags(key, question.claims, claims, policy);
  const { citizenId } = question.claims;
  return await guesses.alone(tags.subjects, async () => {
    const bench = { register, policy, frequencies: frequencies?.(), today: toInstant(call.now).slice(0, 10) };
    const [found, unspent] = await Promise.all([
      identify(claims, question.claims, bench).catch((fault) => notAsked(fault)),
      guesses.hasRoom(tags.subjects, call.now),
      // Of a known id the key is often at hand: that of an unknown one is looked for beside what is read anyway.
      ...(citizenId === undefined ? strangersOf(verificationId) : [citizenId]).map(citizenKeys.keyOf),
    ]);
    if (found === undefined) return { finding: openFinding(citizenId) };
    const settle = async (owner: Untold, hasRoom: boolean): Promise<Decided> => {
      const finding: Finding = hasRoom ? found : { ...found, decision: 'no_match', levels: {} };
      const wrong = isWrong(found);
      if (finding.decision !== 'no_match' && !wrong) return { finding };
      const subjects = [...new Set([...tags.subjects, owner.subject])];
      const { untold } = await guesses.count({ ...tags, subjects, owner: owner.subject, wrong }, call.now);
      return untold ? { finding, untold: owner } : { finding };
    };
    if (citizenId !== undefined) return await settle({ citizenId, subject: subjectOf(key, citizenId) }, unspent);
    // One whom the search concerns, or a stranger: looked up and written for either, so that neither tells.
    const concerned = found.about ?? [...found.concerned].sort()[0];
    const [stranger = ''] = strangersOf(verificationId);
    const owner =
      concerned === undefined
        ? { citizenId: stranger, subject: strangerSubjectOf(key, tags) }
        : { citizenId: concerned, subject: subjectOf(key, concerned) };
    return await guesses.alone([owner.subject], async () => {
      const ownerUnspent = await guesses.hasRoom([owner.subject], call.now);
      return await settle(owner, unspent && ownerUnspent);
    });
  });
}

/**
 * Whether a guess was wrong. A tolerant policy lets claims differ; what is not attested then would tell a guesser of
 * numbers and dates, try by try, for nothing.
 */
function isWrong({ decision, levels }: Finding): boolean {
  return decision === 'no_match' || (Object.keys(levels) as ClaimName[]).some((claim) => isGuess(claim, levels));
}

function isGuess(claim: ClaimName, levels: Levels): boolean {
  const level = levels[claim];
  if (level === 'different' || level === 'near' || level === 'close') return true;
  const kind = kindOf(claim);
  return level === 'similar' && (kind === 'code' || kind === 'date');
}

/** A register that could not be asked; anything else is a fault. */
function notAsked(fault: unknown): undefined {
  if (!(fault instanceof RegisterUnavailable)) throw fault;
  return undefined;
}

/** What a register that could not be asked leaves of the question. */
function openFinding(citizenId: string | undefined): Finding {
  const concerned = citizenId === undefined ? [] : [citizenId];
  const searched = citizenId === undefined;
  return { decision: 'not_determined', levels: {}, concerned, about: citizenId ?? null, searched };
}
