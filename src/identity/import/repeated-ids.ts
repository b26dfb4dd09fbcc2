import type { Read } from '../../db/database.ts';
import { splitByRowCounts, textByRowCount } from '../../db/multi-row-statement.ts';
import { textField } from '../../db/row-fields.ts';
import type { ImportId, ImportProgress } from './import-progress.ts';

/** A row with its id. `isRepeated`: an earlier row of the chunk has the id; in a dry run, an earlier row of the file. */
export type ImportedRow = { readonly citizenId: string; readonly row: number; readonly isRepeated: boolean };

/** The remark on a row whose id occurred in an earlier row. */
export const repeatedIdRemark = 'citizenId occurred in an earlier row of the file; the later row counts';

/** A dry run finds repetitions of the first ids only, which limits its memory. */
export const maxDryRunIds = 1_000_000;

const storedTexts = textByRowCount(
  (size) =>
    `select citizen_id from citizen where imported_by = $1
      and citizen_id in (${Array.from({ length: size }, (_, at) => `$${at + 2}`).join(', ')})`,
);

/** The numbers of the rows whose ids occurred before, in the chunk or among the rows that this import has stored. */
export async function findRepeated(
  read: Read,
  importId: ImportId,
  rows: readonly ImportedRow[],
): Promise<readonly number[]> {
  const stored = new Set<string>();
  for (const ids of splitByRowCounts(rows.filter(({ isRepeated }) => !isRepeated).map(({ citizenId }) => citizenId)))
    for (const row of await read(storedTexts(ids.length), [importId, ...ids])) stored.add(textField(row, 'citizen_id'));
  return rows.flatMap(({ citizenId, row, isRepeated }) => (isRepeated || stored.has(citizenId) ? [row] : []));
}

/** The number of rows that are listed for each reason and remark. */
export const maxFirstRows = 5;

/** `progress` with the repeated rows of its chunk added to those of `from`. */
export function withRepeatedRows(
  progress: ImportProgress,
  from: ImportProgress,
  rows: readonly number[],
): ImportProgress {
  const count = (from.remarks[repeatedIdRemark] ?? 0) + rows.length;
  if (count === 0) return progress;
  const first = [...(from.firstRows[repeatedIdRemark] ?? []), ...rows].slice(0, maxFirstRows);
  return {
    ...progress,
    remarks: { ...progress.remarks, [repeatedIdRemark]: count },
    firstRows: { ...progress.firstRows, [repeatedIdRemark]: first },
  };
}
