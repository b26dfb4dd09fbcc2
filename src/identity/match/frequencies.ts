import type { ClaimName } from '../register/claims.ts';
import type { Frequencies } from './model.ts';
import { ValueCounter, type ValueCounts } from './value-counter.ts';

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

/** Different values of a claim that are counted in memory, about 15 MB; see `ValueCounter`. */
const maxCountedValues = 131_072;

/** Counts the values of each claim, in memory that does not grow with the register. */
export type FrequencyCounter = {
  /** Called once per person and claim with `frequencyForm`. */
  add(claim: CountedClaim, form: string): void;
  /** Starts the second pass, and returns the claims whose values must be added again. */
  startSecondPass(): readonly CountedClaim[];
  tables(): FrequencyTables;
  /** The number of values in memory, of all claims. */
  size(): number;
};

/** Creates a counter without values. */
export function createFrequencyCounter(): FrequencyCounter {
  const counters = new Map(countedClaims.map((claim) => [claim, new ValueCounter(maxCountedValues)] as const));
  return {
    add: (claim, form) => {
      if (form !== '') counters.get(claim)?.add(form);
    },
    startSecondPass: () => [...counters].flatMap(([claim, counter]) => (counter.startSecondPass() ? [claim] : [])),
    tables: () => Object.fromEntries([...counters].map(([claim, counter]) => [claim, tableOf(counter.result())])),
    size: () => [...counters.values()].reduce((sum, { size }) => sum + size, 0),
  };
}

function tableOf({ total, average, counts }: ValueCounts): FrequencyTable {
  const stored = counts.slice(0, maxStoredValues);
  const floor = counts.length <= maxStoredValues ? 1 : (stored.at(-1)?.[1] ?? 1);
  return { total, average, floor, counts: Object.fromEntries(stored) };
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
