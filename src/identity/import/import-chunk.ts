import type { ImportedCitizen } from './citizen-store.ts';
import type { ImportProgress } from './import-progress.ts';
import type { RowReader } from './import-row.ts';
import type { ImportLine } from './read-blocks.ts';
import type { RejectedRowsFile } from './rejected-rows-file.ts';
import { maxFirstRows, type RepeatedRow, type SeenIdCheck } from './repeated-ids.ts';

/** Rows that are stored together, by id: of two with one id the later counts. `progress` is what will be true then. */
export type ImportChunk = {
  rows: number;
  readonly citizens: Map<string, ImportedCitizen>;
  /** Rows with an id that was there before, or may have been; they are in no remark yet. */
  readonly repeats: RepeatedRow[];
  readonly progress: ProgressCounter;
};

/** Progress while it is being counted. */
type ProgressCounter = { -readonly [member in keyof ImportProgress]: ImportProgress[member] } & {
  reasons: Record<string, number>;
  remarks: Record<string, number>;
  firstRows: Record<string, readonly number[]>;
};

/** What reads the lines of a file, and where those go that are refused. */
export type LineContext = {
  readonly readRow: RowReader;
  readonly errors: RejectedRowsFile | undefined;
  readonly ids: SeenIdCheck;
};

/** A chunk without rows yet. */
export function startChunk(from: ImportProgress): ImportChunk {
  const { reasons, remarks, firstRows } = from;
  const progress = { ...from, reasons: { ...reasons }, remarks: { ...remarks }, firstRows: { ...firstRows } };
  return { rows: 0, citizens: new Map(), repeats: [], progress };
}

/** Takes one line of the file into the chunk. */
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

/** As many kinds of reasons are told apart; more come only from a file that is no register. */
const maxReasons = 50;

function count(progress: ProgressCounter, of: 'reasons' | 'remarks', reason: string): void {
  const tally = progress[of];
  const known = reason in tally || Object.keys(tally).length < maxReasons ? reason : 'other reasons';
  tally[known] = (tally[known] ?? 0) + 1;
  const rows = progress.firstRows[known] ?? [];
  if (rows.length < maxFirstRows) progress.firstRows[known] = [...rows, progress.read];
}
