import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { canonicalJson, type Json } from '../../kernel/canonical-json.ts';
import { type JsonColumns, readJsonKeys, readJsonLines } from './import-json.ts';
import { ImportFileFault, type ImportLine, openRegularFile, readBlocks } from './read-blocks.ts';

export type ImportFormat = 'csv' | 'jsonl';

/** A file to import, opened; `lines` gives its records in batches from an offset that a line ended at. */
export type ImportFile = {
  readonly header: readonly string[];
  readonly bytes: number;
  lines(fromOffset: number): AsyncGenerator<readonly ImportLine[]>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Opens a file of citizens. Without columns a file of JSON lines has the keys of all its lines as its header. */
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

/** What parses CSV is loaded only for those who import it. */
async function openCsv(file: FileHandle, start: number): Promise<Opened> {
  const { readCsvLines, readCsvLayout } = await import('./import-csv.ts');
  const layout = await readCsvLayout(file, start);
  return { header: layout.header, linesFrom: (from) => readCsvLines(file, layout, Math.max(from, layout.start)) };
}

async function openJson(file: FileHandle, start: number, { columns, lists }: JsonColumns): Promise<Opened> {
  const header = await readJsonKeys(file, start, columns);
  return { header, linesFrom: (from) => readJsonLines(file, { columns: header, lists }, Math.max(from, start)) };
}

/** Where the text begins: behind the byte order mark of UTF-8. UTF-16 is refused, with its mark or without one. */
async function startOfText(file: FileHandle): Promise<number> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(3), 0, 3, 0);
  if (bytesRead >= 2 && isUtf16(buffer)) {
    throw new ImportFileFault('the file is UTF-16; convert it to UTF-8, as with iconv -f utf-16 -t utf-8');
  }
  return bytesRead === 3 && buffer.toString('hex') === 'efbbbf' ? 3 : 0;
}

/** Its mark, or the zero that is half of a Latin letter: no file of UTF-8 has one there. */
function isUtf16(head: Buffer): boolean {
  const first = head.readUInt16BE(0);
  return first === 0xfeff || first === 0xfffe || first < 0x100 || (first & 0xff) === 0;
}

/** What tells one import from another: every byte of the file, and how it is read. */
export async function fingerprintOf(path: string, reading: Json): Promise<string> {
  await using file = await open(path);
  const hash = createHash('sha256').update(`${canonicalJson(reading)}\n`);
  for await (const block of readBlocks(file, 0)) hash.update(block);
  return hash.digest('hex');
}
