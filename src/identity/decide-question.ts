import type { Call } from '../api/operation.ts';
import { toInstant } from '../kernel/clock.ts';
import type { VerificationId } from '../kernel/id.ts';
import type { Statement } from '../store/db.ts';
import { type ClaimName, kindOf, type Question } from './claims.ts';
import { explain } from './explanation.ts';
import { type Seen, unchangedSince } from './guess-budget.ts';
import { countable, type GuessTags, searchedSubjectOf, strangerSubjectOf, subjectOf } from './guess-subjects.ts';
import { type Finding, identify } from './identify.ts';
import type { NormalisedClaims } from './match/comparable.ts';
import type { Levels } from './match/compare.ts';
import type { Policy } from './match/policy.ts';
import type { IdentityPorts } from './ports.ts';
import { RegisterUnavailable } from './register.ts';
import { strangersOf } from './strangers.ts';

/** What an operation of verification is called with. */
export type VerifyCall = Pick<Call<object, IdentityPorts>, 'caller' | 'now' | 'mint' | 'ports' | 'hiddenUntil'>;

/** One question on its way to its answer. */
export type Asking = {
  readonly verificationId: VerificationId;
  readonly question: Question;
  readonly claims: NormalisedClaims;
  readonly policy: Policy;
  readonly call: VerifyCall;
};

/** Whose budget this question finds spent, and who was not told of it yet: a citizen, or a stranger in the place of one. */
export type Untold = {
  readonly citizenId: string;
  readonly subject: string;
  /** Until when a guess by which it is spent is hidden. */
  readonly hiddenUntil: number | undefined;
};

export type Decided = {
  readonly finding: Finding;
  readonly untold?: Untold;
  /** They go into the unit of the answer, which is refused where another process counted a guess meanwhile. */
  readonly guards: readonly Statement[];
};

/**
 * Asks the register, and counts what was wrong. Over budget all is done as for a wrong guess, and answered as one:
 * test/attacks/guessing.test.ts. Where the register could not be asked nothing is counted, whatever the budget.
 */
export async function decideQuestion({
  verificationId,
  question,
  claims: all,
  policy,
  call,
}: Asking): Promise<Decided> {
  const { register, frequencies, guesses, rootKey, citizenKeys } = call.ports;
  const key = rootKey.derive('guess-budget');
  const { claims, tags } = countable(key, question.claims, all, policy);
  const { citizenId } = question.claims;
  const looked = guesses.look(tags.subjects, call.now);
  const unspent = async () => (await looked).hasRoom;
  const bench = { register, policy, frequencies: frequencies?.(), today: toInstant(call.now).slice(0, 10), unspent };
  // Nobody waits for what the register tells others: only looking at the budget and counting go one after the other.
  const asked = Promise.all([
    identify(claims, question.claims, bench).catch((fault) => notAsked(fault)),
    looked,
    // Of a known id the key is often at hand: that of an unknown one is looked for beside what is read anyway.
    ...(citizenId === undefined ? strangersOf(verificationId) : [citizenId]).map(citizenKeys.keyOf),
  ]);
  // A fault is met below, when it is the turn of this question.
  asked.catch(() => undefined);
  return await guesses.alone(tags.subjects, async (waited) => {
    const [found, first] = await asked;
    if (found === undefined) return { finding: openFinding(citizenId), guards: [] };
    // Who saw no room did not look at everything, and has none now.
    const seen = waited ? both(first, await guesses.look(tags.subjects, call.now)) : first;
    if (citizenId !== undefined) return await settle(call, { found, tags, seen, owner: citizenId });
    // One whom the search concerns, or a stranger: looked up and written for either, so that neither tells.
    const concerned = found.about ?? [...found.concerned].sort()[0];
    const [stranger = ''] = strangersOf(verificationId);
    const owner = concerned ?? stranger;
    const searched = concerned === undefined ? strangerSubjectOf(key, tags) : searchedSubjectOf(key, concerned);
    return await guesses.alone([searched], async () => {
      const own = await guesses.look([searched, subjectOf(key, owner)], call.now);
      const subjects = [...tags.subjects, searched];
      return await settle(call, { found, tags: { ...tags, subjects }, seen: both(seen, own), owner });
    });
  });
}

/** What was found for a question, and what was seen of the budgets that it needs. */
type Settling = {
  readonly found: Finding;
  readonly tags: GuessTags;
  readonly seen: Seen;
  readonly owner: string;
};

async function settle(
  { ports, hiddenUntil: own }: VerifyCall,
  { found, tags, seen, owner }: Settling,
): Promise<Decided> {
  const wrong = isWrong(found);
  if (seen.hasRoom && !wrong) return { finding: found, guards: unchangedSince(seen) };
  // Over budget nothing is added, for the ledger would tell by it who was right: nobody learns anything then.
  const counting = { ...tags, wrong: wrong && seen.hasRoom, hiddenUntil: own };
  const { hadRoom, untold, hiddenUntil } = await ports.guesses.count(counting, seen);
  const finding: Finding = seen.hasRoom && hadRoom ? found : overBudget(found, hiddenUntil);
  return { finding, guards: [], ...(untold ? { untold: { citizenId: owner, subject: tags.told, hiddenUntil } } : {}) };
}

/** What is left of a finding where guesses are spent. Whose record it is may still know what fitted, once none of them is hidden. */
function overBudget({ explanation: { claims }, ...found }: Finding, hiddenUntil: number | undefined): Finding {
  const explanation = { reason: 'guesses-spent', claims, from: hiddenUntil } as const;
  return { ...found, decision: 'no_match', levels: {}, explanation };
}

function both(one: Seen, other: Seen): Seen {
  const budgets = new Map([...one.budgets, ...other.budgets]);
  return { budgets, hasRoom: one.hasRoom && other.hasRoom, now: other.now };
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
  const explanation = explain('register-unavailable', {});
  return { decision: 'not_determined', levels: {}, concerned, about: citizenId ?? null, searched, explanation };
}
