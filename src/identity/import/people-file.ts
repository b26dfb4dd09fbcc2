import { UnreadableFile } from '../../config/regular-file.ts';
import { toStoredText } from '../names/normalise.ts';
import { registeredBirthDate } from '../register/birth-date.ts';
import { type ClaimName, type Claims, claimNames } from '../register/claims.ts';
import { claimedValuesOf, type RegisterRecord } from '../register/register.ts';
import { formerReasons, parseFormerValues } from './former-values.ts';
import { createDateReader, dateReason } from './import-date.ts';
import {
  type ColumnMapping,
  type FormerField,
  formerFields,
  inferMapping,
  MappingFault,
  type RecordFlag,
  recordFlags,
} from './import-fields.ts';
import { openImportFile } from './import-file.ts';
import { flagReason, parseFlag } from './import-row.ts';
import { ImportFileFault } from './read-blocks.ts';

/** The former values and flags of a record. */
export type RecordExtras = Pick<RegisterRecord, FormerField> & { readonly [flag in RecordFlag]?: boolean };

/** A table of people or of their claims, in memory. */
export type PeopleFile = {
  readonly people: readonly Claims[];
  /** The claims for which the file has a column. */
  readonly claims: ReadonlySet<ClaimName>;
  /** By citizenId; only people who have some. */
  readonly extras: ReadonlyMap<string, RecordExtras>;
};

/** The table cannot be read. The message is for the person who ran the command. */
export class CsvTableFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CsvTableFault';
  }
}

/** A small CSV file in memory, in any layout that an import reads. `cells` returns a value by column, `place` names the row in messages. */
type CsvTable = {
  readonly header: readonly string[];
  readonly rows: readonly { readonly place: string; cells(column: string): string }[];
};

/** Throws `CsvTableFault` at the first row that cannot be read, and for a file without rows. */
export async function readCsvTable(path: string): Promise<CsvTable> {
  await using file = await openImportFile(path, 'csv', { columns: [], lists: new Set() }).catch((fault) => {
    throw fault instanceof ImportFileFault || fault instanceof UnreadableFile
      ? new CsvTableFault(`${path}: ${fault.message}`)
      : fault;
  });
  const { header } = file;
  const columns = new Map(header.map((column, at) => [column, at]));
  const rows: CsvTable['rows'][number][] = [];
  for await (const lines of file.lines(0)) {
    for (const { fields, fault } of lines) {
      const place = `${path}, row ${rows.length + 1}`;
      if (fault !== undefined) throw new CsvTableFault(`${place}: ${fault}`);
      if (fields.length !== header.length)
        throw new CsvTableFault(`${place}: it has ${fields.length} fields, the header ${header.length}`);
      // The decoder writes U+FFFD for bytes that are not UTF-8.
      if (fields.some((text) => text.includes('\ufffd')))
        throw new CsvTableFault(`${place}: not UTF-8 text; convert the file to UTF-8, for example with iconv`);
      rows.push({ place, cells: (column) => fields[columns.get(column) ?? -1] ?? '' });
    }
  }
  if (rows.length === 0) throw new CsvTableFault(`${path}: the file has no row after the header`);
  return { header, rows };
}

/**
 * Reads a CSV file of people with the given or the inferred mapping. Throws `CsvTableFault` for a list or flag that cannot be read, and for
 * a missing or repeated id. A birth date that cannot be read stays as text, because people claim such values too, unless no row has a date.
 */
export async function readPeople(path: string, givenMapping: ColumnMapping | undefined): Promise<PeopleFile> {
  const { header, rows } = await readCsvTable(path);
  const mapping = givenMapping ?? inferMappingOf(path, header);
  requireColumns(
    path,
    header,
    Object.values(mapping).flatMap(({ columns }) => columns),
  );
  const claims = claimNames.filter((claim) => mapping[claim] !== undefined);
  const format = mapping.birthDate?.dateFormat;
  const readDate = createDateReader(format);
  const dates = { valid: 0, invalid: 0 };
  const extras = new Map<string, RecordExtras>();
  const people = rows.map(({ cells, place }) => {
    const textOf = (field: ClaimName | FormerField | RecordFlag) =>
      (mapping[field]?.columns ?? []).map(cells).join(' ');
    const person: { [claim in ClaimName]?: string } = {};
    for (const claim of claims) {
      const text = toStoredText(textOf(claim));
      if (text === '') continue;
      const date = claim === 'birthDate' ? readDate(text) : undefined;
      if (claim === 'birthDate') dates[date === undefined ? 'invalid' : 'valid'] += 1;
      person[claim] = date ?? text;
    }
    const values = { ...readLists(textOf, place), ...readFlags(textOf, place) };
    if (Object.keys(values).length > 0) extras.set(person.citizenId ?? '', values);
    return person;
  });
  if (dates.valid === 0 && dates.invalid > 0)
    throw new CsvTableFault(
      `${path}: no row has a birth date in the expected form (${dateReason(format)}); set another form with --columns`,
    );
  requireIds(people, rows);
  return { people, claims: new Set(claims), extras };
}

function inferMappingOf(path: string, header: readonly string[]): ColumnMapping {
  try {
    return inferMapping(header);
  } catch (fault) {
    throw fault instanceof MappingFault ? new CsvTableFault(`${path}: ${fault.message}`) : fault;
  }
}

/** Refuses a table without one of these columns. */
export function requireColumns(path: string, header: readonly string[], columns: readonly string[]): void {
  const missing = columns.find((column) => !header.includes(column));
  if (missing !== undefined)
    throw new CsvTableFault(`${path}: there is no column ${missing}; the columns are ${header.join(', ')}`);
}

/** The claims without citizenId for which both files have a column. Throws `CsvTableFault` if there is none. */
export function claimsInCommon(register: PeopleFile, claims: PeopleFile): readonly ClaimName[] {
  const common = claimNames.filter(
    (claim) => claim !== 'citizenId' && register.claims.has(claim) && claims.claims.has(claim),
  );
  if (common.length === 0) throw new CsvTableFault('the register and the claims have no common column to compare');
  return common;
}

function requireIds(people: readonly Claims[], rows: CsvTable['rows']): void {
  const seen = new Set<string>();
  const wrong = people.flatMap(({ citizenId }, at) => {
    const fault = citizenId === undefined ? 'no citizenId' : seen.has(citizenId) ? 'a citizenId of an earlier row' : '';
    seen.add(citizenId ?? '');
    return fault === '' ? [] : [`${rows[at]?.place}: ${fault}`];
  });
  if (wrong.length > 0) throw new CsvTableFault(`${wrong[0]}; number of such rows: ${wrong.length}`);
}

function readLists(textOf: (field: FormerField) => string, place: string): Pick<RegisterRecord, FormerField> {
  const lists = formerFields.flatMap((field) => {
    const list = parseFormerValues(field, textOf(field));
    if (list === undefined) throw new CsvTableFault(`${place}: ${formerReasons[field]}`);
    return list.storedText === null ? [] : [[field, JSON.parse(list.storedText)]];
  });
  // `parseFormerValues` has checked them.
  return Object.fromEntries(lists) as Pick<RegisterRecord, FormerField>;
}

function readFlags(textOf: (field: RecordFlag) => string, place: string): { readonly [flag in RecordFlag]?: boolean } {
  const found: { [flag in RecordFlag]?: boolean } = {};
  for (const flag of recordFlags) {
    const value = parseFlag(textOf(flag).trim());
    if (value === undefined) throw new CsvTableFault(`${place}: ${flagReason(flag)}`);
    if (value) found[flag] = true;
  }
  return found;
}

/** The register record with the values of this row. */
export function toRegisterRecord(person: Claims): RegisterRecord {
  const values = claimedValuesOf((claim) => person[claim] ?? null);
  return { ...values, birthDate: registeredBirthDate(values.birthDate), underReview: false };
}
