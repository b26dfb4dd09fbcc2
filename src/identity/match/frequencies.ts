import type { ClaimName } from '../register/claims.ts';
import type { Frequencies } from './model.ts';

/** The claims whose frequencies are counted. */
export const countedClaims = ['givenName', 'familyName', 'postalCode', 'locality'] as const;
/** One of `countedClaims`. */
export type CountedClaim = (typeof countedClaims)[number];

/** The frequencies of one claim: `counts` of the most frequent values in the form of `frequencyForm`. */
export type FrequencyTable = {
  /** The number of people with a value. */
  readonly total: number;
  /** The probability that two of them share a value. */
  readonly average: number;
  /** The maximum count of values that are not in `counts`. */
  readonly floor: number;
  readonly counts: Readonly<Record<string, number>>;
};

/** The tables of all counted claims. */
export type FrequencyTables = { readonly [claim in CountedClaim]?: FrequencyTable };

/** Further values of a claim are rare and not stored. */
const maxStoredValues = 10_000;
/** Counts of a smaller register say nothing about a name. */
const minPersons = 300;

/** Counts values. `add` is called once per person and claim. */
export function createFrequencyCounter(): { add(claim: CountedClaim, form: string): void; tables(): FrequencyTables } {
  const tallies = new Map(countedClaims.map((claim) => [claim, new Map<string, number>()] as const));
  return {
    add: (claim, form) => {
      const counts = tallies.get(claim);
      if (counts !== undefined && form !== '') counts.set(form, (counts.get(form) ?? 0) + 1);
    },
    tables: () => Object.fromEntries([...tallies].map(([claim, counts]) => [claim, tableOf(counts)])),
  };
}

function tableOf(counts: ReadonlyMap<string, number>): FrequencyTable {
  let total = 0;
  for (const count of counts.values()) total += count;
  let average = 0;
  for (const count of counts.values()) average += (count / total) ** 2;
  if (counts.size <= maxStoredValues) return { total, average, floor: 1, counts: Object.fromEntries(counts) };
  const mostFrequent = [...counts].sort(([, one], [, other]) => other - one).slice(0, maxStoredValues);
  return { total, average, floor: mostFrequent.at(-1)?.[1] ?? 1, counts: Object.fromEntries(mostFrequent) };
}

/** Frequencies from these tables; undefined if the register is too small. A value that is not stored has the maximum count possible. */
export function frequenciesFromTables(tables: FrequencyTables): Frequencies | undefined {
  const known = new Map<ClaimName, FrequencyTable & { readonly map: ReadonlyMap<string, number> }>();
  for (const claim of countedClaims) {
    const table = tables[claim];
    if (table !== undefined && table.total >= minPersons) {
      known.set(claim, { ...table, map: new Map(Object.entries(table.counts)) });
    }
  }
  if (known.size === 0) return undefined;
  return {
    of: (claim, form) => {
      const table = known.get(claim);
      if (table === undefined) return undefined;
      // The person itself is counted, so an unknown value counts once.
      return (table.map.get(form) ?? table.floor) / table.total;
    },
    count: (claim, form) => {
      const table = known.get(claim);
      return table?.map.get(form) ?? (table !== undefined && table.map.size < maxStoredValues ? 0 : undefined);
    },
    average: (claim) => known.get(claim)?.average,
  };
}
