import { toComparable } from '../match/comparable.ts';
import { nameSearchKeys, storedNameKeys, streetKey } from '../names/name-key.ts';
import {
  type CompetingCandidateKeys,
  type CompetingCandidates,
  maxCandidates,
  maxFamilyMembers,
  type RegisterRecord,
  type SearchKeys,
} from '../register/register.ts';

/**
 * A register in memory with the searches of the embedded one (register-adapters/embedded-register.ts). A test compares the two. Verifications
 * with an id are evaluated, so the keys that only the server sets are not supported: `otherDates`, `onlyAsPrecise` and `details`.
 */
export type RegisterIndex = {
  search(keys: SearchKeys): readonly RegisterRecord[];
  searchCompeting(keys: CompetingCandidateKeys): CompetingCandidates;
  searchExactNamesakes(keys: SearchKeys): readonly RegisterRecord[];
};

/** Indexes these records. */
export function createRegisterIndex(records: Iterable<RegisterRecord>): RegisterIndex {
  const entries = Array.from(records, toIndexEntry);
  const byDay = Map.groupBy(entries, ({ record }) => record.birthDate ?? '');
  const byFamily = Map.groupBy(entries, ({ familyKey }) => familyKey);
  const byFamilyAndGiven = Map.groupBy(entries, ({ familyKey, givenKey }) => pairKey(familyKey, givenKey));
  const byStreet = Map.groupBy(entries, ({ record }) =>
    pairKey(streetKey(record.streetAddress) ?? '', record.postalCode ?? ''),
  );
  const otherNames = entries.flatMap(({ record, otherKeys }) => otherKeys.map((key) => ({ key, record })));
  const byOtherName = Map.groupBy(otherNames, ({ key }) => key);
  return {
    search: ({ familyKeys, birthDate, anyName }) => {
      const bornThatDay = findByKeys(byDay, [birthDate]);
      if (anyName === true && birthDate.length === 10 && bornThatDay.length <= maxCandidates) return bornThatDay;
      const year = birthDate.slice(0, 4);
      const dates = [birthDate, birthDate.slice(0, 7), year];
      const fits = ({ birthDate: date }: RegisterRecord) =>
        birthDate.length === 10 ? dates.includes(date ?? '') : (date ?? '').startsWith(year);
      const firstMatching = (found: RegisterRecord[]) => found.filter(fits).slice(0, maxCandidates + 1);
      return [
        ...new Set([
          ...firstMatching(findByKeys(byFamily, familyKeys)),
          ...firstMatching(findByKeys(byOtherName, familyKeys)),
        ]),
      ];
    },
    searchCompeting: ({ names, families, streets, postalCodes }) => {
      const namePairs = names.flatMap((family) => names.map((given) => pairKey(family, given)));
      const addresses = streets.flatMap((street) => postalCodes.map((code) => pairKey(street, code)));
      const namesakes = findByKeys(byFamilyAndGiven, namePairs);
      const family = findByKeys(byFamily, families);
      const neighbours = findByKeys(byStreet, addresses);
      const comparedFamily = family.length > maxFamilyMembers ? [] : family;
      return {
        records: [...new Set([...namesakes, ...comparedFamily, ...neighbours])],
        tooMany: namesakes.length > maxCandidates,
        tooManyNeighbours: neighbours.length > maxCandidates,
      };
    },
    searchExactNamesakes: ({ familyKeys, birthDate }) => {
      const mayHaveGivenName = (given: string) => given === '' || familyKeys.includes(given);
      return findByKeys(byFamily, familyKeys).filter(
        (record) => (record.birthDate ?? '') === birthDate && mayHaveGivenName(givenKeyOf(record)),
      );
    },
  };
}

function toIndexEntry(record: RegisterRecord) {
  const [familyKey = '', ...presentKeys] = storedNameKeys(record.familyName ?? record.givenName ?? '');
  const former = (record.formerNames ?? []).map(({ familyName }) => familyName ?? '');
  const names = [...former, record.birthFamilyName ?? ''].filter((name) => name !== '');
  const otherKeys = [...new Set([...presentKeys, ...names.flatMap(storedNameKeys)])];
  return { record, familyKey, givenKey: givenKeyOf(record), otherKeys };
}

function findByKeys(
  index: ReadonlyMap<string, readonly { readonly record: RegisterRecord }[]>,
  keys: readonly string[],
): RegisterRecord[] {
  return [...new Set(keys.flatMap((key) => (index.get(key) ?? []).map(({ record }) => record)))];
}

function givenKeyOf({ givenName }: RegisterRecord): string {
  return givenName === null ? '' : (nameSearchKeys(toComparable('givenName', givenName).forms)[0] ?? '');
}

function pairKey(one: string | number, other: string): string {
  return `${one}\n${other}`;
}
