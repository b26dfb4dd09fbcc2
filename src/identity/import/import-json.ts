import type { FileHandle } from 'node:fs/promises';
import { isObject } from '../../kernel/is-object.ts';
import { parseJsonLossless } from '../../kernel/parse-json-lossless.ts';
import { ImportFileFault, type ImportLine } from './read-blocks.ts';
import { readTextLines } from './text-lines.ts';

/** The columns to read. A column in `lists` may contain a list, which is returned as JSON. */
export type JsonColumns = { readonly columns: readonly string[]; readonly lists: ReadonlySet<string> };

/** The maximum number of different member names in a file. */
const maxKeys = 1_000;

/** The columns of a file of JSON lines: `columns`, or if empty the keys of all lines, because each line may have other keys. */
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
        throw new ImportFileFault(
          `the objects have more than ${maxKeys} different member names; select the columns with --map`,
        );
    }
  }
  if (objects === 0) throw new ImportFileFault('the file contains no JSON object; write one object per line');
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
    // A column such as `__proto__` or `constructor` is a member of every object.
    const member = Object.hasOwn(value, column) ? value[column] : undefined;
    if (Array.isArray(member) && lists.has(column)) {
      fields.push(JSON.stringify(member));
      continue;
    }
    if (typeof member === 'object' && member !== null) {
      return { fields: [text], end, fault: 'a value is a list or an object; expected a text' };
    }
    fields.push(member === undefined || member === null ? '' : String(member));
  }
  return { fields, end };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJsonLossless(text);
    return isObject(value) ? value : undefined;
  } catch (fault) {
    // RangeError: the line is nested deeper than the stack.
    if (fault instanceof SyntaxError || fault instanceof RangeError) return undefined;
    throw fault;
  }
}
