import type { SqlValue } from '../../db/database.ts';
import { parseEmailAddress } from '../../kernel/email-address.ts';
import { citizenIdPattern, citizenIdRequirement } from '../../kernel/id.ts';
import { memoize } from '../../kernel/lru-cache.ts';
import type { ParsePhone } from '../../kernel/phone-number.ts';
import { storedNameKeys, streetKey } from '../names/name-key.ts';
import { toStoredText } from '../names/normalise.ts';
import { existingDatePart, isDateAfter, latestDateAt } from '../register/birth-date.ts';
import { decomposesTooLong, maxClaimLength } from '../register/claims.ts';
import type { ImportedCitizen, OtherName } from './citizen-store.ts';
import { formerReasons, parseFormerValues } from './former-values.ts';
import { createDateReader, dateReason } from './import-date.ts';
import {
  type ColumnMapping,
  type FormerField,
  formerFields,
  type ImportField,
  MappingFault,
  type RecordFlag,
  recordFlags,
  type StoredField,
  type TextField,
  textFields,
} from './import-fields.ts';

/** A citizen, possibly with remarks, or the reason for the refusal. Reasons and remarks contain no values of the file. */
type RowResult =
  | { readonly citizen: ImportedCitizen; readonly remarks?: readonly string[] }
  | { readonly reason: string }
  | { readonly leftOut: true };

/** Reads one record of the file into the values of a citizen. */
export type RowReader = (row: readonly string[], importId: string) => RowResult;

/** A condition on a row: the value of the column has this pattern, in which `*` matches any text. */
export type RowCondition = { readonly column: string; readonly pattern: string };

/** The fields of an import in the order that `createCitizenStore` expects. */
export function mappedFields(mapping: ColumnMapping): StoredField[] {
  const others: readonly StoredField[] = [...formerFields, ...recordFlags];
  return [...mappedTexts(mapping), ...others.filter((field) => mapping[field] !== undefined)];
}

function mappedTexts(mapping: ColumnMapping): TextField[] {
  return textFields.filter((field) => mapping[field] !== undefined);
}

type CellReader = (row: readonly string[]) => string;

type RowReading = {
  readonly conditions: readonly RowCondition[];
  /** The time of the import, in epoch ms: no birth date is later. */
  readonly now: number;
  /** Undefined if the file has no phone numbers. */
  readonly parsePhone?: ParsePhone | undefined;
};

/** The reader for the rows of one file. Throws `MappingFault` for a column that the file does not have. */
export function createRowReader(
  header: readonly string[],
  mapping: ColumnMapping,
  { conditions, now, parsePhone }: RowReading,
): RowReader {
  const passes = conditions.map((condition) => createCondition(header, condition));
  const { readId, texts, lists, flags } = createCellReaders(header, mapping);
  const readBirthDate = createBirthDateReader(mapping.birthDate?.dateFormat, now);
  const keysOfRow = createKeyReader(mapping);

  return (row, importId) => {
    if (row.length !== header.length)
      return { reason: `the row has ${row.length} fields, the header ${header.length}` };
    if (!passes.every((pass) => pass(row))) return { leftOut: true };
    const citizenId = readId(row).trim();
    const values: SqlValue[] = [citizenId];
    const found: Searchable = {};
    let remarks: readonly string[] | undefined;
    for (const { field, read } of texts) {
      let text = toStoredText(read(row));
      if (field === 'birthDate' && text !== '') {
        const birthDate = readBirthDate(text);
        if ('reason' in birthDate) return birthDate;
        text = birthDate.text;
        remarks = addRemark(remarks, birthDate.remark);
      }
      const reason = faultOfText(field, text);
      if (reason !== undefined) return { reason };
      if (text !== '') remarks = addRemark(remarks, remarkOn(field, text, parsePhone));
      if (isSearchable(field) && text !== '') found[field] = text;
      values.push(text === '' ? null : text);
    }
    const otherNames: OtherName[] = [];
    for (const { field, read } of lists) {
      const former = parseFormerValues(field, read(row));
      if (former === undefined) return { reason: formerReasons[field] };
      values.push(former.storedText);
      if (former.storedText !== null) remarks = addRemark(remarks, remarkOn(field, former.storedText, parsePhone));
      otherNames.push(...former.keys.map((key) => ({ kind: 'former', key }) as const));
    }
    const reason = citizenId === '' ? 'citizenId is empty' : faultOfId(citizenId);
    if (reason !== undefined) return { reason };
    for (const { flag, read } of flags) {
      const value = parseFlag(read(row).trim());
      if (value === undefined) return { reason: flagReason(flag) };
      values.push(value);
    }
    const keys = keysOfRow(found);
    values.push(...keys.keyValues, importId);
    otherNames.push(...keys.otherNames);
    const citizen = { citizenId, values, otherNames };
    return remarks === undefined ? { citizen } : { citizen, remarks };
  };
}

function createCellReaders(header: readonly string[], mapping: ColumnMapping) {
  const readerFor = (field: ImportField) => readerOf(header, mapping, field);
  return {
    readId: readerFor('citizenId'),
    texts: mappedTexts(mapping).map((field) => ({ field, read: readerFor(field) })),
    lists: formerFields.filter((field) => mapping[field]).map((field) => ({ field, read: readerFor(field) })),
    flags: recordFlags.filter((flag) => mapping[flag]).map((flag) => ({ flag, read: readerFor(flag) })),
  };
}

function createBirthDateReader(format: string | undefined, now: number) {
  const readDate = createDateReader(format);
  const latestDate = latestDateAt(now);
  return (written: string): { readonly text: string; readonly remark?: string } | { readonly reason: string } => {
    const date = readDate(written);
    if (date === undefined) return { reason: dateReason(format, written) };
    // Some databases write a year of 0000 for an unknown date.
    const text = date.startsWith('0000') ? '' : existingDatePart(date);
    if (text !== date && date !== '0000')
      return { text, remark: 'birthDate does not exist in the calendar; only its month or year is stored' };
    return isDateAfter(text, latestDate) ? { text, remark: 'birthDate is in the future; stored unchanged' } : { text };
  };
}

/** `O&#39;Brien`: a program that writes web pages has stored its own output. */
const htmlEntity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i;

/** The remark on a value that is imported: registers contain such values, and so do the documents of the person. */
function remarkOn(
  field: TextField | FormerField,
  text: string,
  parsePhone: ParsePhone | undefined,
): string | undefined {
  if (field === 'email') {
    return parseEmailAddress(text) === undefined ? 'email is not a valid address; stored unchanged' : undefined;
  }
  if (field === 'phone') {
    return parsePhone?.(text) === undefined
      ? 'phone is not a valid number with its country code, or of the country PHONE_COUNTRY; stored unchanged'
      : undefined;
  }
  return text.includes('&') && htmlEntity.test(text)
    ? `${field} contains an HTML entity (&amp;, &#39; or another); stored unchanged`
    : undefined;
}

function addRemark(remarks: readonly string[] | undefined, remark: string | undefined): readonly string[] | undefined {
  return remark === undefined ? remarks : [...(remarks ?? []), remark];
}

/** The spellings that databases use for a boolean; undefined for any other text. */
export function parseFlag(text: string): boolean | undefined {
  if (/^(true|t|yes|y|1)$/i.test(text)) return true;
  return /^(false|f|no|n|0|)$/i.test(text) ? false : undefined;
}

/** The reason for refusing a row whose flag `parseFlag` cannot read. */
export function flagReason(flag: RecordFlag): string {
  return `${flag} is neither true, t, yes, y, 1 nor false, f, no, n, 0`;
}

/** The texts from which search keys are computed. */
type Searchable = { [field in (typeof searchable)[number]]?: string };
const searchable = ['givenName', 'familyName', 'birthFamilyName', 'streetAddress'] as const;

function isSearchable(field: TextField): field is (typeof searchable)[number] {
  return searchable.some((candidate) => candidate === field);
}

/** Most people share their names with others, so the keys of recent names are cached. */
const cachedNames = 4_096;

/** Computes the search keys of a row; `keyValues` are in the order of `keyColumns` (citizen-store.ts). */
function createKeyReader(mapping: ColumnMapping) {
  const keysOf = memoize(cachedNames, storedNameKeys);
  const givenKeyOf = memoize(cachedNames, (name) => storedNameKeys(name)[0] ?? null);
  return ({ givenName, familyName, birthFamilyName, streetAddress }: Searchable) => {
    const [familyKey = '', ...otherKeys] = keysOf(familyName ?? givenName ?? '');
    const keyValues: SqlValue[] = [];
    if (mapping.givenName !== undefined) keyValues.push(givenName === undefined ? null : givenKeyOf(givenName));
    if (mapping.streetAddress !== undefined) keyValues.push(streetKey(streetAddress) ?? null);
    keyValues.push(familyKey);
    const presentKeys = mapping.familyName === undefined ? [] : otherKeys;
    const birthKeys = birthFamilyName === undefined ? [] : keysOf(birthFamilyName);
    const otherNames: readonly OtherName[] = [
      ...presentKeys.map((key) => ({ kind: 'present', key }) as const),
      ...birthKeys.map((key) => ({ kind: 'birth', key }) as const),
    ];
    return { keyValues, otherNames };
  };
}

function readerOf(header: readonly string[], mapping: ColumnMapping, field: ImportField): CellReader {
  const indexes = (mapping[field]?.columns ?? []).map((column) => columnIndexOf(header, column, field));
  const [first] = indexes;
  if (first === undefined) return () => '';
  if (indexes.length === 1) return (row) => row[first] ?? '';
  return (row) => indexes.map((index) => row[index] ?? '').join(' ');
}

function columnIndexOf(header: readonly string[], column: string, user: string): number {
  const index = header.indexOf(column);
  if (index < 0) throw new MappingFault(`${user}: the file has no column ${column}; it has ${header.join(', ')}`);
  return index;
}

function createCondition(
  header: readonly string[],
  { column, pattern }: RowCondition,
): (row: readonly string[]) => boolean {
  const index = columnIndexOf(header, column, '--where');
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const expression = new RegExp(`^${parts.join('.*')}$`, 'su');
  return (row) => expression.test((row[index] ?? '').trim());
}

function faultOfId(id: string): string | undefined {
  return faultOfText('citizenId', id) ?? (citizenIdPattern.test(id) ? undefined : `citizenId ${citizenIdRequirement}`);
}

function faultOfText(field: string, text: string): string | undefined {
  if (text.length > maxClaimLength && [...text].length > maxClaimLength) {
    return `${field} has more than ${maxClaimLength} characters`;
  }
  if (decomposesTooLong(text)) return `${field} is too long after Unicode decomposition (NFKD)`;
  if (text.includes('\u0000')) return `${field} contains U+0000`;
  // The decoder writes U+FFFD for bytes that are not UTF-8. Lone surrogates come only from JSON.
  if (text.includes('\ufffd') || !text.isWellFormed())
    return `${field} is not UTF-8 text; convert the file to UTF-8, for example with iconv`;
  return undefined;
}
