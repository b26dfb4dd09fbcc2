import { type FileHandle, open } from 'node:fs/promises';
import { ImportFileFault } from './read-blocks.ts';

/** The rejected rows of an import with their reasons, as a CSV file that can be corrected and imported. */
export type RejectedRowsFile = {
  /** Appends a row in memory; `flush` writes it to disk. */
  add(reason: string, fields: readonly string[]): void;
  /** Writes added rows to disk and returns the length of the file. Throws `ImportFileFault` if another process wrote to the file. */
  flush(): Promise<number>;
  close(): Promise<void>;
};

/** The column of the reason. An import ignores it. */
const reasonColumn = 'importError';

/**
 * Opens the error file and truncates it to `keepBytes`: later lines are of rows that will be read again. Throws `ImportFileFault` for a file
 * with other content, and does not change it.
 */
export async function openRejectedRowsFile(
  path: string,
  header: readonly string[],
  keepBytes: number,
): Promise<RejectedRowsFile> {
  const file = await open(path, 'a+', 0o600);
  let length: number;
  try {
    if (!(await file.stat()).isFile())
      throw new ImportFileFault(`${path} is a pipe, a device or a folder; specify a regular file`);
    if (
      !(await isRejectedRowsFile(file, keepBytes === 0 ? `${reasonColumn},` : toCsvLine([reasonColumn, ...header])))
    ) {
      throw new ImportFileFault(`${path} exists and is not a file of rejected rows; specify another file`);
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
      // Without an `await` before: rows that are added from now on belong to the next chunk.
      const bytes = Buffer.from(pending);
      pending = '';
      // Checked before the chunk is stored, so that every row that is counted as rejected is in the file.
      if ((await file.stat()).size !== length) {
        throw new ImportFileFault(
          `another command writes to ${path}; specify another file, and use --restart to write all rejected rows to it`,
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

/** Whether the file is a prefix of an error file or starts with one: after a crash it may be incomplete or empty. */
async function isRejectedRowsFile(file: FileHandle, start: string): Promise<boolean> {
  const expected = Buffer.from(start);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(expected.length), 0, expected.length, 0);
  return buffer.subarray(0, bytesRead).equals(expected.subarray(0, bytesRead));
}

/** Truncates the file to the length that an earlier run recorded. A shorter file was replaced, so it starts empty. */
async function truncateTo(file: FileHandle, keepBytes: number): Promise<number> {
  const { size } = await file.stat();
  const length = size >= keepBytes ? keepBytes : 0;
  await file.truncate(length);
  return length;
}

/** Attack: a spreadsheet runs a value that starts with one of these as a formula. A leading blank prevents it. */
const formulaStart = /^[=+@\t\r]/;

function toCsvLine(values: readonly string[]): string {
  return `${values.map(quoteValue).join(',')}\r\n`;
}

/**
 * Control characters without tab and line breaks, and bidirectional controls. Attack: a terminal that shows the file runs the escape
 * sequences of the imported file.
 */
const invisibleControls = /[^\P{Cc}\t\r\n]|[\u202a-\u202e\u2066-\u2069]/gu;

function quoteValue(value: string): string {
  const visible = value.replaceAll(invisibleControls, '\ufffd');
  const safe = formulaStart.test(visible) ? ` ${visible}` : visible;
  return /[",;\r\n\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
