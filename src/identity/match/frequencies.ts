import type { ClaimName } from '../register/claims.ts';
import type { Frequencies } from './model.ts';

/** The claims of which frequencies are counted. */
export const countedClaims = ['givenName', 'familyName', 'postalCode', 'locality'] as const;
export type CountedClaim = (typeof countedClaims)[number];

/** What was counted of one claim: `counts` of the most frequent values, in the form of `frequencyForm`. */
export type FrequencyTable = {
  /** How many persons have a value. */
  readonly total: number;
  /** The chance that two of them share one. */
  readonly average: number;
  /** How often the others are at most; 1 where none was left out. */
  readonly floor: number;
  readonly counts: Readonly<Record<string, number>>;
};

export type FrequencyTables = { readonly [claim in CountedClaim]?: FrequencyTable };

/** So many values of a claim are kept; the rest is rare. */
const maxStoredValues = 10_000;
/** In a register of fewer persons a count says nothing about a name. */
const minPersons = 300;

/** Counts values, one call a person and claim. */
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
  const kept = [...counts].sort(([, one], [, other]) => other - one).slice(0, maxStoredValues);
  return { total, average, floor: kept.at(-1)?.[1] ?? 1, counts: Object.fromEntries(kept) };
}

/** Frequencies by these tables; a value that was not kept counts as often as it could at most be. */
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
      // The person is one of those counted, and one more stands for somebody who was not.
      return (table.map.get(form) ?? table.floor) / table.total;
    },
    count: (claim, form) => {
      const table = known.get(claim);
      return table?.map.get(form) ?? (table !== undefined && table.map.size < maxStoredValues ? 0 : undefined);
    },
    average: (claim) => known.get(claim)?.average,
  };
}
