import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { openRegularFile } from '../../config/regular-file.ts';
import { canonicalJson, type Json } from '../../kernel/canonical-json.ts';
import { type JsonColumns, readJsonKeys, readJsonLines } from './import-json.ts';
import { ImportFileFault, type ImportLine, readBlocks } from './read-blocks.ts';

/** The supported formats; `jsonl` has one JSON object per line. */
export type ImportFormat = 'csv' | 'jsonl';

/** An open file to import. `lines` yields its records in batches, from an offset at which a record ended. */
export type ImportFile = {
  readonly header: readonly string[];
  readonly bytes: number;
  lines(fromOffset: number): AsyncGenerator<readonly ImportLine[]>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Opens a file of citizens. The header of JSON lines is `columns`, or if empty the keys of all lines. */
export async function openImportFile(
  path: string,
  format: ImportFormat,
  { columns, lists }: JsonColumns,
): Promise<ImportFile> {
  const file = await openRegularFile(path);
  try {
    const { size } = await file.stat();
    const start = await startOfText(file);
    const { header, linesFrom } =
      format === 'csv' ? await openCsv(file, start) : await openJson(file, start, { columns, lists });
    return { header, bytes: size, lines: linesFrom, [Symbol.asyncDispose]: () => file.close() };
  } catch (fault) {
    await file.close();
    throw fault;
  }
}

type Opened = { readonly header: readonly string[]; readonly linesFrom: ImportFile['lines'] };

/** Loads the CSV parser only when it is needed. */
async function openCsv(file: FileHandle, start: number): Promise<Opened> {
  const { readCsvLines, readCsvLayout } = await import('./import-csv.ts');
  const layout = await readCsvLayout(file, start);
  return { header: layout.header, linesFrom: (from) => readCsvLines(file, layout, Math.max(from, layout.start)) };
}

async function openJson(file: FileHandle, start: number, { columns, lists }: JsonColumns): Promise<Opened> {
  const header = await readJsonKeys(file, start, columns);
  return { header, linesFrom: (from) => readJsonLines(file, { columns: header, lists }, Math.max(from, start)) };
}

/** The position of the text after a UTF-8 byte order mark. UTF-16 is refused, with or without its mark. */
async function startOfText(file: FileHandle): Promise<number> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(3), 0, 3, 0);
  if (bytesRead >= 2 && isUtf16(buffer)) {
    throw new ImportFileFault('the file is UTF-16; convert it to UTF-8, for example with iconv -f utf-16 -t utf-8');
  }
  return bytesRead === 3 && buffer.toString('hex') === 'efbbbf' ? 3 : 0;
}

/** A byte order mark, or the zero byte of a Latin letter: UTF-8 files start with neither. */
function isUtf16(head: Buffer): boolean {
  const first = head.readUInt16BE(0);
  return first === 0xfeff || first === 0xfffe || first < 0x100 || (first & 0xff) === 0;
}

/** Identifies an import: SHA-256 over the options and all bytes of the file. */
export async function fingerprintOf(path: string, reading: Json): Promise<string> {
  await using file = await open(path);
  const hash = createHash('sha256').update(`${canonicalJson(reading)}\n`);
  for await (const block of readBlocks(file, 0)) hash.update(block);
  return hash.digest('hex');
}
