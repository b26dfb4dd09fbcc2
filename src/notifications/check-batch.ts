import type { Statement } from '../db/database.ts';
import { type BatchJobDeps, openBatchContext } from './batch-context.ts';
import {
  batchChangedEvent,
  type NotificationBatch,
  type RowRefusal,
  startBeforeWith,
  stateAfterCheck,
} from './batches/batch.ts';
import { changeState, moveChecked } from './batches/batch-store.ts';
import { createDuplicateFinder, type DuplicateFinder } from './batches/duplicate-rows.ts';
import { endBatch } from './batches/end-batch.ts';
import { mapInTurns } from './batches/map-in-turns.ts';
import { findPieceFrom } from './batches/piece-store.ts';
import { refusalOfRow } from './batches/row-detail.ts';
import { insertRefusal } from './batches/row-store.ts';
import { openPiece, type Piece } from './batches/sealed-piece.ts';
import { cancelBatch } from './cancel-batch.ts';
import { checkRow, citizenFault, type RowContext } from './check-batch-row.ts';
import { deadlineOf } from './send-request.ts';

/** One unit stores the check of at most this many rows, or of fewer if many are refused: a sync takes as long as the check of a piece. */
const rowsPerUnit = 400;
const refusalsPerUnit = 50;

/**
 * Checks all rows of a batch, piece by piece, and stores which are refused. After a crash the rows that were checked before are read
 * again, because later rows are compared with them. Ends early when `isStopping`.
 */
export async function checkBatch(
  deps: BatchJobDeps,
  batch: NotificationBatch,
  isStopping: () => boolean,
): Promise<void> {
  const context = await openBatchContext(deps, batch);
  if (context === undefined) return await cancelBatch(deps, batch);
  const finder = createDuplicateFinder();
  let { checked, refused, startBefore } = batch;
  let pending: RowRefusal[] = [];
  const store = async (rows: number) => {
    const before = { id: batch.id, checked, refused };
    checked = rows;
    refused += pending.length;
    const statements: Statement[] = pending.map((refusal) => insertRefusal(batch.id, refusal));
    pending = [];
    // Without a ledger event: nothing of a citizen has changed.
    await deps.db.write([moveChecked({ batch: before, checked, refused, startBefore }), ...statements]);
  };
  for (let next = 1; !isStopping(); ) {
    const stored = await findPieceFrom(deps.db.read, batch.id, next);
    if (stored === undefined) {
      if (next - 1 > checked) await store(next - 1);
      return await endCheck(deps, batch, { rows: next - 1, refused });
    }
    const piece = openPiece({ key: context.key, batch: batch.id }, stored);
    next = piece.firstRow + piece.rows.length;
    const { refusals, deadlines } = await checkPiece(context.rows, piece, finder);
    if (next - 1 <= checked) continue;
    pending.push(...refusals);
    for (const deadline of deadlines) startBefore = startBeforeWith({ ...batch, startBefore }, deadline);
    if (next - 1 - checked >= rowsPerUnit || pending.length >= refusalsPerUnit) await store(next - 1);
  }
}

/** The refused rows of a piece, and the deadlines of the others. */
type CheckedPiece = { readonly refusals: readonly RowRefusal[]; readonly deadlines: readonly number[] };

async function checkPiece(context: RowContext, piece: Piece, finder: DuplicateFinder): Promise<CheckedPiece> {
  const results = await mapInTurns(
    piece.rows,
    (row) => checkRowOf(context, row),
    context.ports.urgentPriority.letUrgentPass,
  );
  const refusals: RowRefusal[] = [];
  const deadlines: number[] = [];
  for (const [at, result] of results.entries()) {
    const fault = 'fault' in result ? result.fault : finder.find(result.body);
    if (fault !== undefined) refusals.push(refusalOfRow(piece.firstRow + at, fault));
    else if ('body' in result) deadlines.push(deadlineOf(result.body));
  }
  return { refusals, deadlines };
}

async function checkRowOf(context: RowContext, row: Piece['rows'][number]) {
  const result = await checkRow(context, row);
  if ('fault' in result) return result;
  const fault = await citizenFault(context, result.body.citizenId);
  return fault === undefined ? result : { fault };
}

async function endCheck(
  { commit, clock, createId }: BatchJobDeps,
  batch: NotificationBatch,
  counts: { readonly rows: number; readonly refused: number },
): Promise<void> {
  const to = stateAfterCheck(batch, counts);
  const reason =
    to === 'refused'
      ? ({ code: 'rows-refused', detail: `expected rows without a fault, and ${counts.refused} have one` } as const)
      : {};
  const head = { id: createId('event'), at: clock.now(), actor: { process: 'delivery' } } as const;
  if (to === 'done' || to === 'refused') {
    await commit(endBatch(head, batch, { from: 'checking', to, ...counts, accepted: 0, ...reason }));
    return;
  }
  const statement = changeState(batch, { from: 'checking', to, at: head.at });
  await commit({ events: [batchChangedEvent(head, batch.id, to)], statements: [statement] });
}
