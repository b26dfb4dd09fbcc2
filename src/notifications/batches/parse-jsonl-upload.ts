import type { Json } from '../../kernel/canonical-json.ts';
import { hasDuplicateMember } from '../../kernel/has-duplicate-member.ts';
import { isObject } from '../../kernel/is-object.ts';
import { batchLimits } from './batch.ts';
import { addColumnsOf } from './batch-columns.ts';
import type { UploadParser } from './parse-csv-upload.ts';
import type { UploadedRow } from './sealed-piece.ts';
import { UploadRefused } from './upload-refused.ts';

/** Creates the parser of JSON Lines: one object per line. A line without a valid object is a row without values. */
export function createJsonlUploadParser(): UploadParser {
  const columns = new Set<string>();
  let rest = '';

  function parseLines(lines: readonly string[]): UploadedRow[] {
    return lines.flatMap((line): UploadedRow[] => {
      if (line.trim() === '') return [];
      checkLength(line);
      const row = parseObject(line);
      if (row !== null) addColumnsOf(columns, row);
      return [row];
    });
  }

  return {
    add: (text) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      checkLength(rest);
      return Promise.resolve(parseLines(lines));
    },
    end: () => Promise.resolve(parseLines([rest])),
    columns: () => [...columns],
    delimiter: () => null,
  };
}

function checkLength(line: string): void {
  if (Buffer.byteLength(line) > batchLimits.rowBytes)
    throw new UploadRefused('row-too-large', `expected lines of at most ${batchLimits.rowBytes} bytes`);
}

function parseObject(line: string): { readonly [member: string]: Json } | null {
  try {
    const value: unknown = JSON.parse(line);
    // A parsed text contains only JSON.
    return isObject(value) && !hasDuplicateMember(line, value) ? (value as { readonly [member: string]: Json }) : null;
  } catch (fault) {
    // RangeError: the line is nested deeper than the stack.
    if (fault instanceof SyntaxError || fault instanceof RangeError) return null;
    throw fault;
  }
}
