/** The fields of an error of `node:sqlite`. `errcode` is SQLite's extended result code. */
export type SqliteErrorInfo = {
  readonly code: string;
  readonly errcode: number | undefined;
  readonly message: string;
};

/** The fields of an error, without the integer that an out-of-range message contains: it may be personal data. */
export function sqliteErrorInfo(error: unknown): SqliteErrorInfo {
  const { code = '', errcode, message = '' } = error as Partial<SqliteErrorInfo>;
  return { code, errcode, message: code === 'ERR_OUT_OF_RANGE' ? 'a row holds an integer above 2^53' : message };
}

const ownershipFix = 'the user of this process must own DATA_DIR and what is in it, and its disk must take writes';
const restoreFix = 'restore the newest backup';
// Read-only, fault of the disk, corruption, disk full, cannot be opened, not a database.
const fixes = new Map([
  [8, ownershipFix],
  [10, 'its disk has failed, or is full: see df and dmesg'],
  [11, restoreFix],
  [13, 'make room, and start'],
  [14, ownershipFix],
  [26, restoreFix],
]);

/** The message for the operator about a fault of the file at `path`: which file, and how to fix it. */
export function explainSqliteError(path: string, { errcode = 0, message }: SqliteErrorInfo): string {
  const fix = fixes.get(errcode & 0xff);
  return fix === undefined ? message : `${path}: ${message}; ${fix}`;
}
