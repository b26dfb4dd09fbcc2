import type { ByteChunks } from '../../api/operation.ts';
import { csvLine } from '../../kernel/csv-line.ts';

/** Without it, Excel reads a CSV file in the encoding of the system instead of UTF-8. */
const byteOrderMark = '\uFEFF';

/** Spreadsheet programs expect semicolons where the comma is the decimal separator. */
export function spreadsheetDelimiter(language: string): ',' | ';' {
  const parts = new Intl.NumberFormat(language).formatToParts(1.5);
  return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ';' : ',';
}

/** A small CSV file that a spreadsheet program opens with the columns of this language. */
export function spreadsheetFile(language: string, rows: readonly (readonly string[])[]): string {
  return byteOrderMark + rows.map((cells) => csvLine(cells, spreadsheetDelimiter(language))).join('');
}

/** A CSV file for a spreadsheet program. */
export async function* withByteOrderMark(bytes: ByteChunks): AsyncGenerator<Uint8Array> {
  yield Buffer.from(byteOrderMark);
  yield* bytes;
}
