import type { FileHandle } from 'node:fs/promises';
import { ImportFileFault, readBlocks } from './read-blocks.ts';

/** A line without its newline, and the position of its end in bytes. */
type TextLine = { readonly text: string; readonly end: number };

/** Limits the memory for a file without newlines. */
const maxLineBytes = 1 << 20;

/** The lines of a file from `start` on, in batches. Throws `ImportFileFault` for a line of more than 1 MiB. */
export async function* readTextLines(file: FileHandle, start: number): AsyncGenerator<readonly TextLine[]> {
  let rest: Buffer = Buffer.alloc(0);
  let offset = start;
  for await (const block of readBlocks(file, start)) {
    const bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    const lines: TextLine[] = [];
    let from = 0;
    for (let newline = bytes.indexOf(0x0a); newline >= 0; newline = bytes.indexOf(0x0a, from)) {
      lines.push({ text: bytes.toString('utf8', from, newline), end: offset + newline + 1 });
      from = newline + 1;
    }
    rest = bytes.subarray(from);
    offset += from;
    if (rest.length > maxLineBytes) throw new ImportFileFault(`a line has more than ${maxLineBytes} bytes`);
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [{ text: rest.toString(), end: offset + rest.length }];
}
