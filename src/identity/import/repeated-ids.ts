import type { Read } from '../../db/database.ts';
import { splitByRowCounts, textByRowCount } from '../../db/multi-row-statement.ts';
import { textField } from '../../db/row-fields.ts';
import { textHash } from '../../kernel/text-hash.ts';
import type { ImportId, ImportProgress } from './import-progress.ts';

/** A row whose id occurred in an earlier row of the file; if not `isCertain`, it may have occurred. */
export type RepeatedRow = { readonly citizenId: string; readonly row: number; readonly isCertain: boolean };

/** Called with each id in turn. `perhaps`: only the database knows whether the id occurred before. */
export type SeenIdCheck = (citizenId: string) => 'new' | 'again' | 'perhaps';

/** The remark on a row whose id occurred in an earlier row. */
export const repeatedIdRemark = 'citizenId occurred in an earlier row of the file; the later row counts';

/** A dry run stores nothing, so it finds repetitions only of the first ids, up to this number. */
export const maxDryRunIds = 1_000_000;

const wordBits = 21;

/**
 * A Bloom filter of 8 MiB with two bits per id. About 0.1 % of one million new ids and 3 % of ten million are reported as `perhaps`. A
 * resumed import does not know the earlier ids, so it reports every id as `perhaps`.
 */
export function createIdFilter(isResumed: boolean): SeenIdCheck {
  if (isResumed) return () => 'perhaps';
  const words = new Int32Array(2 ** wordBits);
  return (citizenId) => {
    const hash = textHash(citizenId);
    const bits = (1 << (hash & 31)) | (1 << ((hash >>> 5) & 31));
    const word = hash >>> (32 - wordBits);
    const before = words[word] ?? 0;
    words[word] = before | bits;
    return (before & bits) === bits ? 'perhaps' : 'new';
  };
}

/** Remembers a 52-bit hash of each of the first ids. */
export function createSeenIdSet(): SeenIdCheck {
  const seen = new Set<number>();
  return (citizenId) => {
    const other = textHash(citizenId, 0x9e3779b9, 0x85ebca6b);
    const hash = (textHash(citizenId) >>> 0) * 2 ** 20 + (other >>> 12);
    if (seen.has(hash)) return 'again';
    if (seen.size < maxDryRunIds) seen.add(hash);
    return 'new';
  };
}

const storedTexts = textByRowCount(
  (size) =>
    `select citizen_id from citizen where imported_by = $1
      and citizen_id in (${Array.from({ length: size }, (_, at) => `$${at + 2}`).join(', ')})`,
);

/** The numbers of the rows whose ids did occur before. Uncertain ones are looked up among the rows that this import has stored. */
export async function findRepeated(
  read: Read,
  importId: ImportId,
  repeats: readonly RepeatedRow[],
): Promise<readonly number[]> {
  const uncertain = repeats.filter(({ isCertain }) => !isCertain).map(({ citizenId }) => citizenId);
  const stored = new Set<string>();
  for (const ids of splitByRowCounts(uncertain)) {
    const rows = await read(storedTexts(ids.length), [importId, ...ids]);
    for (const row of rows) stored.add(textField(row, 'citizen_id'));
  }
  return repeats.flatMap(({ citizenId, row, isCertain }) => (isCertain || stored.has(citizenId) ? [row] : []));
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
