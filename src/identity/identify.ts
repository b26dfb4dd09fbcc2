import type { Claims } from './claims.ts';
import type { NormalisedClaims } from './match/comparable.ts';
import { type Comparison, compare, decoy, type Levels, type MatchDecision } from './match/compare.ts';
import type { Policy } from './match/policy.ts';
import { keyOf } from './name-key.ts';
import { mostCandidates, type Register } from './register.ts';

/** What asking the register gave. */
export type Finding = {
  readonly decision: MatchDecision;
  /** How the claims compare with the one record that fits, or that the id names; empty where there is none. */
  readonly levels: Levels;
  /** Whose data were used: they read of it in their ledger. With an id always its owner, known or not. */
  readonly concerned: readonly string[];
  /** The citizen whom the answer is about, where it is one. */
  readonly about: string | null;
  readonly searched: boolean;
};

/** Finds the person whom the claims are about, by id or by search, and decides. */
export async function identify(
  normalised: NormalisedClaims,
  claims: Claims,
  policy: Policy,
  register: Register,
): Promise<Finding> {
  const { citizenId } = claims;
  if (citizenId === undefined) return await search(normalised, policy, register);
  const record = (await register.find(citizenId)) ?? decoy;
  const { decision, levels } = compare(record, normalised, policy);
  return { decision, levels, concerned: [citizenId], about: citizenId, searched: false };
}

async function search(claims: NormalisedClaims, policy: Policy, register: Register): Promise<Finding> {
  const { familyName, givenName, birthDate } = claims.values;
  const records = await register.search({
    familyKeys: [keyOf(familyName?.forms ?? []), keyOf(givenName?.forms ?? [])],
    birthDate: birthDate?.forms[0] ?? '',
  });
  const compared = records.map((record) => ({
    citizenId: record.citizenId,
    comparison: compare(record, claims, policy),
  }));
  const fitting = compared.filter(({ comparison }) => comparison.decision !== 'no_match');
  const concerned = compared.filter(({ comparison }) => isPerson(comparison)).map(({ citizenId }) => citizenId);
  const only = fitting.length === 1 ? fitting[0] : undefined;
  const about = only?.citizenId ?? (concerned.length === 1 ? (concerned[0] ?? null) : null);
  const crowd = records.length > mostCandidates;
  const decision = fitting.length > 1 || crowd ? 'not_determined' : (only?.comparison.decision ?? 'no_match');
  return { decision, levels: only?.comparison.levels ?? {}, concerned, about, searched: true };
}

/** Whether the claims name this person, even if an address or a number then differs. */
function isPerson({ levels }: Comparison): boolean {
  return [levels.givenName, levels.familyName, levels.birthDate].every(
    (level) => level !== undefined && level !== 'different' && level !== 'missing',
  );
}
