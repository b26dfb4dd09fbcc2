import { isSimilarName } from '../../api/validate-request.ts';
import type { Json } from '../../kernel/canonical-json.ts';
import { unguardCell } from '../../kernel/csv-line.ts';
import { isObject } from '../../kernel/is-object.ts';
import { batchLimits } from './batch.ts';
import type { UploadedRow } from './sealed-piece.ts';
import { UploadRefused } from './upload-refused.ts';

/** The columns that are members of a message; `SendBody` describes them. Lists are separated by blanks, commas or semicolons. */
export const memberColumns = [
  'citizenId',
  'message',
  'templateId',
  'subject',
  'reference',
  'category',
  'language',
  'sendAt',
  'deliverBy',
  'respondBy',
  'channels',
  'attachments',
  'legalEffect',
] as const;
const listColumns: ReadonlySet<string> = new Set(['channels', 'attachments']);
const isMember = (name: string) => memberColumns.some((one) => one === name);

/** The columns that the results add. An upload may contain them, so that corrected results can be sent again. */
export const resultColumns = ['row', 'state', 'code', 'detail', 'notificationId'] as const;
const isResult = (name: string) => resultColumns.some((one) => one === name);

/** A column with this prefix is the value of a placeholder. */
export const valuePrefix = 'personalisation.';
const valueName = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

const headerRule = 'the first line must have the column names, each once';

/** The template of all rows, if the client chose one: its placeholders are columns too. */
export type BatchTemplate = { readonly placeholders: ReadonlySet<string> } | undefined;

/**
 * Checks the header of a CSV file. Throws `UploadRefused` for a missing, repeated or unknown column. Its detail is stored in clear, so it has
 * the number of a column and never the name: without a header, the first line has values of a citizen.
 */
export function checkColumns(names: readonly string[], template: BatchTemplate): void {
  if (names.length > batchLimits.columns)
    throw new UploadRefused(
      'too-many-columns',
      `expected at most ${batchLimits.columns} columns, received ${names.length}`,
    );
  const repeated = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (repeated >= 0)
    throw new UploadRefused(
      'repeated-column',
      `column ${repeated + 1} has the same name as column ${names.indexOf(names[repeated] ?? '') + 1}; ${headerRule}`,
    );
  const unknown = names.findIndex(
    (name) => !isMember(name) && !isResult(name) && placeholderOf(name, template) === undefined,
  );
  if (unknown >= 0) throw new UploadRefused('unknown-column', unknownDetail(names[unknown] ?? '', unknown, template));
  if (!names.includes('citizenId')) throw new UploadRefused('missing-column', 'expected a column citizenId');
  if (template === undefined && !names.includes('message') && !names.includes('templateId'))
    throw new UploadRefused('missing-column', 'expected a column message, or a template for the batch');
}

function unknownDetail(name: string, at: number, template: BatchTemplate): string {
  // A spreadsheet has read a file with another delimiter, and saved each line as one cell.
  if (at === 0 && /citizenId.*[,;\t]|[,;\t].*citizenId/.test(name))
    return 'expected one column for each name, received all names in one; split the column at its delimiter and save again';
  const known = [...memberColumns, ...(template?.placeholders ?? [])];
  const similar = known.find((one) => isSimilarName(name, one));
  const hint = similar === undefined ? `allowed: ${known.join(', ')}, ${valuePrefix}NAME` : `did you mean ${similar}?`;
  return `the name of column ${at + 1} is unknown; ${headerRule}; ${hint}`;
}

/** The placeholder whose values a column has. */
function placeholderOf(name: string, template: BatchTemplate): string | undefined {
  if (template?.placeholders.has(name) === true) return name;
  const value = name.startsWith(valuePrefix) ? name.slice(valuePrefix.length) : undefined;
  return value !== undefined && valueName.test(value) ? value : undefined;
}

/** The message in the fields of a CSV row, before any check. An empty field is a missing one. */
export function messageOfFields(
  columns: readonly string[],
  row: readonly string[],
  template: BatchTemplate,
): Record<string, Json> {
  const fields = plainFields(columns, row);
  const message: Record<string, Json> = {};
  const values: Record<string, string> = {};
  for (const [at, name] of columns.entries()) {
    const field = fields[at] ?? '';
    if (field === '') continue;
    if (isMember(name)) message[name] = listColumns.has(name) ? splitList(field) : field;
    else if (!isResult(name)) values[placeholderOf(name, template) ?? name] = field;
  }
  return Object.keys(values).length === 0 ? message : { ...message, personalisation: values };
}

const splitList = (field: string) => field.split(/[\s,;]+/).filter((item) => item !== '');

/** Adds the columns of an object of JSON Lines to those of the objects before it. */
export function addColumnsOf(columns: Set<string>, row: { readonly [member: string]: Json }): void {
  for (const [name, value] of Object.entries(row)) {
    if (isMember(name)) columns.add(name);
    else if (name === 'personalisation' && isObject(value))
      for (const one of Object.keys(value)) if (valueName.test(one)) columns.add(`${valuePrefix}${one}`);
  }
  if (columns.size > batchLimits.columns)
    throw new UploadRefused(
      'too-many-columns',
      `expected at most ${batchLimits.columns} different members in the file`,
    );
}

/** The values of a row in the order of the columns, as the results repeat them. */
export function fieldsOfRow(columns: readonly string[], row: UploadedRow): string[] {
  if (row === null) return columns.map(() => '');
  if (isFields(row)) return plainFields(columns, row);
  const values = row['personalisation'];
  return columns.map((name) => {
    const inValues = name.startsWith(valuePrefix);
    const value =
      inValues && isObject(values) ? values[name.slice(valuePrefix.length)] : inValues ? undefined : row[name];
    if (value === undefined || value === null) return '';
    return Array.isArray(value) ? value.join(' ') : typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
}

/** The fields in the number of the columns. In corrected results, without the apostrophes that the results have added. */
function plainFields(columns: readonly string[], row: readonly string[]): string[] {
  const areResults = columns.some(isResult);
  return columns.map((_, at) => (areResults ? unguardCell(row[at] ?? '') : (row[at] ?? '')));
}

/** Whether a row is one of CSV. */
export function isFields(row: UploadedRow): row is readonly string[] {
  return Array.isArray(row);
}
