import { comparable } from './match/comparable.ts';
import { keysOf, keysToKeep, streetKey } from './names/name-key.ts';
import {
  mostCandidates,
  mostOfFamily,
  type RegisterRecord,
  type RivalKeys,
  type Rivals,
  type SearchKeys,
} from './register.ts';

/** A register held in memory, searched as the embedded one is: see `registers/embedded.ts`, which a test compares with it. */
export type RivalIndex = {
  search(keys: SearchKeys): readonly RegisterRecord[];
  rivals(keys: RivalKeys): Rivals;
  twins(keys: SearchKeys): readonly RegisterRecord[];
};

export function createRivalIndex(records: Iterable<RegisterRecord>): RivalIndex {
  const byDay = blocks();
  const byFamily = blocks();
  const byOtherName = blocks();
  const byBoth = blocks();
  const byStreet = blocks();
  for (const record of records) {
    const [familyKey = '', ...otherKeys] = keysToKeep(record.familyName ?? record.givenName ?? '');
    const given = givenKey(record);
    byDay.add(record.birthDate ?? '', record);
    byFamily.add(familyKey, record);
    if (given !== '') byBoth.add(both(familyKey, given), record);
    const former = (record.formerNames ?? []).flatMap(({ familyName }) =>
      familyName === undefined ? [] : [familyName],
    );
    const names = [...former, ...(record.birthFamilyName === null ? [] : [record.birthFamilyName])];
    for (const key of new Set([...otherKeys, ...names.flatMap(keysToKeep)])) byOtherName.add(key, record);
    const street = streetKey(record.streetAddress);
    if (street !== undefined) byStreet.add(both(street, record.postalCode ?? ''), record);
  }
  return {
    search: ({ familyKeys, birthDate, anyName }) => {
      const born = byDay.of([birthDate]);
      if (anyName === true && birthDate.length === 10 && born.length <= mostCandidates) return born;
      const year = birthDate.slice(0, 4);
      const dates = [birthDate, birthDate.slice(0, 7), year];
      const fits = ({ birthDate: date }: RegisterRecord) =>
        birthDate.length === 10 ? dates.includes(date ?? '') : (date ?? '').startsWith(year);
      const first = (found: RegisterRecord[]) => found.filter(fits).slice(0, mostCandidates + 1);
      return [
        ...new Set([...first(byFamily.ofYear(familyKeys, year)), ...first(byOtherName.ofYear(familyKeys, year))]),
      ];
    },
    rivals: ({ names, families, streets, postalCodes }) => {
      const namesakes = byBoth.of(names.flatMap((family) => names.map((given) => both(family, given))));
      const family = byFamily.count(families) > mostOfFamily ? [] : byFamily.of(families);
      const neighbours = byStreet.of(streets.flatMap((street) => postalCodes.map((code) => both(street, code))));
      const crowd = namesakes.length > mostCandidates || neighbours.length > mostCandidates;
      return { records: [...new Set([...namesakes, ...family, ...neighbours])], crowd };
    },
    twins: ({ familyKeys, birthDate }) => {
      const mayBe = (given: string) => given === '' || familyKeys.includes(given);
      return byFamily
        .ofYear(familyKeys, birthDate.slice(0, 4))
        .filter((record) => (record.birthDate ?? '') === birthDate && mayBe(givenKey(record)));
    },
  };
}

function blocks() {
  const found = new Map<string, RegisterRecord[]>();
  /** By year, of the keys that were asked for with one: of a frequent name few need then be looked at. */
  const years = new Map<string, Map<string, RegisterRecord[]>>();
  const block = (key: string) => found.get(key) ?? [];
  const ofYear = (key: string, year: string) => {
    const known = years.get(key) ?? Map.groupBy(block(key), ({ birthDate }) => (birthDate ?? '').slice(0, 4));
    years.set(key, known);
    return known.get(year) ?? [];
  };
  /** Each record once. */
  const distinct = (keys: readonly string[], records: (key: string) => RegisterRecord[]) =>
    keys.length === 1 ? records(keys[0] ?? '') : [...new Set(keys.flatMap(records))];
  return {
    add: (key: string, record: RegisterRecord) => {
      const known = found.get(key);
      if (known === undefined) found.set(key, [record]);
      else known.push(record);
    },
    of: (keys: readonly string[]) => distinct(keys, block),
    /** How many have one of these keys, each of which is there once; a record has only one. */
    count: (keys: readonly string[]) => keys.reduce((sum, key) => sum + block(key).length, 0),
    /** Those born in the year; for a part of a year, which claims may state, all of the keys. */
    ofYear: (keys: readonly string[], year: string) =>
      distinct(keys, (key) => (year.length < 4 ? block(key) : ofYear(key, year))),
  };
}

function givenKey({ givenName }: RegisterRecord): string {
  return givenName === null ? '' : (keysOf(comparable('givenName', givenName).forms)[0] ?? '');
}

function both(one: string | number, other: string): string {
  return `${one}\n${other}`;
}
