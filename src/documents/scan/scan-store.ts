import type { Read, Row, Statement } from '../../db/database.ts';
import { idField, integerField } from '../../db/row-fields.ts';
import type { DocumentId } from '../../kernel/id.ts';
import type { SealedDocument } from '../document.ts';
import type { ScanVerdict } from './scanner.ts';

/** A document to scan; `attempt` counts the attempts since the last verdict, including this one. */
export type ScanJob = { readonly id: DocumentId; readonly attempt: number };

/** When the next document is due for the scanner; undefined when none is. */
export async function nextScanDue(read: Read): Promise<number | undefined> {
  const [row] = await read('select min(scan_due_at) as due from document where scan_due_at is not null');
  return typeof row?.['due'] === 'number' ? row['due'] : undefined;
}

/** Claims due documents until `until`; if the process dies, they are due again then. */
export function claimScans({ now, until, limit }: { now: number; until: number; limit: number }): Statement {
  return {
    sql: `update document set scan_due_at = $2, scan_attempts = scan_attempts + 1
      where scan_due_at <= $1 and id in (select id from document where scan_due_at <= $1 order by scan_due_at, id limit $3)
      returning id, scan_attempts`,
    args: [now, until, limit],
  };
}

/** The job of a row of `claimScans`. */
export function scanJobOf(row: Row): ScanJob {
  return { id: idField(row, 'id', 'document'), attempt: integerField(row, 'scan_attempts') };
}

/** Stores the verdict and the new status; refused (`rows`) if the status has changed. */
export function recordVerdict(
  { id, status: from }: SealedDocument,
  to: SealedDocument['status'],
  { verdict, now }: { readonly verdict: ScanVerdict; readonly now: number },
): Statement {
  const finding = 'finding' in verdict ? verdict.finding : null;
  return {
    sql: `update document set status = $3, scan_due_at = null, scan_attempts = 0, scanned_at = $4, scan_verdict = $5, scan_engine = $6, scan_finding = $7
      where id = $1 and status = $2 returning id`,
    args: [id, from, to, now, verdict.verdict, verdict.engine, finding],
    rows: 1,
  };
}

/** Postpones a scan. `countsAttempt` false undoes the attempt, for a fault that the document did not cause. */
export function postponeScan(id: DocumentId, dueAt: number, countsAttempt: boolean): Statement {
  return {
    sql: 'update document set scan_due_at = $2, scan_attempts = case when $3 or scan_attempts = 0 then scan_attempts else scan_attempts - 1 end where id = $1 and scan_due_at is not null returning id',
    args: [id, dueAt, countsAttempt],
  };
}

/** Removes a withdrawn or erased document from the queue. */
export function unqueueScan(id: DocumentId): Statement {
  return { sql: 'update document set scan_due_at = null, scan_attempts = 0 where id = $1 returning id', args: [id] };
}

/**
 * Queues available documents for another scan: those last scanned before `before` and from `since` on, by another engine than
 * `engine` (undefined: any). With `quarantined`, quarantined documents return to `scanning` too.
 */
export function queueRescans(selection: {
  readonly now: number;
  readonly since?: number;
  readonly before: number;
  readonly engine: string | undefined;
  readonly quarantined: boolean;
  readonly limit: number;
}): Statement {
  const { now, since = 0, before, engine, quarantined, limit } = selection;
  return {
    sql: `update document set scan_due_at = $1, status = case when status = 'quarantined' then 'scanning' else status end
      where scan_due_at is null and status in ('available', 'quarantined') and id in (select id from document
        where scan_due_at is null and status in ('available', 'quarantined') and (status = 'available' or $4) and coalesce(scanned_at, 0) >= $6 and coalesce(scanned_at, 0) < $2
        and coalesce(scan_engine, '') <> $3 order by coalesce(scanned_at, 0), id limit $5)
      returning id`,
    args: [now, before, engine ?? '-', quarantined, limit, since],
  };
}
