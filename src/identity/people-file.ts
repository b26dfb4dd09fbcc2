import { readFileSync } from 'node:fs';
import { dateForm } from './birth-date.ts';
import { type ClaimName, type Claims, claimNames } from './claims.ts';
import { type FormerField, formerFields, guessMapping, type Mapping, MappingFault } from './import-fields.ts';
import { formerReasons, readFormer } from './import-former.ts';
import { stored } from './normalise.ts';
import type { RegisterRecord } from './register.ts';

/** What was true of a person before. */
export type FormerValues = Pick<RegisterRecord, FormerField>;

/** A table of persons, or of what persons claim, read whole. */
export type PeopleFile = {
  readonly people: readonly Claims[];
  /** The claims for which the file has a column. */
  readonly claims: ReadonlySet<ClaimName>;
  /** By citizenId, of those who have some: the lists of an import. */
  readonly former: ReadonlyMap<string, FormerValues>;
};

/** The rows of a small CSV, read whole, by the names of their columns. What parses it is loaded only for those who need it. */
export async function readTable(path: string): Promise<Record<string, string>[]> {
  const { parse } = await import('csv-parse/sync');
  return parse(readFileSync(path), { bom: true, columns: true, trim: true });
}

/** Reads a CSV of persons; columns are our claim names, customary ones, or those of the mapping. Dates stay text. A list of former values that cannot be read is an error. */
export async function readPeople(path: string, given: Mapping | undefined): Promise<PeopleFile> {
  const rows = await readTable(path);
  const header = Object.keys(rows[0] ?? {});
  const mapping = given ?? guessMapping(header);
  const missing = Object.values(mapping)
    .flatMap(({ columns }) => columns)
    .find((column) => rows.length > 0 && !header.includes(column));
  if (missing !== undefined) throw new MappingFault(`the file has no column ${missing}; it has ${header.join(', ')}`);
  const claims = claimNames.filter((claim) => mapping[claim] !== undefined);
  const former = new Map<string, FormerValues>();
  const people = rows.map((row, at) => {
    const textOf = (field: ClaimName | FormerField) =>
      (mapping[field]?.columns ?? []).map((column) => row[column] ?? '').join(' ');
    const person: { [claim in ClaimName]?: string } = {};
    for (const claim of claims) {
      const text = stored(textOf(claim));
      if (text !== '') person[claim] = claim === 'birthDate' ? readDate(text) : text;
    }
    const values = readLists(textOf, `${path}, row ${at + 1}`);
    if (Object.keys(values).length > 0) former.set(person.citizenId ?? '', values);
    return person;
  });
  return { people, claims: new Set(claims), former };
}

function readLists(textOf: (field: FormerField) => string, place: string): FormerValues {
  const lists = formerFields.flatMap((field) => {
    const list = readFormer(field, textOf(field));
    if (list === undefined) throw new Error(`${place}: ${formerReasons[field]}`);
    return list.kept === null ? [] : [[field, JSON.parse(list.kept)]];
  });
  // `readFormer` has checked and written them.
  return Object.fromEntries(lists) as FormerValues;
}

/** A date that begins with the year in our form; any other text is left as it is, and then agrees with nothing. */
function readDate(text: string): string {
  const [, year, month, day] = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})/.exec(text) ?? [];
  return year === undefined ? text : dateForm(`${year}-${month}-${day}`);
}

/** The record of a register that holds what this person's row holds. */
export function recordOf(person: Claims): RegisterRecord {
  const values = Object.fromEntries(claimNames.map((claim) => [claim, person[claim] ?? null]));
  // Every claim has its member above; only the id may not be null.
  return { ...values, citizenId: person.citizenId ?? '', underReview: false } as RegisterRecord;
}
