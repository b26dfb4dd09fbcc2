import type { ImportedCitizen } from './citizen-store.ts';
import type { ImportProgress } from './import-progress.ts';
import type { RowReader } from './import-row.ts';
import type { ImportLine } from './read-blocks.ts';
import type { RejectedRowsFile } from './rejected-rows-file.ts';
import { maxFirstRows, type RepeatedRow, type SeenIdCheck } from './repeated-ids.ts';

/** Rows that are stored together; of two rows with the same id the later one counts. `progress`: the state after they are stored. */
export type ImportChunk = {
  rows: number;
  readonly citizens: Map<string, ImportedCitizen>;
  /** Rows whose id occurred before, or may have; `progress` does not count them yet. */
  readonly repeats: RepeatedRow[];
  readonly progress: ProgressCounter;
};

/** A mutable `ImportProgress`. */
type ProgressCounter = { -readonly [member in keyof ImportProgress]: ImportProgress[member] } & {
  reasons: Record<string, number>;
  remarks: Record<string, number>;
  firstRows: Record<string, readonly number[]>;
};

/** The reader of a line, and the destination of rejected ones. */
export type LineContext = {
  readonly readRow: RowReader;
  readonly errors: RejectedRowsFile | undefined;
  readonly ids: SeenIdCheck;
};

/** An empty chunk that continues from this progress. */
export function startChunk(from: ImportProgress): ImportChunk {
  const { reasons, remarks, firstRows } = from;
  const progress = { ...from, reasons: { ...reasons }, remarks: { ...remarks }, firstRows: { ...firstRows } };
  return { rows: 0, citizens: new Map(), repeats: [], progress };
}

/** Adds one line of the file to the chunk. */
export function addLine(chunk: ImportChunk, line: ImportLine, { readRow, errors, ids }: LineContext): void {
  const result = line.fault === undefined ? readRow(line.fields, chunk.progress.id) : { reason: line.fault };
  const { citizens, progress } = chunk;
  chunk.rows += 1;
  progress.read += 1;
  progress.nextOffset = line.end;
  if ('citizen' in result) {
    const { citizenId } = result.citizen;
    const before = citizens.size;
    citizens.set(citizenId, result.citizen);
    const seen = citizens.size === before ? 'again' : ids(citizenId);
    if (seen !== 'new') chunk.repeats.push({ citizenId, row: progress.read, isCertain: seen === 'again' });
    progress.stored += 1;
    for (const remark of result.remarks ?? []) count(progress, 'remarks', remark);
  } else if ('reason' in result) {
    errors?.add(result.reason, line.fields);
    progress.refused += 1;
    count(progress, 'reasons', result.reason);
  } else {
    progress.leftOut += 1;
  }
}

/** Further reasons are counted together. Only a file that is not a register has more. */
const maxReasons = 50;

function count(progress: ProgressCounter, of: 'reasons' | 'remarks', reason: string): void {
  const tally = progress[of];
  const known = reason in tally || Object.keys(tally).length < maxReasons ? reason : 'other reasons';
  tally[known] = (tally[known] ?? 0) + 1;
  const rows = progress.firstRows[known] ?? [];
  if (rows.length < maxFirstRows) progress.firstRows[known] = [...rows, progress.read];
}
