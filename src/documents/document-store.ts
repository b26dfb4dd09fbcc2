import { lookupByKey } from '../db/batch-statements.ts';
import type { Read, Row, Statement } from '../db/database.ts';
import { splitByRowCounts, textByRowCount } from '../db/multi-row-statement.ts';
import { bytesField, idField, integerField, integerOrNull, textField, textOrNull } from '../db/row-fields.ts';
import { type DocumentId, type EventId, minIdAt } from '../kernel/id.ts';
import type { DocumentGrant, DocumentReader, ScanResult, SealedDocument, StoredDocument } from './document.ts';

const columnNames =
  'id, citizen_id, issuer, status, created_at, retain_until, retention_class, erase_at, holds, sealed_record, withdrawn_at, erased_at, erasure_event, scanned_at, scan_verdict, scan_engine, scan_finding';
const columns = columnNames.replaceAll(/\w+/g, 'd.$&');

/**
 * Inserts a new document whose blob is stored. A document in `scanning` is due for the scanner at once. A hold on all documents
 * of the citizen applies to it.
 */
export function insertDocument(document: SealedDocument & { readonly status: 'scanning' | 'available' }): Statement {
  const { id, citizenId, issuer, status, createdAt, retainUntil, retentionClass, eraseAt, sealedRecord, scan } =
    document;
  return {
    sql: `insert into document (id, citizen_id, issuer, status, created_at, retain_until, retention_class, erase_at, sealed_record, scan_due_at, scanned_at, scan_verdict, holds)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce((select whole from citizen_hold where citizen_id = $2), 0))`,
    args: [
      id,
      citizenId,
      issuer,
      status,
      createdAt,
      retainUntil,
      retentionClass,
      eraseAt,
      sealedRecord,
      status === 'scanning' ? createdAt : null,
      scan?.at ?? null,
      scan?.verdict ?? null,
    ],
  };
}

/** The most grants of a document. Each access to a document reads its grants, and a list page those of a hundred documents. */
export const maxGrants = 100;

/**
 * The statements that grant access; a repeated grant for the same purpose gets the new end. Expired grants are deleted first.
 * The last statement is refused (`rows`) at `maxGrants`.
 */
export function insertGrant({ documentId, clientId, purpose, grantedAt, endsAt }: DocumentGrant): Statement[] {
  return [
    {
      sql: 'delete from document_grant where document_id = $1 and ends_at <= $2',
      args: [documentId, grantedAt],
    },
    {
      sql: `insert into document_grant (document_id, client_id, purpose, granted_at, ends_at)
        select cast($1 as text), cast($2 as text), cast($3 as text), cast($4 as bigint), cast($5 as bigint)
          where (select count(*) from document_grant g where g.document_id = $1 and (g.client_id <> $2 or g.purpose <> $3)) < ${maxGrants}
        on conflict (document_id, client_id, purpose) do update set granted_at = excluded.granted_at, ends_at = excluded.ends_at
        returning document_id`,
      args: [documentId, clientId, purpose, grantedAt, endsAt],
      rows: 1,
    },
  ];
}

/** Removes a grant; refused (`rows`) if there is none. */
export function removeGrant(documentId: DocumentId, clientId: string, purpose: string): Statement {
  return {
    sql: 'delete from document_grant where document_id = $1 and client_id = $2 and purpose = $3 returning document_id',
    args: [documentId, clientId, purpose],
    rows: 1,
  };
}

/** A stored document with all its grants, active or not. */
export type DocumentWithGrants<D extends StoredDocument = StoredDocument> = {
  readonly document: D;
  readonly grants: readonly DocumentGrant[];
};

const findDocumentRow = lookupByKey('document', 'id', columnNames);
const findGrantRows = lookupByKey(
  'document_grant',
  'document_id',
  'document_id, client_id, purpose, granted_at, ends_at',
);

/**
 * The document of an id for any caller; `accessOf` decides who may read it. Two look-ups instead of a join: concurrent requests
 * share one statement each on PostgreSQL.
 */
export async function findDocument(read: Read, id: DocumentId): Promise<DocumentWithGrants | undefined> {
  const [[row], grants] = await Promise.all([findDocumentRow(read, id), findGrantRows(read, id)]);
  if (row === undefined) return undefined;
  return { document: documentOf(row), grants: grants.map((grant) => grantOf(id, grant)).sort(byClientAndPurpose) };
}

/** Whether the event erased a document of this issuer. */
export async function isErasureOf(read: Read, event: EventId, issuer: string): Promise<boolean> {
  const sql = 'select 1 as found from document where erasure_event = $1 and issuer = $2 limit 1';
  return (await read(sql, [event, issuer])).length > 0;
}

/** A document has one grant for each client and purpose. */
function byClientAndPurpose(one: DocumentGrant, other: DocumentGrant): number {
  const isFirst = one.clientId === other.clientId ? one.purpose < other.purpose : one.clientId < other.clientId;
  return isFirst ? -1 : 1;
}

/** The filters of a page (`from` in epoch ms). */
type DocumentPage = {
  readonly status?: SealedDocument['status'] | undefined;
  /** Only documents that were deposited at this time or later. */
  readonly from?: number;
  /** Only documents older than this one. */
  readonly after: DocumentId | undefined;
  readonly limit: number;
};

/** A page of a citizen's documents, newest first: those that the reader may see at `now`. */
type DocumentListQuery = DocumentPage & {
  readonly citizenId: string;
  readonly reader: DocumentReader;
  readonly now: number;
};

/** Sorts after each document id. */
const afterAllDocumentIds = 'doc_~';

/** One page of documents with readable records, each with the grants that this reader may see, active or not. */
export async function listVisibleDocuments(
  read: Read,
  query: DocumentListQuery,
): Promise<DocumentWithGrants<SealedDocument>[]> {
  const { citizenId, reader, now, after, limit, status, from = 0 } = query;
  if ('citizen' in reader && reader.citizen !== citizenId) return [];
  const clientId = 'citizen' in reader ? null : reader.client;
  const rows = await read(
    `select ${columns} from document d where d.citizen_id = $1 and d.sealed_record is not null and d.id < $4 and (cast($2 as text) is null or d.issuer = $2 or exists (select 1 from document_grant v where v.document_id = d.id and v.client_id = $2 and v.granted_at <= $3 and (v.ends_at is null or v.ends_at > $3)))
      and (cast($6 as text) is null or d.status = $6) and d.created_at >= $7 order by d.id desc limit $5`,
    [citizenId, clientId, now, after ?? afterAllDocumentIds, limit, status ?? null, from],
  );
  return await withGrants(read, rows, clientId);
}

/** An id contains the time of the process that created it, and the clocks of processes differ. */
const clockSkewMs = 3_600_000;

const depositsIn = (status: string) => `select * from (select id from document
  where issuer = $1 and status = '${status}' and id < $2 and id > $3 and created_at >= $4
  order by id desc limit $5) of_a_status`;
const depositPage = (...statuses: readonly SealedDocument['status'][]) =>
  `select ${columns} from document d where d.id in (
    select id from (${statuses.map(depositsIn).join(' union all ')}) newest order by id desc limit $5)
    and d.sealed_record is not null order by d.id desc`;
/** For all statuses, the union of the newest of each: one index serves both lists. */
const depositsInAnyStatus = depositPage('scanning', 'available', 'quarantined', 'withdrawn');

/** One page of the documents that a client deposited, for all citizens, newest first, with all their grants. */
export async function listDeposits(
  read: Read,
  { issuer, status, from = 0, after, limit }: DocumentPage & { readonly issuer: string },
): Promise<DocumentWithGrants<SealedDocument>[]> {
  const oldest = minIdAt('document', Math.max(0, from - clockSkewMs));
  const sql = status === undefined ? depositsInAnyStatus : depositPage(status);
  const rows = await read(sql, [issuer, after ?? afterAllDocumentIds, oldest, from, limit], { plan: 'custom' });
  return await withGrants(read, rows, issuer);
}

async function withGrants(
  read: Read,
  rows: readonly Row[],
  clientId: string | null,
): Promise<DocumentWithGrants<SealedDocument>[]> {
  const documents = rows.map(documentOf);
  const grants = await grantsOn(read, documents, clientId);
  return documents.flatMap((document) =>
    'sealedRecord' in document ? [{ document, grants: grants.get(document.id) ?? [] }] : [],
  );
}

const placeholders = (count: number, from: number) =>
  Array.from({ length: count }, (_, at) => `$${at + from}`).join(', ');
const grantColumns = 'document_id, client_id, purpose, granted_at, ends_at';
const selectAllGrants = textByRowCount(
  (count) => `select ${grantColumns} from document_grant where document_id in (${placeholders(count, 1)})`,
);
const selectOwnGrants = textByRowCount(
  (count) =>
    `select ${grantColumns} from document_grant where client_id = $1 and document_id in (${placeholders(count, 2)})`,
);

/**
 * The grants on these documents. The citizen (`clientId` null) and the issuer see all of them, another client its own. Separate
 * from the documents: a join would repeat the sealed record with each grant.
 */
async function grantsOn(
  read: Read,
  documents: readonly StoredDocument[],
  clientId: string | null,
): Promise<ReadonlyMap<DocumentId, readonly DocumentGrant[]>> {
  const seesAll = ({ issuer }: StoredDocument) => clientId === null || issuer === clientId;
  const idsOf = (some: readonly StoredDocument[]) => splitByRowCounts(some.map(({ id }) => id));
  const rows: Row[] = [];
  for (const ids of idsOf(documents.filter(seesAll))) rows.push(...(await read(selectAllGrants(ids.length), ids)));
  for (const ids of idsOf(documents.filter((document) => !seesAll(document))))
    rows.push(...(await read(selectOwnGrants(ids.length), [clientId, ...ids])));
  const grants = rows.map((row) => grantOf(idField(row, 'document_id', 'document'), row)).sort(byClientAndPurpose);
  return Map.groupBy(grants, ({ documentId }) => documentId);
}

/** The owner of a blob: a document that needs it, an erased document, or no row. */
export type BlobOwner = 'held' | 'erased' | 'none';

const selectOwners = textByRowCount(
  (count) => `select id, status from document where id in (${placeholders(count, 1)})`,
);

/** Some of the newest documents that must have blobs. Erased documents have none. */
export async function newestStoredDocumentIds(read: Read): Promise<readonly string[]> {
  const rows = await read('select id, status from document order by id desc limit 100');
  const stored = rows.filter(({ status }) => status !== 'erased');
  return stored.slice(0, 20).map((row) => textField(row, 'id'));
}

/** The owners of these blobs; a name that is missing in the result has no row. */
export async function blobOwnersOf(read: Read, names: readonly string[]): Promise<ReadonlyMap<string, BlobOwner>> {
  const owners = new Map<string, BlobOwner>();
  for (const part of splitByRowCounts(names)) {
    for (const row of await read(selectOwners(part.length), part)) {
      owners.set(textField(row, 'id'), row['status'] === 'erased' ? 'erased' : 'held');
    }
  }
  return owners;
}

function grantOf(documentId: DocumentId, row: Row): DocumentGrant {
  return {
    documentId,
    clientId: textField(row, 'client_id'),
    purpose: textField(row, 'purpose'),
    grantedAt: integerField(row, 'granted_at'),
    endsAt: integerOrNull(row, 'ends_at'),
  };
}

/** Converts a row; the checks of the table guarantee the columns of each state. */
function documentOf(row: Row): StoredDocument {
  const head = {
    id: idField(row, 'id', 'document'),
    citizenId: textField(row, 'citizen_id'),
    issuer: textField(row, 'issuer'),
    createdAt: integerField(row, 'created_at'),
    retainUntil: integerOrNull(row, 'retain_until'),
    retentionClass: textOrNull(row, 'retention_class'),
    eraseAt: integerOrNull(row, 'erase_at'),
    held: integerField(row, 'holds') > 0,
    scan: scanOf(row),
  };
  const status = row['status'];
  if (status === 'erased') {
    return { ...head, status, erasedAt: integerField(row, 'erased_at'), proof: row['erasure_event'] as EventId };
  }
  const sealedRecord = bytesField(row, 'sealed_record');
  if (status === 'withdrawn') {
    return { ...head, status, withdrawnAt: integerField(row, 'withdrawn_at'), sealedRecord };
  }
  if (status === 'scanning' || status === 'available' || status === 'quarantined') {
    return { ...head, status, sealedRecord };
  }
  throw new TypeError(`document ${head.id} has an unknown status`);
}

function scanOf(row: Row): ScanResult | null {
  const [verdict, at] = [row['scan_verdict'], integerOrNull(row, 'scanned_at')];
  if (verdict === null || at === null) return null;
  // A check of the table restricts the verdicts.
  return {
    verdict: verdict as ScanResult['verdict'],
    at,
    engine: textOrNull(row, 'scan_engine'),
    finding: textOrNull(row, 'scan_finding'),
  };
}
