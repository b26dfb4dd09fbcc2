import type { Read, Row, Statement } from '../../db/database.ts';
import { integerField, textField } from '../../db/row-fields.ts';
import type { Id } from '../../kernel/id.ts';

export type ImportId = Id<'import'>;

/** How often each reason came. Reasons hold no values of the file. */
export type ReasonCounts = Readonly<Record<string, number>>;

/** How far an import has come. Everything in it is as of a committed chunk. */
export type ImportProgress = {
  readonly id: ImportId;
  /** Where the next record begins, in bytes. */
  readonly nextOffset: number;
  readonly read: number;
  readonly stored: number;
  readonly refused: number;
  /** Rows that `--where` leaves out. */
  readonly leftOut: number;
  readonly reasons: ReasonCounts;
  readonly remarks: ReasonCounts;
  /** The first rows of each reason and remark; 1 is the first below the header. */
  readonly firstRows: Readonly<Record<string, readonly number[]>>;
  /** How much of the error file belongs to the rows counted here. */
  readonly errorsBytes: number;
  readonly finished: boolean;
  readonly startedAt: number;
};

/** The import of this file and reading, where there was one. */
export async function findImport(read: Read, fingerprint: string): Promise<ImportProgress | undefined> {
  const [row] = await read('select * from register_import where fingerprint = $1', [fingerprint]);
  return row === undefined ? undefined : toProgress(row);
}

function toProgress(row: Row): ImportProgress {
  // Only `faultsText` below writes this column.
  const { reasons, remarks, firstRows } = JSON.parse(textField(row, 'faults')) as StoredFaults;
  return {
    // The column holds what was minted for it.
    id: textField(row, 'id') as ImportId,
    nextOffset: integerField(row, 'next_offset'),
    read: integerField(row, 'rows_read'),
    stored: integerField(row, 'rows_stored'),
    refused: integerField(row, 'rows_refused'),
    leftOut: integerField(row, 'rows_left_out'),
    reasons,
    remarks,
    firstRows,
    errorsBytes: integerField(row, 'errors_bytes'),
    finished: row['finished'] === true,
    startedAt: integerField(row, 'started_at'),
  };
}

type StoredFaults = Pick<ImportProgress, 'reasons' | 'remarks' | 'firstRows'>;

function faultsText({ reasons, remarks, firstRows }: ImportProgress): string {
  return JSON.stringify({ reasons, remarks, firstRows } satisfies StoredFaults);
}

/** Starts an import anew, in place of an earlier one of the same file that is not to go on. */
export function startImport(progress: ImportProgress, fingerprint: string): Statement[] {
  return [
    { sql: 'delete from register_import where fingerprint = $1 and id <> $2', args: [fingerprint, progress.id] },
    {
      sql: `insert into register_import (id, fingerprint, next_offset, rows_read, rows_stored, rows_refused, rows_left_out,
        faults, errors_bytes, finished, started_at, updated_at) values ($1, $2, $3, 0, 0, 0, 0, $4, 0, false, $5, $5)`,
      args: [progress.id, fingerprint, progress.nextOffset, faultsText(progress), progress.startedAt],
    },
  ];
}

/**
 * Takes an import from one state to the next, in the unit of the rows that lie between them. It stands only on the state
 * that it was computed from: of two processes with one file, one is refused.
 */
export function advanceImport(from: ImportProgress, to: ImportProgress, now: number): Statement {
  return {
    sql: `update register_import set next_offset = $3, rows_read = $4, rows_stored = $5, rows_refused = $6,
      rows_left_out = $7, faults = $8, errors_bytes = $9, finished = $10, updated_at = $11
      where id = $1 and rows_read = $2 and not finished returning id`,
    args: [
      to.id,
      from.read,
      to.nextOffset,
      to.read,
      to.stored,
      to.refused,
      to.leftOut,
      faultsText(to),
      to.errorsBytes,
      to.finished,
      now,
    ],
    rows: 1,
  };
}
