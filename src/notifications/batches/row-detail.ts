import type { Issue } from '../../kernel/refusal.ts';
import type { RowRefusal } from './batch.ts';

/** The fault of a row, before its number is known. */
export type RowFault = Omit<RowRefusal, 'row'>;

/** The form of the values that a request checks by a pattern: people who correct a file may not read patterns. */
const forms: Readonly<Record<string, string>> = {
  language: 'must be a language code, such as en or pt-PT',
  personalisation: 'must have names of letters, digits and _, and a text for each',
};
const patternFault = /must match (?:a )?pattern/i;

/** The detail of one fault, with its column. */
export function columnDetail({ pointer = '', detail }: Pick<Issue, 'pointer' | 'detail'>): string {
  const [member = '', ...rest] = pointer.slice(1).split('/');
  // The items of a list are in one column.
  const column = [member, ...rest.filter((part) => !/^\d+$/.test(part))].join('.');
  const form = forms[member] ?? 'must have the form in the documentation of this column';
  const text = detail === 'required' ? 'is required' : patternFault.test(detail) ? form : detail;
  return member === '' ? text : `column ${column}: ${text}`;
}

/** The refusal of a row: its detail names the row and the column. */
export function refusalOfRow(row: number, { code, detail }: RowFault): RowRefusal {
  return { row, code, detail: `row ${row}${detail.startsWith('column ') ? ', ' : ': '}${detail}` };
}

/** The column that the detail of a refused row names; undefined if the fault is not in one column. */
export function columnOfDetail(detail: string): string | undefined {
  return /^row \d+, column ([\w.]+): /.exec(detail)?.[1];
}
