import { batchInsert } from '../../db/batch-statements.ts';
import type { Read, Row, Statement } from '../../db/database.ts';
import { bytesField, integerField } from '../../db/row-fields.ts';
import type { BatchId } from '../../kernel/id.ts';
import type { SealedPiece } from './sealed-piece.ts';

const insertPieceRow = batchInsert('notification_batch_piece', 'batch_id, first_row, digest, sealed');

/** Stores a piece of an upload. Refused (`unique`) when another request stores the same upload. */
export function insertPiece(batch: BatchId, { firstRow, digest, sealed }: SealedPiece): Statement {
  return insertPieceRow([batch, firstRow, digest, sealed]);
}

/** The digest of a stored piece; undefined when the upload was interrupted before it. */
export async function findPieceDigest(read: Read, batch: BatchId, firstRow: number): Promise<Uint8Array | undefined> {
  const [row] = await read('select digest from notification_batch_piece where batch_id = $1 and first_row = $2', [
    batch,
    firstRow,
  ]);
  return row === undefined ? undefined : bytesField(row, 'digest');
}

/** The first piece that begins at a row or after it. */
export async function findPieceFrom(
  read: Read,
  batch: BatchId,
  row: number,
): Promise<Omit<SealedPiece, 'digest'> | undefined> {
  const [found] = await read(
    `select first_row, sealed from notification_batch_piece where batch_id = $1 and first_row >= $2
      order by first_row limit 1`,
    [batch, row],
  );
  return found === undefined ? undefined : pieceFromRow(found);
}

const piecesPerDeletion = 50;

/** Deletes some pieces of a batch; read the number of returned rows to see whether there may be more. */
export function deletePieces(batch: BatchId): Statement {
  return {
    sql: `delete from notification_batch_piece where batch_id = $1 and first_row in
        (select first_row from notification_batch_piece where batch_id = $1 order by first_row limit ${piecesPerDeletion})
      returning first_row`,
    args: [batch],
    erase: true,
  };
}

function pieceFromRow(row: Row): Omit<SealedPiece, 'digest'> {
  return { firstRow: integerField(row, 'first_row'), sealed: bytesField(row, 'sealed') };
}
