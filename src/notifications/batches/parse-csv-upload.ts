import { type CsvError, type Options, Parser } from 'csv-parse';
import { batchLimits } from './batch.ts';
import type { UploadedRow } from './sealed-piece.ts';
import { UploadRefused } from './upload-refused.ts';

/** Parses an upload while it arrives. Each call returns the rows that are complete, and throws `UploadRefused`. */
export type UploadParser = {
  add(text: string): Promise<readonly UploadedRow[]>;
  end(): Promise<readonly UploadedRow[]>;
  /** The columns that are known so far. */
  columns(): readonly string[];
  /** The delimiter of a CSV file; null for another format. */
  delimiter(): string | null;
};

/** The first line of a file that names its delimiter for Excel, if that is not the one of the system. */
const delimiterLine = /^\s*"?sep=([,;\t])"?[ ,;\t]*(?:\r\n|\r|\n)/i;

/** Creates the parser of a CSV file (RFC 4180) with a line of column names, which `checkColumns` checks. */
export function createCsvUploadParser(checkColumns: (names: readonly string[]) => void): UploadParser {
  let head = '';
  let parser: Parser | undefined;
  let delimiter: string | null = null;
  let columns: readonly string[] | undefined;
  let rows: UploadedRow[] = [];

  function addRecord(fields: string[]): null {
    if (columns !== undefined) rows.push(fields);
    else {
      columns = withoutEmptyEnd(fields.map((name) => name.trim()));
      checkColumns(columns);
    }
    return null;
  }

  function takeRows(): readonly UploadedRow[] {
    const taken = rows;
    rows = [];
    return taken;
  }

  async function parseHead(): Promise<void> {
    const [skipped = '', stated] = delimiterLine.exec(head) ?? [];
    const text = head.slice(skipped.length);
    delimiter = stated ?? delimiterOf(text);
    parser = createParser(text, delimiter, addRecord);
    await write(parser, text);
  }

  return {
    add: async (text) => {
      if (parser === undefined) {
        head += text;
        if (!/[^\s][^\r\n]*\r?\n[^\r\n]/.test(head) && head.length < batchLimits.rowBytes) return [];
        await parseHead();
      } else await write(parser, text);
      return takeRows();
    },
    end: async () => {
      if (parser === undefined) await parseHead();
      if (parser !== undefined) await end(parser);
      return takeRows();
    },
    columns: () => columns ?? [],
    delimiter: () => delimiter,
  };
}

/** Spreadsheets write delimiters for columns without content. */
function withoutEmptyEnd(names: readonly string[]): readonly string[] {
  return names.slice(0, names.findLastIndex((name) => name !== '') + 1);
}

// Delimiters in quotes do not count.
const unquoted = (text: string) => text.trimStart().replace(/"[^"]*(?:"|$)/g, '');

/** The most frequent of comma, semicolon and tab in the first line. */
function delimiterOf(text: string): string {
  const [firstLine = ''] = /^[^\r\n]*/.exec(unquoted(text)) ?? [];
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: firstLine.split(delimiter).length }));
  return counts.sort((one, other) => other.count - one.count)[0]?.delimiter ?? ',';
}

function createParser(text: string, delimiter: string, onRecord: (fields: string[]) => null): Parser {
  const [, lineEnd] = /^[^\r\n]*(\r\n|\r|\n)?/.exec(unquoted(text)) ?? [];
  const options: Options = {
    delimiter,
    record_delimiter: lineEnd === '\r' ? ['\r'] : ['\r\n', '\n'],
    trim: true,
    relax_column_count: true,
    skip_empty_lines: true,
    // Spreadsheets leave lines of delimiters after the last row.
    skip_records_with_empty_values: true,
    max_record_size: batchLimits.rowBytes,
    // Taking records here, and not from the readable side, halves the parsing time.
    on_record: onRecord,
  };
  const parser = new Parser(options);
  // Errors are reported by the callbacks of `write` and `end`. Without a listener they would also be thrown.
  parser.on('error', ignore);
  return parser;
}

function ignore(): void {
  return;
}

function write(parser: Parser, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.write(text, (fault) => (fault ? reject(toRefusal(fault)) : resolve()));
  });
}

function end(parser: Parser): Promise<void> {
  parser.resume();
  return new Promise((resolve, reject) => {
    parser.once('error', (fault) => reject(toRefusal(fault)));
    parser.once('end', resolve);
    parser.end();
  });
}

function toRefusal(fault: Error): Error {
  if (!('code' in fault) || fault instanceof UploadRefused) return fault;
  // An error with a code in the callbacks of this parser is its own.
  const { code, lines } = fault as CsvError & { readonly lines?: number };
  const near = lines === undefined ? '' : ` near line ${lines}`;
  return code === 'CSV_MAX_RECORD_SIZE'
    ? new UploadRefused(
        'row-too-large',
        `expected rows of at most ${batchLimits.rowBytes} bytes${near}; check that each quote is closed`,
      )
    : new UploadRefused(
        'malformed-csv',
        `expected quotes around each value that has a quote in it, and that quote twice${near}`,
      );
}
