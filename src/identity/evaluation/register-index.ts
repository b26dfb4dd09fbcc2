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

/** A register in memory with the searches of the embedded one (register-adapters/embedded-register.ts). A test compares the two. */
export type RegisterIndex = {
  search(keys: SearchKeys): readonly RegisterRecord[];
  searchCompeting(keys: CompetingCandidateKeys): CompetingCandidates;
  searchExactNamesakes(keys: SearchKeys): readonly RegisterRecord[];
};

/** Indexes these records. */
export function createRegisterIndex(records: Iterable<RegisterRecord>): RegisterIndex {
  const byDay = createRecordMultimap();
  const byFamily = createRecordMultimap();
  const byOtherName = createRecordMultimap();
  const byFamilyAndGiven = createRecordMultimap();
  const byStreet = createRecordMultimap();
  for (const record of records) {
    const [familyKey = '', ...otherKeys] = storedNameKeys(record.familyName ?? record.givenName ?? '');
    const given = givenKey(record);
    byDay.add(record.birthDate ?? '', record);
    byFamily.add(familyKey, record);
    if (given !== '') byFamilyAndGiven.add(pairKey(familyKey, given), record);
    const former = (record.formerNames ?? []).flatMap(({ familyName }) =>
      familyName === undefined ? [] : [familyName],
    );
    const names = [...former, ...(record.birthFamilyName === null ? [] : [record.birthFamilyName])];
    for (const key of new Set([...otherKeys, ...names.flatMap(storedNameKeys)])) byOtherName.add(key, record);
    const street = streetKey(record.streetAddress);
    if (street !== undefined) byStreet.add(pairKey(street, record.postalCode ?? ''), record);
  }
  return {
    search: ({ familyKeys, birthDate, anyName }) => {
      const bornThatDay = byDay.of([birthDate]);
      if (anyName === true && birthDate.length === 10 && bornThatDay.length <= maxCandidates) return bornThatDay;
      const year = birthDate.slice(0, 4);
      const dates = [birthDate, birthDate.slice(0, 7), year];
      const fits = ({ birthDate: date }: RegisterRecord) =>
        birthDate.length === 10 ? dates.includes(date ?? '') : (date ?? '').startsWith(year);
      const firstMatching = (found: RegisterRecord[]) => found.filter(fits).slice(0, maxCandidates + 1);
      return [
        ...new Set([
          ...firstMatching(byFamily.ofYear(familyKeys, year)),
          ...firstMatching(byOtherName.ofYear(familyKeys, year)),
        ]),
      ];
    },
    searchCompeting: ({ names, families, streets, postalCodes }) => {
      const namesakes = byFamilyAndGiven.of(names.flatMap((family) => names.map((given) => pairKey(family, given))));
      const family = byFamily.count(families) > maxFamilyMembers ? [] : byFamily.of(families);
      const neighbours = byStreet.of(streets.flatMap((street) => postalCodes.map((code) => pairKey(street, code))));
      const tooMany = namesakes.length > maxCandidates || neighbours.length > maxCandidates;
      return { records: [...new Set([...namesakes, ...family, ...neighbours])], tooMany };
    },
    searchExactNamesakes: ({ familyKeys, birthDate }) => {
      const mayHaveGivenName = (given: string) => given === '' || familyKeys.includes(given);
      return byFamily
        .ofYear(familyKeys, birthDate.slice(0, 4))
        .filter((record) => (record.birthDate ?? '') === birthDate && mayHaveGivenName(givenKey(record)));
    },
  };
}

function createRecordMultimap() {
  const recordsByKey = new Map<string, RegisterRecord[]>();
  /** Filled on demand: a frequent name has few records per year. */
  const recordsByKeyAndYear = new Map<string, Map<string, RegisterRecord[]>>();
  const recordsOf = (key: string) => recordsByKey.get(key) ?? [];
  const ofYear = (key: string, year: string) => {
    const known =
      recordsByKeyAndYear.get(key) ?? Map.groupBy(recordsOf(key), ({ birthDate }) => (birthDate ?? '').slice(0, 4));
    recordsByKeyAndYear.set(key, known);
    return known.get(year) ?? [];
  };
  const distinct = (keys: readonly string[], records: (key: string) => RegisterRecord[]) =>
    keys.length === 1 ? records(keys[0] ?? '') : [...new Set(keys.flatMap(records))];
  return {
    add: (key: string, record: RegisterRecord) => {
      const known = recordsByKey.get(key);
      if (known === undefined) recordsByKey.set(key, [record]);
      else known.push(record);
    },
    of: (keys: readonly string[]) => distinct(keys, recordsOf),
    /** The number of records with one of these keys, which must be distinct. Each record has one key. */
    count: (keys: readonly string[]) => keys.reduce((sum, key) => sum + recordsOf(key).length, 0),
    /** The records of the keys with a birth date in that year; for an incomplete year all records of the keys. */
    ofYear: (keys: readonly string[], year: string) =>
      distinct(keys, (key) => (year.length < 4 ? recordsOf(key) : ofYear(key, year))),
  };
}

function givenKey({ givenName }: RegisterRecord): string {
  return givenName === null ? '' : (nameSearchKeys(toComparable('givenName', givenName).forms)[0] ?? '');
}

function pairKey(one: string | number, other: string): string {
  return `${one}\n${other}`;
}
