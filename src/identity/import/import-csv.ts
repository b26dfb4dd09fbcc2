import type { FileHandle } from 'node:fs/promises';
import { type CsvError, type InfoRecord, type Options, Parser } from 'csv-parse';
import { createCsvRecordReader } from './csv-record.ts';
import { ImportFileFault, type ImportLine, readBlocks } from './read-blocks.ts';

/** How a CSV file is written, from its first line; `start` is where its records begin. */
export type CsvLayout = {
  readonly delimiter: string;
  readonly recordDelimiter: readonly string[];
  readonly header: readonly string[];
  readonly start: number;
};

const headBytes = 1 << 16;
/** The longest record; a quote that is never closed is found after so many bytes, not at the end of the file. */
const maxRecordBytes = 1 << 16;

/** Reads the header and finds the delimiter: whichever of comma, semicolon and tab stands most often in the first line that is not empty. */
export async function readCsvLayout(file: FileHandle, start: number): Promise<CsvLayout> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, start);
  const head = buffer.subarray(0, bytesRead);
  const text = head.toString();
  // What stands in quotes is a name, and parts none; and as the first line that is not empty ends, so do all.
  const unquoted = text.replace(/^\s*[\r\n]/, '').replace(/"[^"]*(?:"|$)/g, '');
  const [firstLine = '', lineEnd] = /^([^\r\n]*)(\r\n|\r|\n)?/.exec(unquoted)?.slice(1) ?? [];
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: firstLine.split(delimiter).length }));
  const [best] = counts.sort((one, other) => other.count - one.count);
  const delimiters = {
    delimiter: best?.delimiter ?? ',',
    recordDelimiter: lineEnd === '\r' ? ['\r'] : ['\r\n', '\n'],
  };
  const lines: ImportLine[] = [];
  const parser = createParser(delimiters, start, lines);
  let fault = await writeBlock(parser, head);
  if (lines.length === 0) fault ??= await endParser(parser);
  const [header] = lines;
  if (header === undefined && fault !== undefined)
    throw new ImportFileFault(`the line of column names: ${csvFaultReason(fault)}`);
  if (header === undefined)
    throw new ImportFileFault('the file is empty; a CSV file begins with a line of column names');
  const names = header.fields.map((name) => name.trim());
  const repeated = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (repeated !== undefined) throw new ImportFileFault(`the column ${repeated} stands twice in the header`);
  return { ...delimiters, header: names, start: header.end };
}

/** The records from `offset` on, in batches. A record that breaks the rules of CSV costs its own line only. */
export async function* readCsvLines(
  file: FileHandle,
  layout: CsvLayout,
  offset: number,
): AsyncGenerator<readonly ImportLine[]> {
  let from: number | undefined = offset;
  while (from !== undefined) {
    from = yield* readSimpleLines(file, layout, from);
    if (from !== undefined) from = yield* parseRecord(file, layout, from);
  }
}

/** Reads records of one line each until the end, or until one that is left to the parser; then gives where that begins. */
async function* readSimpleLines(
  file: FileHandle,
  layout: CsvLayout,
  from: number,
): AsyncGenerator<readonly ImportLine[], number | undefined> {
  const read = createCsvRecordReader(layout.delimiter);
  const lineEnd = lineEndOf(layout);
  let start = from;
  let rest: Buffer = Buffer.alloc(0);
  for await (const block of readBlocks(file, from)) {
    const text = rest.length === 0 ? block : Buffer.concat([rest, block]);
    const lines: ImportLine[] = [];
    let at = 0;
    let isOdd = false;
    for (let end = text.indexOf(lineEnd); end >= 0; end = text.indexOf(lineEnd, at)) {
      const fields = end - at > maxRecordBytes ? undefined : read(text.toString('utf8', at, end));
      isOdd = fields === undefined;
      if (fields === undefined) break;
      at = end + 1;
      if (fields.length > 0) lines.push({ fields, end: start + at });
    }
    if (lines.length > 0) yield lines;
    rest = text.subarray(at);
    start += at;
    if (isOdd || rest.length > maxRecordBytes) return start;
  }
  const fields = read(rest.toString());
  if (fields === undefined) return start;
  if (fields.length > 0) yield [{ fields, end: start + rest.length }];
  return undefined;
}

/** Parses until a record has ended and the block with it, or until a fault; then gives where to go on. */
async function* parseRecord(
  file: FileHandle,
  layout: CsvLayout,
  from: number,
): AsyncGenerator<readonly ImportLine[], number | undefined> {
  const lines: ImportLine[] = [];
  const parser = createParser(layout, from, lines);
  let fault: CsvError | undefined;
  for await (const block of readBlocks(file, from)) {
    fault = await writeBlock(parser, block);
    if (fault !== undefined || lines.length > 0) break;
  }
  if (fault === undefined && lines.length === 0) fault = await endParser(parser);
  if (lines.length > 0) yield lines;
  const good = lines.at(-1)?.end ?? from;
  if (fault === undefined) return lines.length === 0 ? undefined : good;
  const bad = await readLine(file, good, lineEndOf(layout));
  if (bad.text.trim() !== '') yield [{ fields: [bad.text], end: bad.end, fault: csvFaultReason(fault) }];
  return bad.end === good ? undefined : bad.end;
}

function lineEndOf({ recordDelimiter }: CsvLayout): '\n' | '\r' {
  return recordDelimiter.includes('\r') ? '\r' : '\n';
}

function createParser(
  shape: Pick<CsvLayout, 'delimiter' | 'recordDelimiter'>,
  start: number,
  lines: ImportLine[],
): Parser {
  const options: Options = {
    delimiter: shape.delimiter,
    record_delimiter: [...shape.recordDelimiter],
    trim: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
    // Records are taken here, synchronously, and do not pass through the readable side: half the time.
    on_record: (fields: string[], info: InfoRecord) => {
      lines.push({ fields, end: start + info.bytes });
      return null;
    },
  };
  const parser = new Parser(options);
  // Each fault is told by the callback of the write or end that met it.
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
      return `a quote is opened and not closed, or the record has more than ${maxRecordBytes} bytes`;
    default:
      return 'a quote stands inside a value; write the value in quotes, and each quote in it twice';
  }
}

/** The physical line at an offset, as the text of a record that cannot be read. */
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
