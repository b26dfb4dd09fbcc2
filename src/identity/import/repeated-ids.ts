import type { Read } from '../../db/database.ts';
import { splitByRowCounts, textByRowCount } from '../../db/multi-row-statement.ts';
import { textField } from '../../db/row-fields.ts';
import type { ImportId, ImportProgress } from './import-progress.ts';

/** A row whose id an earlier row of the file has, or may have. */
export type RepeatedRow = { readonly citizenId: string; readonly row: number; readonly isCertain: boolean };

/** Told of each id in turn: whether it stood there before; `perhaps` is for the database to tell. */
export type SeenIdCheck = (citizenId: string) => 'new' | 'again' | 'perhaps';

/** What is remarked of a row whose id an earlier one had. */
export const repeatedIdRemark = 'citizenId stood in an earlier row of the file; the later one counts';

/** A dry run stores nothing that could be asked later: it looks for repeated ids among so many rows. */
export const maxDryRunIds = 1_000_000;

const wordBits = 21;

/**
 * A Bloom filter of 8 MiB, whatever the file holds, with two bits of one word for each id, which costs one look at memory. Of a
 * million ids one in a thousand is taken for `perhaps`, of ten million three in a hundred. With `isBehind` nothing is known of what stood before, and each
 * id is.
 */
export function createIdFilter(isResumed: boolean): SeenIdCheck {
  if (isResumed) return () => 'perhaps';
  const words = new Int32Array(2 ** wordBits);
  return (citizenId) => {
    const hash = hashOf(citizenId, 0x811c9dc5, 0x01000193);
    const bits = (1 << (hash & 31)) | (1 << ((hash >>> 5) & 31));
    const word = hash >>> (32 - wordBits);
    const before = words[word] ?? 0;
    words[word] = before | bits;
    return (before & bits) === bits ? 'perhaps' : 'new';
  };
}

/** The ids of the first rows, by 52 bits of each. */
export function createSeenIdSet(): SeenIdCheck {
  const seen = new Set<number>();
  return (citizenId) => {
    const other = hashOf(citizenId, 0x9e3779b9, 0x85ebca6b);
    const hash = (hashOf(citizenId, 0x811c9dc5, 0x01000193) >>> 0) * 2 ** 20 + (other >>> 12);
    if (seen.has(hash)) return 'again';
    if (seen.size < maxDryRunIds) seen.add(hash);
    return 'new';
  };
}

/** A hash of 32 bits (as FNV-1a), mixed until any of its bits will do. */
function hashOf(text: string, from: number, factor: number): number {
  // Whole numbers of 32 bits throughout, which cost no memory.
  let hash = from | 0;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), factor);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return hash ^ (hash >>> 16);
}

const storedTexts = textByRowCount(
  (size) =>
    `select citizen_id from citizen where imported_by = $1
      and citizen_id in (${Array.from({ length: size }, (_, at) => `$${at + 2}`).join(', ')})`,
);

/** The rows whose ids an earlier row had indeed: what this import has stored so far says it of those that are not sure. */
export async function findRepeated(
  read: Read,
  importId: ImportId,
  repeats: readonly RepeatedRow[],
): Promise<readonly number[]> {
  const asked = repeats.filter(({ isCertain }) => !isCertain).map(({ citizenId }) => citizenId);
  const stored = new Set<string>();
  for (const ids of splitByRowCounts(asked)) {
    const rows = await read(storedTexts(ids.length), [importId, ...ids]);
    for (const row of rows) stored.add(textField(row, 'citizen_id'));
  }
  return repeats.flatMap(({ citizenId, row, isCertain }) => (isCertain || stored.has(citizenId) ? [row] : []));
}

/** So many rows are named of each reason and remark. */
export const maxFirstRows = 5;

/** The progress of a chunk with its repeated rows, behind those that were stored. */
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
