import type { Read, Statement } from '../../db/database.ts';
import { idField, integerField, textField } from '../../db/row-fields.ts';
import type { DocumentId, EventId, HoldId } from '../../kernel/id.ts';
import type { CitizenErasure } from '../../ledger/erase-citizen.ts';
import type { SealedDocument, StoredDocument } from '../document.ts';

/** Withdraws a document that is not withdrawn or erased; refused (`rows`) if its status has changed. */
export function withdrawStatement({ id, status }: SealedDocument, now: number): Statement {
  return {
    sql: "update document set status = 'withdrawn', withdrawn_at = $3, scan_due_at = null where id = $1 and status = $2 returning id",
    args: [id, status, now],
    rows: 1,
  };
}

/**
 * Erases a document: its record is deleted, with the only copy of its data key. Refused (`rows`) if a hold or the retention
 * prevents it at that instant. A hold that is placed concurrently writes the same row, so it is seen.
 */
export function eraseStatements({ id, status }: StoredDocument, now: number, proof: EventId): Statement[] {
  return [
    {
      sql: `update document set status = 'erased', sealed_record = null, erased_at = $3, erasure_event = $4, scan_due_at = null
        where id = $1 and status = $2 and holds = 0 and (retain_until is null or retain_until <= $3)
          and not exists (select 1 from citizen_hold h where h.citizen_id = document.citizen_id and h.whole > 0)
        returning id`,
      args: [id, status, now, proof],
      rows: 1,
      erase: true,
    },
    { sql: 'delete from document_grant where document_id = $1', args: [id] },
  ];
}

/**
 * Erases all documents of a citizen, in the unit that destroys the citizen's key, and replaces the citizen's id in their rows.
 * The first statement refuses the whole unit (`rows`) if a legal hold on this citizen exists.
 */
export function eraseDocumentsStatements({ citizenId, erasedId, now, proof }: CitizenErasure): Statement[] {
  return [
    {
      sql: 'insert into citizen_hold (citizen_id, holds, whole) values ($1, 0, 0) on conflict (citizen_id) do update set holds = citizen_hold.holds where citizen_hold.holds = 0 returning citizen_id',
      args: [citizenId],
      rows: 1,
    },
    {
      sql: "update document set status = 'erased', sealed_record = null, erased_at = $2, erasure_event = $3, scan_due_at = null where citizen_id in ($1, $4) and status <> 'erased'",
      args: [citizenId, now, proof, erasedId],
    },
    {
      sql: 'delete from document_grant where document_id in (select id from document where citizen_id = $1)',
      args: [citizenId],
    },
    { sql: 'update document set citizen_id = $2 where citizen_id = $1', args: [citizenId, erasedId] },
    { sql: 'update document_hold set citizen_id = $2 where citizen_id = $1', args: [citizenId, erasedId] },
    { sql: 'delete from citizen_hold where citizen_id = $1', args: [citizenId] },
  ];
}

/** Whether a legal hold on this citizen exists. */
export async function isCitizenHeld(read: Read, citizenId: string): Promise<boolean> {
  const sql = 'select holds from citizen_hold where citizen_id = $1 and holds > 0';
  return (await read(sql, [citizenId])).length > 0;
}

/** The number of documents of a citizen that are not erased. */
export async function countDocuments(read: Read, citizenId: string): Promise<number> {
  const sql = "select count(*) as documents from document where citizen_id = $1 and status <> 'erased'";
  return Number((await read(sql, [citizenId]))[0]?.['documents']);
}

/** The ids of the erased documents of a citizen, whose blobs may be removed. */
export async function erasedDocumentsOf(read: Read, citizenId: string): Promise<DocumentId[]> {
  const sql = "select id from document where citizen_id = $1 and status = 'erased' order by id";
  return (await read(sql, [citizenId])).map((row) => idField(row, 'id', 'document'));
}

/** A hold on one document or, with `documentId` null, on all present and later documents of the citizen. */
export type LegalHold = {
  readonly id: HoldId;
  readonly citizenId: string;
  readonly documentId: DocumentId | null;
  readonly placedAt: number;
};

/** Places a hold; refused (`rows`) if its document is erased or does not exist. */
export function placeHoldStatements({ id, citizenId, documentId, placedAt }: LegalHold): Statement[] {
  const insert = {
    sql: 'insert into document_hold (id, citizen_id, document_id, placed_at) values ($1, $2, $3, $4)',
    args: [id, citizenId, documentId, placedAt],
  };
  const countHold = {
    sql: "update document set holds = holds + 1 where id = $1 and citizen_id = $2 and status <> 'erased' returning id",
    args: [documentId, citizenId],
    rows: 1,
  };
  return [lockCitizenRow(citizenId), ...(documentId === null ? [] : [countHold]), insert, ...recountHolds(citizenId)];
}

/** Releases a hold; refused (`rows`) if it was released before. */
export function releaseHoldStatements({ id, citizenId }: LegalHold, now: number): Statement[] {
  const end = {
    sql: 'update document_hold set released_at = $2 where id = $1 and released_at is null returning id',
    args: [id, now],
    rows: 1,
  };
  return [lockCitizenRow(citizenId), end, ...recountHolds(citizenId)];
}

/** Writes the citizen's row first: concurrent holds, releases and erasures wait here, and then see the result. */
function lockCitizenRow(citizenId: string): Statement {
  return {
    sql: 'insert into citizen_hold (citizen_id, holds, whole) values ($1, 0, 0) on conflict (citizen_id) do update set holds = citizen_hold.holds',
    args: [citizenId],
  };
}

function recountHolds(citizenId: string): Statement[] {
  return [
    {
      sql: 'update document set holds = (select count(*) from document_hold h where h.released_at is null and h.citizen_id = document.citizen_id and (h.document_id is null or h.document_id = document.id)) where citizen_id = $1',
      args: [citizenId],
    },
    {
      sql: 'update citizen_hold set holds = (select count(*) from document_hold h where h.released_at is null and h.citizen_id = citizen_hold.citizen_id), whole = (select count(*) from document_hold h where h.released_at is null and h.citizen_id = citizen_hold.citizen_id and h.document_id is null) where citizen_id = $1',
      args: [citizenId],
    },
  ];
}

/** An active hold by its id. */
export async function findHold(read: Read, id: HoldId): Promise<LegalHold | undefined> {
  return (await holdsIn(read, 'where id = $1 and released_at is null', [id]))[0];
}

/** The active holds on a citizen and on their documents, oldest first. */
export async function activeHoldsOf(read: Read, citizenId: string): Promise<LegalHold[]> {
  return await holdsIn(read, 'where citizen_id = $1 and released_at is null order by id', [citizenId]);
}

/** All active holds, oldest first. */
export async function activeHolds(read: Read): Promise<LegalHold[]> {
  return await holdsIn(read, 'where released_at is null order by id', []);
}

async function holdsIn(read: Read, where: string, args: readonly string[]): Promise<LegalHold[]> {
  const rows = await read(`select id, citizen_id, document_id, placed_at from document_hold ${where}`, args);
  return rows.map((row) => ({
    id: idField(row, 'id', 'hold'),
    citizenId: textField(row, 'citizen_id'),
    documentId: row['document_id'] === null ? null : idField(row, 'document_id', 'document'),
    placedAt: integerField(row, 'placed_at'),
  }));
}

/** A document that is due since `dueAt` (epoch ms), and whether a legal hold prevents its erasure. */
export type DueDocument = { readonly id: DocumentId; readonly dueAt: number; readonly held: boolean };

/**
 * A page of documents to erase: withdrawn or at the end of their class, and past their retention. Ordered by due time and id;
 * `after` is the last one of the previous page.
 */
export async function dueForErasure(
  read: Read,
  { now, after, limit }: { readonly now: number; readonly after?: DueDocument | undefined; readonly limit: number },
): Promise<DueDocument[]> {
  const rows = await read(
    `select id, erasure_due_at, holds from document
      where erasure_due_at <= $1 and (erasure_due_at, id) > ($2, $3) order by erasure_due_at, id limit $4`,
    [now, after?.dueAt ?? 0, after?.id ?? '', limit],
  );
  return rows.map((row) => ({
    id: idField(row, 'id', 'document'),
    dueAt: integerField(row, 'erasure_due_at'),
    held: integerField(row, 'holds') > 0,
  }));
}
