import { evaluatePolicy, type PairCounts } from '../../src/identity/evaluation/evaluate-policy.ts';
import type { MatchPolicy } from '../../src/identity/match/policy.ts';
import type { ClaimName } from '../../src/identity/register/claims.ts';
import { type InventedClaim, inventClaims } from './invented-claims.ts';
import { inventRegister } from './invented-register.ts';

/** The choices of one measurement of fairness. */
type FairnessOptions = {
  readonly policy: MatchPolicy;
  readonly use: readonly ClaimName[];
  readonly peoplePerOrigin: number;
  readonly seed: number;
  /** Measures only claims of this kind. */
  readonly onlyKind?: InventedClaim['kind'];
};

/** The numbers of pairs of one origin and kind of claim. */
export type FairnessGroup = PairCounts & Pick<InventedClaim, 'origin' | 'kind'>;

/** Decides the claims of an invented register like the command `policies evaluate --by`, by origin and kind of claim. */
export function measureFairness({ policy, use, peoplePerOrigin, seed, onlyKind }: FairnessOptions): FairnessGroup[] {
  const invented = inventRegister(seed, peoplePerOrigin);
  const pairs = inventClaims(invented, seed + 1).filter(({ kind }) => onlyKind === undefined || kind === onlyKind);
  const groups = Map.groupBy(pairs, ({ origin, kind }) => `${origin}, ${kind}`);
  const groupOfClaim = new Map([...groups].flatMap(([group, members]) => members.map(({ claim }) => [claim, group])));
  const result = evaluatePolicy(
    {
      register: Object.values(invented).flatMap((people) => people.map(({ record }) => record)),
      claims: pairs.map(({ values }) => values),
      use,
      policy,
      groupOf: (claim) => groupOfClaim.get(claim) ?? '',
    },
    pairs,
  );
  return [...groups].flatMap(([group, [first]]) => {
    const counts = result.groups?.[group];
    return counts === undefined || first === undefined ? [] : [{ ...counts, origin: first.origin, kind: first.kind }];
  });
}

/** The sum of the numbers of groups. */
export function sumCounts(groups: readonly PairCounts[]): PairCounts {
  const sum = (name: keyof PairCounts) => groups.reduce((total, counts) => total + counts[name], 0);
  return {
    truePairs: sum('truePairs'),
    accepted: sum('accepted'),
    falsePairs: sum('falsePairs'),
    falseMatches: sum('falseMatches'),
  };
}

/** The share of true pairs that match, in percent. */
export function acceptedPercent({ truePairs, accepted }: PairCounts): number {
  return (100 * accepted) / truePairs;
}
