import type { ImportedCitizen } from '../citizen-store.ts';
import type { Line } from './import-blocks.ts';
import type { ErrorFile } from './import-errors.ts';
import type { ImportProgress } from './import-progress.ts';
import { mostFirstRows, type Repeat, type SeenIds } from './import-repeats.ts';
import type { RowReader } from './import-row.ts';

/** Rows that are stored together, by id: of two with one id the later counts. `progress` is what will be true then. */
export type Chunk = {
  rows: number;
  readonly citizens: Map<string, ImportedCitizen>;
  /** Rows with an id that was there before, or may have been; they are in no remark yet. */
  readonly repeats: Repeat[];
  readonly progress: Counting;
};

/** Progress while it is being counted. */
type Counting = { -readonly [member in keyof ImportProgress]: ImportProgress[member] } & {
  reasons: Record<string, number>;
  remarks: Record<string, number>;
  firstRows: Record<string, readonly number[]>;
};

/** What reads the lines of a file, and where those go that are refused. */
export type Lines = {
  readonly readRow: RowReader;
  readonly errors: ErrorFile | undefined;
  readonly ids: SeenIds;
};

/** A chunk without rows yet. */
export function startChunk(from: ImportProgress): Chunk {
  const { reasons, remarks, firstRows } = from;
  const progress = { ...from, reasons: { ...reasons }, remarks: { ...remarks }, firstRows: { ...firstRows } };
  return { rows: 0, citizens: new Map(), repeats: [], progress };
}

/** Takes one line of the file into the chunk. */
export function takeLine(chunk: Chunk, line: Line, { readRow, errors, ids }: Lines): void {
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
    if (seen !== 'new') chunk.repeats.push({ citizenId, row: progress.read, isSure: seen === 'again' });
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
const mostReasons = 50;

function count(progress: Counting, of: 'reasons' | 'remarks', reason: string): void {
  const tally = progress[of];
  const known = reason in tally || Object.keys(tally).length < mostReasons ? reason : 'other reasons';
  tally[known] = (tally[known] ?? 0) + 1;
  const rows = progress.firstRows[known] ?? [];
  if (rows.length < mostFirstRows) progress.firstRows[known] = [...rows, progress.read];
}
