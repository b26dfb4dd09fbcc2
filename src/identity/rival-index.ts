import { comparable } from './match/comparable.ts';
import { keysOf, keysToKeep, streetKey } from './name-key.ts';
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
      const now = byFamily
        .of(familyKeys)
        .filter(fits)
        .slice(0, mostCandidates + 1);
      const other = byOtherName
        .of(familyKeys)
        .filter(fits)
        .slice(0, mostCandidates + 1);
      return [...new Set([...now, ...other])];
    },
    rivals: ({ names, families, streets, postalCodes }) => {
      const namesakes = byBoth.of(names.flatMap((family) => names.map((given) => both(family, given))));
      const family = byFamily.of(families);
      const neighbours = byStreet.of(streets.flatMap((street) => postalCodes.map((code) => both(street, code))));
      const found = [...namesakes, ...(family.length > mostOfFamily ? [] : family), ...neighbours];
      const crowd = namesakes.length > mostCandidates || neighbours.length > mostCandidates;
      return { records: [...new Set(found)], crowd };
    },
    twins: ({ familyKeys, birthDate }) => {
      const born = byDay.of([birthDate]);
      if (born.length === 0) return born;
      const of = new Set(byFamily.of(familyKeys));
      const mayBe = (given: string) => given === '' || familyKeys.includes(given);
      return born.filter((record) => of.has(record) && mayBe(givenKey(record)));
    },
  };
}

function blocks() {
  const found = new Map<string, RegisterRecord[]>();
  return {
    add: (key: string, record: RegisterRecord) => {
      const block = found.get(key);
      if (block === undefined) found.set(key, [record]);
      else block.push(record);
    },
    /** Each record once. */
    of: (keys: readonly string[]): RegisterRecord[] => {
      const [only] = keys;
      if (keys.length === 1) return found.get(only ?? '') ?? [];
      return [...new Set(keys.flatMap((key) => found.get(key) ?? []))];
    },
  };
}

function givenKey({ givenName }: RegisterRecord): string {
  return givenName === null ? '' : (keysOf(comparable('givenName', givenName).forms)[0] ?? '');
}

function both(one: string | number, other: string): string {
  return `${one}\n${other}`;
}
