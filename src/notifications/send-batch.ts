import type { Statement } from '../db/database.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { acceptRequest } from './accept-request.ts';
import { type BatchJobDeps, openBatchContext } from './batch-context.ts';
import { isTooLate, type NotificationBatch, type RowRefusal, tooLate } from './batches/batch.ts';
import { findBatch, moveHandled } from './batches/batch-store.ts';
import { endBatch } from './batches/end-batch.ts';
import { mapInTurns } from './batches/map-in-turns.ts';
import { findPieceFrom } from './batches/piece-store.ts';
import { refusalOfRow } from './batches/row-detail.ts';
import { findRows, insertRefusal } from './batches/row-store.ts';
import { openPiece, type Piece } from './batches/sealed-piece.ts';
import { cancelBatch } from './cancel-batch.ts';
import { checkRow, faultOf, type RowContext, unknownCitizen } from './check-batch-row.ts';
import { checkSendRequest, mayKnowCitizen } from './check-send-request.ts';
import type { AcceptedNotification } from './notification/accept-notification.ts';

/** A batch sends at most this many pieces before others may go on. */
const piecesPerTurn = 40;

/**
 * Sends the next pieces of a batch. One unit stores the notifications of a piece, their deliveries and events, and that its rows
 * are handled. After a crash at any point a piece is stored as a whole or not at all, so no row is lost or sent twice.
 */
export async function sendBatch(
  deps: BatchJobDeps,
  batch: NotificationBatch,
  isStopping: () => boolean,
): Promise<void> {
  // As long as no row was sent, the server can still send none.
  if (batch.handled === 0 && batch.options.rows === 'all-or-none' && isTooLate(batch, deps.clock.now()))
    return await cancelBatch(deps, batch, tooLate);
  const context = await openBatchContext(deps, batch);
  if (context === undefined) return await cancelBatch(deps, batch);
  let { handled } = batch;
  let prepared = await preparePiece(deps, batch, { ...context, handled });
  for (let turn = 0; turn < piecesPerTurn && !isStopping(); turn += 1) {
    const storing = storePiece(deps, batch, { handled, prepared });
    if (prepared === undefined) return await storing;
    handled = prepared.handled;
    // The next piece is prepared while the database stores this one. Both are awaited, so that no rejection is unhandled.
    const [stored, next] = await Promise.allSettled([
      storing,
      turn + 1 < piecesPerTurn ? preparePiece(deps, batch, { ...context, handled }) : undefined,
    ]);
    if (stored.status === 'rejected') throw stored.reason;
    if (next.status === 'rejected') throw next.reason;
    prepared = next.value;
  }
}

/** The messages of a piece, ready to be stored. `handled`: its last row. */
type PreparedPiece = {
  readonly handled: number;
  readonly accepted: readonly AcceptedNotification[];
  readonly refusals: readonly RowRefusal[];
};

type PieceContext = { readonly key: Uint8Array; readonly rows: RowContext; readonly handled: number };

/** Undefined when the batch has no further piece. */
async function preparePiece(
  deps: BatchJobDeps,
  batch: NotificationBatch,
  { key, rows: context, handled }: PieceContext,
): Promise<PreparedPiece | undefined> {
  const { read } = deps.db;
  const stored = await findPieceFrom(read, batch.id, handled + 1);
  if (stored === undefined) return undefined;
  const piece = openPiece({ key, batch: batch.id }, stored);
  const last = piece.firstRow + piece.rows.length - 1;
  const range = { after: piece.firstRow - 1, last, limit: piece.rows.length, state: 'refused' } as const;
  const refused = new Set((await findRows(read, batch.id, range)).map(({ row }) => row));
  const numbered = piece.rows.map((row, at) => ({ row, number: piece.firstRow + at }));
  const open = numbered.filter(({ number }) => !refused.has(number));
  const now = deps.clock.now();
  const { letUrgentPass } = deps.ports.urgentPriority;
  const outcomes = await mapInTurns(open, (row) => prepareRow(deps, { ...context, now }, batch, row), letUrgentPass);
  return {
    handled: last,
    accepted: outcomes.flatMap((outcome) => ('fault' in outcome ? [] : [outcome])),
    refusals: outcomes.flatMap((outcome) => ('fault' in outcome ? [outcome.fault] : [])),
  };
}

type NumberedRow = { readonly row: Piece['rows'][number]; readonly number: number };

/** Checks a row again: since the check, time has passed, a template may be removed, or a citizen erased. */
async function prepareRow(
  { createId }: BatchJobDeps,
  context: RowContext,
  { id }: NotificationBatch,
  { row, number }: NumberedRow,
): Promise<AcceptedNotification | { readonly fault: RowRefusal }> {
  const parsed = await checkRow(context, row);
  if ('fault' in parsed) return { fault: refusalOfRow(number, parsed.fault) };
  const { caller, now, ports } = context;
  const call = { body: parsed.body, caller, now, ports, createId };
  const checked = await checkSendRequest(call, { usesPreferences: true });
  if ('issues' in checked) return { fault: refusalOfRow(number, faultOf(checked.issues)) };
  if (checked.contact === undefined && mayKnowCitizen(call)) return { fault: refusalOfRow(number, unknownCitizen) };
  return await acceptRequest(call, checked, { id, row: number });
}

/** Stores a piece in one unit; without a piece, that the batch is done. */
async function storePiece(
  { db, commit, clock, createId, ports }: BatchJobDeps,
  batch: NotificationBatch,
  { handled, prepared }: { readonly handled: number; readonly prepared: PreparedPiece | undefined },
): Promise<void> {
  if (prepared === undefined) {
    const head = { id: createId('event'), at: clock.now(), actor: { process: 'delivery' } } as const;
    // All rows are handled, so the stored counts are final.
    const { rowCount, accepted = 0, refused = 0 } = (await findBatch(db.read, batch.id)) ?? {};
    const counts = { rows: rowCount ?? undefined, accepted, refused };
    await commit(endBatch(head, batch, { from: 'sending', to: 'done', ...counts }));
    return;
  }
  const { accepted, refusals } = prepared;
  const counts = { accepted: accepted.length, refused: refusals.length };
  const statements: Statement[] = [
    moveHandled({ batch: { id: batch.id, handled }, handled: prepared.handled, ...counts }),
    ...accepted.flatMap((one) => one.statements),
    ...refusals.map((refusal) => insertRefusal(batch.id, refusal)),
  ];
  const events = accepted.map(({ event }): LedgerEvent => event);
  const [first, ...others] = events;
  if (first === undefined) {
    // Without a ledger event: all rows of the piece are refused.
    await db.write(statements);
    return;
  }
  await ports.urgentPriority.letUrgentPass();
  const queues = new Set(accepted.flatMap((one) => [...one.queues]));
  await commit({ events: [first, ...others], statements, queues });
}
