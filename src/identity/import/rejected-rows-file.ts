import { type FileHandle, open } from 'node:fs/promises';
import { ImportFileFault } from './read-blocks.ts';

/** The refused rows of an import, each with its reason before it, as a CSV file that can be mended and imported. */
export type RejectedRowsFile = {
  /** Appends a row; `flush` brings it to disk. */
  add(reason: string, fields: readonly string[]): void;
  /** Brings what was added to disk; resolves with the length of the file. Refuses where somebody else has written to it. */
  flush(): Promise<number>;
  close(): Promise<void>;
};

/** The column of the reason; an import takes no notice of it. */
const reasonColumn = 'importError';

/**
 * Opens the error file, cut to `keepBytes`: what stands behind belongs to rows that will be read again. A file that holds
 * something else is left as it is.
 */
export async function openRejectedRowsFile(
  path: string,
  header: readonly string[],
  keepBytes: number,
): Promise<RejectedRowsFile> {
  const file = await open(path, 'a+', 0o600);
  let length: number;
  try {
    if (
      !(await isRejectedRowsFile(file, keepBytes === 0 ? `${reasonColumn},` : toCsvLine([reasonColumn, ...header])))
    ) {
      throw new ImportFileFault(`${path} is there and holds something else than the refused rows: name another file`);
    }
    length = await truncateTo(file, keepBytes);
  } catch (fault) {
    await file.close();
    throw fault;
  }
  let pending = '';
  const add = (reason: string, fields: readonly string[]) => {
    pending += toCsvLine([reason, ...fields]);
  };
  if (length === 0) add(reasonColumn, header);
  return {
    add,
    flush: async () => {
      if (pending === '') return length;
      // At once: what is added from now on is of the next chunk.
      const bytes = Buffer.from(pending);
      pending = '';
      // Before any row of the chunk is stored, so that none is counted as refused and stands nowhere.
      if ((await file.stat()).size !== length) {
        throw new ImportFileFault(
          `${path} is being written by another command: name another file, and give --restart for all refused rows to stand in it`,
        );
      }
      await file.appendFile(bytes);
      await file.datasync();
      length += bytes.length;
      return length;
    },
    close: () => file.close(),
  };
}

/** Whether it begins as an error file does, as far as it goes: a crash may have left the beginning alone, or nothing. */
async function isRejectedRowsFile(file: FileHandle, start: string): Promise<boolean> {
  const expected = Buffer.from(start);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(expected.length), 0, expected.length, 0);
  return buffer.subarray(0, bytesRead).equals(expected.subarray(0, bytesRead));
}

/** Cuts the file to what an earlier run vouched for; a file that is shorter was taken away, and begins anew. */
async function truncateTo(file: FileHandle, keepBytes: number): Promise<number> {
  const { size } = await file.stat();
  const kept = size >= keepBytes ? keepBytes : 0;
  await file.truncate(kept);
  return kept;
}

/** A spreadsheet takes a value that begins with one of these for a formula; in quotes and behind a blank it does not. */
const formulaStart = /^[=+@\t\r]/;

function toCsvLine(values: readonly string[]): string {
  return `${values.map(quoteValue).join(',')}\r\n`;
}

function quoteValue(value: string): string {
  const safe = formulaStart.test(value) ? ` ${value}` : value;
  return /[",;\r\n\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
