import type { Claims } from './claims.ts';
import type { NormalisedClaims } from './match/comparable.ts';
import { type Comparison, compare, decoy, type Levels, measure } from './match/compare.ts';
import type { MatchDecision } from './match/decide.ts';
import { withFormerOf } from './match/former.ts';
import type { Frequencies } from './match/model.ts';
import type { Policy } from './match/policy.ts';
import { type Candidate, hasRival, needsRivals, rivalsOf } from './match/rivals.ts';
import { familyKey, keyOf } from './name-key.ts';
import { mostCandidates, type Register, type RegisterRecord } from './register.ts';

/** What asking the register gave. */
export type Finding = {
  readonly decision: MatchDecision;
  /** How the claims compare with the one record that fits, or that the id names; empty where there is none. */
  readonly levels: Levels;
  /**
   * Whose data were used: they read of it in their ledger. With an id always its owner, known or not; in a search whom the
   * claims name, whom they fit, and those who kept the answer open.
   */
  readonly concerned: readonly string[];
  /** The citizen whom the answer is about, where it is one. */
  readonly about: string | null;
  readonly searched: boolean;
};

/** What decides: the register, how often its names are, and the policy. */
export type Bench = {
  readonly register: Register;
  readonly policy: Policy;
  readonly frequencies?: Frequencies | undefined;
  /** The day of the question, YYYY-MM-DD: former values count for some time only. */
  readonly today: string;
};

/** Finds the person whom the claims are about, by id or by search, and decides. */
export async function identify(normalised: NormalisedClaims, claims: Claims, bench: Bench): Promise<Finding> {
  const { citizenId } = claims;
  const { register, policy, frequencies, today } = bench;
  if (citizenId === undefined) return await search(normalised, bench);
  const record = withFormerOf((await register.find(citizenId)) ?? decoy, policy, today);
  const compared = compare(record, normalised, policy, frequencies);
  const open = compared.decision === 'match' && (await isRivalled(record, compared, normalised, bench));
  const decision = open ? 'not_determined' : compared.decision;
  return { decision, levels: compared.levels, concerned: [citizenId], about: citizenId, searched: false };
}

async function search(claims: NormalisedClaims, { register, policy, frequencies, today }: Bench): Promise<Finding> {
  const { familyName, givenName, birthDate } = claims.values;
  const records = await register.search({
    familyKeys: [keyOf(familyName?.forms ?? []), keyOf(givenName?.forms ?? [])],
    birthDate: birthDate?.forms[0] ?? '',
    ...(policy.tolerant ? { anyName: true } : {}),
  });
  const compared = records.map((record) => ({
    citizenId: record.citizenId,
    comparison: compare(withFormerOf(record, policy, today), claims, policy, frequencies),
  }));
  // A silent record fits as well: who is alike must not be told apart by somebody's being locked.
  const fitting = compared.filter(({ comparison }) => comparison.fits);
  const only = fitting.length === 1 ? fitting[0] : undefined;
  const used = compared.filter(({ comparison }) => comparison.fits || isPerson(comparison)).map(idOf);
  const about = only?.citizenId ?? (used.length === 1 ? (used[0] ?? null) : null);
  const crowd = records.length > mostCandidates;
  const rivals = only === undefined ? [] : rivalsIn(only, compared, policy);
  const undecided = fitting.length > 1 || crowd || (rivals.length > 0 && only?.comparison.decision !== 'no_match');
  const decision = undecided ? 'not_determined' : (only?.comparison.decision ?? 'no_match');
  // Whoever kept the answer open was used for it as well.
  const concerned = [...new Set([...used, ...(decision === 'not_determined' ? rivals.map(idOf) : [])])];
  return { decision, levels: only?.comparison.levels ?? {}, concerned, about, searched: true };
}

type Compared = { readonly citizenId: string; readonly comparison: Comparison };

const idOf = ({ citizenId }: { readonly citizenId: string }) => citizenId;

function rivalsIn(only: Compared, compared: readonly Compared[], policy: Policy): readonly Candidate[] {
  if (!needsRivals(only.comparison.levels, policy)) return [];
  const candidate = ({ citizenId, comparison }: Compared) => ({ citizenId, measured: comparison });
  return rivalsOf(candidate(only), compared.map(candidate), policy);
}

/** Whether the claims name this person, even if an address or a number then differs. */
function isPerson({ levels }: Comparison): boolean {
  return [levels.givenName, levels.familyName, levels.birthDate].every(
    (level) => level === 'exact' || level === 'normalised' || level === 'precision',
  );
}

/** Whether a fuzzy match with the record that an id names fits a twin or namesake of the register as well. */
async function isRivalled(
  record: RegisterRecord,
  compared: Comparison,
  claims: NormalisedClaims,
  { register, policy, frequencies, today }: Bench,
): Promise<boolean> {
  if (!needsRivals(compared.levels, policy)) return false;
  const { familyName, givenName, birthDate } = claims.values;
  const asked = { ...claims, asked: claims.asked.filter((claim) => claim !== 'citizenId') };
  const dates = new Set([record.birthDate ?? '', birthDate?.forms[0] ?? ''].filter((date) => date !== ''));
  const own = { citizenId: record.citizenId, measured: measure(record, asked, policy, frequencies) };
  for (const date of dates) {
    const keys = [
      keyOf(familyName?.forms ?? []),
      keyOf(givenName?.forms ?? []),
      familyKey(record.familyName ?? undefined),
    ];
    for (const [first, second] of [
      [keys[0] ?? '', keys[1] ?? ''],
      [keys[2] ?? '', keys[2] ?? ''],
    ] as const) {
      const found = await register.search({ familyKeys: [first, second], birthDate: date });
      // Those beyond were not seen: a twin may be among them.
      if (found.length > mostCandidates) return true;
      const candidates = found.map((candidate) => ({
        citizenId: candidate.citizenId,
        measured: measure(withFormerOf(candidate, policy, today), asked, policy, frequencies),
      }));
      if (hasRival(own, candidates, policy)) return true;
    }
  }
  return false;
}
