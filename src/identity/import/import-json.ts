import type { FileHandle } from 'node:fs/promises';
import { parseJsonLossless } from '../../kernel/parse-json-lossless.ts';
import { ImportFileFault, type ImportLine } from './read-blocks.ts';
import { readTextLines } from './text-lines.ts';

/** The columns to read. Those in `lists` may hold a list, which is returned as JSON. */
export type JsonColumns = { readonly columns: readonly string[]; readonly lists: ReadonlySet<string> };

/** The maximum number of different member names in a file. */
const maxKeys = 1_000;

/** The columns of a file of JSON lines: `columns`, or if empty the keys of all lines, because the first line may lack some of them. */
export async function readJsonKeys(file: FileHandle, start: number, columns: readonly string[]): Promise<string[]> {
  if (columns.length > 0) return [...columns];
  const keys = new Set<string>();
  let objects = 0;
  for await (const lines of readTextLines(file, start)) {
    for (const { text } of lines) {
      const value = text.trim() === '' ? undefined : parseObject(text);
      if (value === undefined) continue;
      objects += 1;
      for (const key of Object.keys(value)) keys.add(key);
      if (keys.size > maxKeys)
        throw new ImportFileFault(`the objects have more than ${maxKeys} names; --map says which of them to read`);
    }
  }
  if (objects === 0) throw new ImportFileFault('the file holds no JSON object; each line is one');
  return [...keys];
}

/** The records from `offset` on, in batches, with one field per column. */
export async function* readJsonLines(
  file: FileHandle,
  { columns, lists }: JsonColumns,
  offset: number,
): AsyncGenerator<readonly ImportLine[]> {
  for await (const batch of readTextLines(file, offset)) {
    const lines = batch.filter(({ text }) => text.trim() !== '');
    if (lines.length > 0) yield lines.map(({ text, end }) => toLine(text, end, { columns, lists }));
  }
}

function toLine(text: string, end: number, { columns, lists }: JsonColumns): ImportLine {
  const value = parseObject(text);
  if (value === undefined) return { fields: [text], end, fault: 'the line is not a JSON object' };
  const fields: string[] = [];
  for (const column of columns) {
    const member = value[column];
    if (Array.isArray(member) && lists.has(column)) {
      fields.push(JSON.stringify(member));
      continue;
    }
    if (typeof member === 'object' && member !== null) {
      return { fields: [text], end, fault: 'a value is a list or an object, and not a text' };
    }
    fields.push(member === undefined || member === null ? '' : String(member));
  }
  return { fields, end };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJsonLossless(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    // Every object from JSON is such a record.
    return value as Readonly<Record<string, unknown>>;
  } catch (fault) {
    // RangeError: the line is nested deeper than the stack.
    if (fault instanceof SyntaxError || fault instanceof RangeError) return undefined;
    throw fault;
  }
}
