import type { FileHandle } from 'node:fs/promises';
import { type CsvError, type InfoRecord, type Options, Parser } from 'csv-parse';
import { ImportFileFault, type ImportLine, readBlocks } from './read-blocks.ts';

/** The layout of a CSV file, inferred from its first line. `start`: the position of the first record. */
type CsvLayout = {
  readonly delimiter: string;
  readonly recordDelimiter: readonly string[];
  readonly header: readonly string[];
  readonly start: number;
};

const headBytes = 1 << 16;
/** Limits the search for the end of a quote that is never closed. */
const maxRecordBytes = 1 << 16;

/** The first line of a file that Excel reads with another delimiter than the one of the system. */
const delimiterLine = /^\s*"?sep=([,;\t])"?[ ,;\t]*(?:\r\n|\r|\n)/i;

/**
 * Reads the header. The delimiter is the one of a first line such as `sep=;`, or the most frequent of comma, semicolon and tab in the first
 * line that is not empty.
 */
export async function readCsvLayout(file: FileHandle, fileStart: number): Promise<CsvLayout> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, fileStart);
  const [skipped = '', statedDelimiter] = delimiterLine.exec(buffer.toString('latin1', 0, bytesRead)) ?? [];
  const start = fileStart + skipped.length;
  const head = buffer.subarray(skipped.length, bytesRead);
  const text = head.toString();
  // Delimiters in quotes do not count. All lines end like the first one that is not empty.
  const unquoted = text.replace(/^\s*[\r\n]/, '').replace(/"[^"]*(?:"|$)/g, '');
  const [firstLine = '', lineEnd] = /^([^\r\n]*)(\r\n|\r|\n)?/.exec(unquoted)?.slice(1) ?? [];
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: firstLine.split(delimiter).length }));
  const [best] = counts.sort((one, other) => other.count - one.count);
  const delimiters = {
    delimiter: statedDelimiter ?? best?.delimiter ?? ',',
    recordDelimiter: lineEnd === '\r' ? ['\r'] : ['\r\n', '\n'],
  };
  const lines: ImportLine[] = [];
  const parser = createParser(delimiters, start, (line) => lines.push(line));
  let fault = await writeBlock(parser, head);
  if (lines.length === 0) fault ??= await endParser(parser);
  const [header] = lines;
  if (header === undefined && fault !== undefined)
    throw new ImportFileFault(`the line of column names: ${csvFaultReason(fault)}`);
  if (header === undefined)
    throw new ImportFileFault('the file is empty; a CSV file begins with a line of column names');
  const names = header.fields.map((name) => name.trim());
  const repeated = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (repeated !== undefined) throw new ImportFileFault(`the header has the column ${repeated} twice`);
  return { ...delimiters, header: names, start: header.end };
}

/** The records from `offset` on, in batches. A record that breaks the rules of CSV costs its own line only. */
export async function* readCsvLines(
  file: FileHandle,
  layout: CsvLayout,
  offset: number,
): AsyncGenerator<readonly ImportLine[]> {
  let from: number | undefined = offset;
  while (from !== undefined) from = yield* parseRecords(file, layout, from);
}

/** Parses until the file ends, or until a broken record; then returns the position after its line. */
async function* parseRecords(
  file: FileHandle,
  layout: CsvLayout,
  from: number,
): AsyncGenerator<readonly ImportLine[], number | undefined> {
  let lines: ImportLine[] = [];
  const parser = createParser(layout, from, (line) => lines.push(line));
  let fault: CsvError | undefined;
  let end = from;
  for await (const block of readBlocks(file, from)) {
    fault = await writeBlock(parser, block);
    if (lines.length > 0) {
      end = lines.at(-1)?.end ?? end;
      yield lines;
      lines = [];
    }
    if (fault !== undefined) break;
  }
  fault ??= await endParser(parser);
  if (lines.length > 0) yield lines;
  if (fault === undefined) return undefined;
  const broken = await readLine(file, lines.at(-1)?.end ?? end, lineEndOf(layout));
  if (broken.text.trim() !== '') yield [{ fields: [broken.text], end: broken.end, fault: csvFaultReason(fault) }];
  return broken.end;
}

function lineEndOf({ recordDelimiter }: CsvLayout): '\n' | '\r' {
  return recordDelimiter.includes('\r') ? '\r' : '\n';
}

function createParser(
  shape: Pick<CsvLayout, 'delimiter' | 'recordDelimiter'>,
  start: number,
  onLine: (line: ImportLine) => void,
): Parser {
  const options: Options = {
    delimiter: shape.delimiter,
    record_delimiter: [...shape.recordDelimiter],
    trim: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
    // Taking records here, and not from the readable side, halves the parsing time.
    on_record: (fields: string[], info: InfoRecord) => {
      onLine({ fields, end: start + info.bytes });
      return null;
    },
  };
  const parser = new Parser(options);
  // Errors are reported by the callbacks of `write` and `end`. Without a listener they would also be thrown.
  parser.on('error', ignore);
  return parser;
}

function ignore(): void {
  return;
}

function writeBlock(parser: Parser, block: Buffer): Promise<CsvError | undefined> {
  return new Promise((resolve) => parser.write(block, (fault) => resolve(toCsvError(fault))));
}

function endParser(parser: Parser): Promise<CsvError | undefined> {
  if (parser.destroyed) return Promise.resolve(undefined);
  parser.resume();
  return new Promise((resolve) => {
    parser.once('error', (fault) => resolve(toCsvError(fault)));
    parser.once('end', () => resolve(undefined));
    parser.end();
  });
}

function toCsvError(fault: Error | null | undefined): CsvError | undefined {
  if (fault === null || fault === undefined) return undefined;
  if ('code' in fault) return fault as CsvError;
  throw fault;
}

function csvFaultReason(fault: CsvError): string {
  switch (fault.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return `a quote is not closed, or the record has more than ${maxRecordBytes} bytes`;
    default:
      return 'a value contains a quote; put the value in quotes, and write each quote in it twice';
  }
}

/** The physical line at an offset: the text of a record that cannot be parsed. */
async function readLine(
  file: FileHandle,
  offset: number,
  lineEnd: '\n' | '\r',
): Promise<{ readonly text: string; readonly end: number }> {
  let text = '';
  let end = offset;
  for await (const block of readBlocks(file, offset)) {
    const newline = block.indexOf(lineEnd);
    const part = newline < 0 ? block : block.subarray(0, newline + 1);
    end += part.length;
    if (text.length < maxRecordBytes) text += part.toString();
    if (newline >= 0) break;
  }
  return { text: text.slice(0, maxRecordBytes).replace(/[\r\n]+$/, ''), end };
}
