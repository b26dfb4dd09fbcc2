import { statSync } from 'node:fs';

/** Finds what is wrong within an SQLite file, or `ok`. It reads the whole file, about 5 ms a MiB. */
export const quickCheckSql = 'pragma quick_check(1)';

const maxStartCheckBytes = 64 * 2 ** 20;

/** Whether each start reads the file through, as `doctor` does: a larger one would keep it waiting. One not there yet is small. */
export function isCheckedAtStart(path: string): boolean {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  return size <= maxStartCheckBytes;
}
