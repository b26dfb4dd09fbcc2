import type { Read, Row, Statement } from '../../db/database.ts';
import { integerField, textField } from '../../db/row-fields.ts';
import type { Id } from '../../kernel/id.ts';

/** The id of one import of one file. */
export type ImportId = Id<'import'>;

/** The number of rows by reason. Reasons contain no values of the file. */
export type ReasonCounts = Readonly<Record<string, number>>;

/** The progress of an import as of its last committed chunk. */
export type ImportProgress = {
  readonly id: ImportId;
  /** The position of the next record in bytes. */
  readonly nextOffset: number;
  readonly read: number;
  readonly stored: number;
  readonly refused: number;
  /** Rows that `--where` leaves out. */
  readonly leftOut: number;
  readonly reasons: ReasonCounts;
  readonly remarks: ReasonCounts;
  /** The first rows with each reason and remark; row 1 follows the header. */
  readonly firstRows: Readonly<Record<string, readonly number[]>>;
  /** The length of the error file after the rows counted here. */
  readonly errorsBytes: number;
  readonly finished: boolean;
  readonly startedAt: number;
};

/** The earlier import of the same file with the same options; undefined if there was none. */
export async function findImport(read: Read, fingerprint: string): Promise<ImportProgress | undefined> {
  const [row] = await read('select * from register_import where fingerprint = $1', [fingerprint]);
  return row === undefined ? undefined : toProgress(row);
}

function toProgress(row: Row): ImportProgress {
  // Only `faultsText` below writes this column.
  const { reasons, remarks, firstRows } = JSON.parse(textField(row, 'faults')) as StoredFaults;
  return {
    // Only `startImport` writes this column.
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

/** Starts an import, and deletes an earlier one of the same file. */
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
 * Stores the progress in the unit of the rows between the two states. The unit fails if the stored state is not `from`: of two processes
 * that import the same file, one is refused.
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
