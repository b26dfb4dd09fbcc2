import { createHash } from 'node:crypto';
import { SealBroken } from '../crypto/chunked-encryption.ts';
import type { Read } from '../db/database.ts';
import { parseId } from '../kernel/id.ts';
import { BlobBroken } from './blobs/blob-store.ts';
import { listBlobsWithOwners } from './blobs/list-blobs-with-owners.ts';
import type { SealedDocument } from './document.ts';
import { findDocument } from './document-store.ts';
import { fullRange, openBytesInAnyState, openDocumentContent, undefinedIfInvalid } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';

/** A fault that `documents verify` found. It repairs nothing. */
export type DocumentFinding = {
  /** The id of the document, or the name of a blob without an owner. */
  readonly id: string;
  readonly fault:
    | 'record-broken'
    | 'blob-missing'
    | 'bytes-broken'
    | 'digest-differs'
    | 'waits-for-no-scan'
    | 'orphan-blob'
    | 'erased-blob-left'
    | 'grant-on-erased'
    | 'holds-miscounted';
  readonly detail: string;
};

type VerifyDocumentsDeps = {
  readonly read: Read;
  readonly ports: Pick<DocumentPorts, 'blobs' | 'citizenKeys'>;
  /** Called for each finding, and after each page with the totals. */
  readonly onFinding: (finding: DocumentFinding) => void;
  readonly onProgress: (documents: number, bytes: number) => void;
  /** Awaited before each document and blob; the run ends if it rejects. */
  readonly beforeEach?: () => Promise<void>;
  /** Ignores blobs stored from that instant on (epoch ms): their row may not be written yet. */
  readonly before: number;
  /** False: compares records and blobs, without reading all bytes. */
  readonly readBytes: boolean;
};

/** The totals of a run: documents, bytes read, and findings. */
export type DocumentVerification = { readonly documents: number; readonly bytes: number; readonly findings: number };

/** An upload that is older than this has its row, or never gets one. */
export const rowDeadlineMs = 60_000;
const pageSize = 200;
/** The most documents at a time: each waits for several responses of a remote store. */
const documentsAtOnce = 8;

/** Reads every record, every document to its last byte, and the list of blobs, and reports all faults. */
export async function verifyDocuments(deps: VerifyDocumentsDeps): Promise<DocumentVerification> {
  let [documents, bytes, findings] = [0, 0, 0];
  const countingDeps: VerifyDocumentsDeps = {
    ...deps,
    onFinding: (finding) => {
      findings += 1;
      deps.onFinding(finding);
    },
  };
  for (let after = ''; ; ) {
    const rows = await countingDeps.read('select id from document where id > $1 order by id limit $2', [
      after,
      pageSize,
    ]);
    for (let at = 0; at < rows.length; at += documentsAtOnce) {
      const checks = rows.slice(at, at + documentsAtOnce).map((row) => verifyRow(countingDeps, String(row['id'])));
      // Waits for all checks before the first fault ends the run: the caller may then close the stores.
      await Promise.allSettled(checks);
      for (const check of checks) {
        const { size, finding } = await check;
        if (finding !== undefined) countingDeps.onFinding(finding);
        bytes += size;
        documents += 1;
      }
    }
    countingDeps.onProgress(documents, bytes);
    const last = rows.at(-1)?.['id'];
    if (last === undefined) break;
    await verifyRows(countingDeps, [after, String(last)]);
    if (rows.length < pageSize) break;
    after = String(last);
  }
  await verifyBlobs(countingDeps);
  return { documents, bytes, findings };
}

type CheckedDocument = { readonly size: number; readonly finding?: DocumentFinding };

async function verifyRow(deps: VerifyDocumentsDeps, text: string): Promise<CheckedDocument> {
  await deps.beforeEach?.();
  const id = parseId('document', text);
  const found = id === undefined ? undefined : (await findDocument(deps.read, id))?.document;
  return found !== undefined && 'sealedRecord' in found ? await verifyDocument(deps, found) : { size: 0 };
}

async function verifyDocument(deps: VerifyDocumentsDeps, document: SealedDocument): Promise<CheckedDocument> {
  const { id } = document;
  const ports = { ...deps.ports, alarm: () => undefined };
  const content = await openDocumentContent(ports, document).catch(undefinedIfInvalid);
  if (content === undefined) {
    const detail = 'the record cannot be decrypted: it was changed, or its key is missing';
    return { size: 0, finding: { id, fault: 'record-broken', detail } };
  }
  // Without the bytes, only the end is read: enough to know that the blob exists with its length.
  const range = deps.readBytes ? fullRange(content) : { first: content.size, last: content.size - 1 };
  const hash = createHash('sha256');
  try {
    for await (const piece of openBytesInAnyState(ports, { document, content }, range)) hash.update(piece);
  } catch (fault) {
    if (fault instanceof BlobBroken) return { size: 0, finding: { id, fault: 'blob-missing', detail: fault.message } };
    const detail = 'a chunk was changed: its authentication tag is wrong';
    if (fault instanceof SealBroken) return { size: 0, finding: { id, fault: 'bytes-broken', detail } };
    throw fault;
  }
  if (!deps.readBytes) return { size: 0 };
  if (hash.digest().equals(Buffer.from(content.sha256))) return { size: content.size };
  const detail = 'the bytes do not have the SHA-256 in the database';
  return { size: content.size, finding: { id, fault: 'digest-differs', detail } };
}

/** Compares the rows of one page. One statement over all rows would block a running server. */
async function verifyRows(
  { read, onFinding }: VerifyDocumentsDeps,
  page: readonly [after: string, last: string],
): Promise<void> {
  const report = async (fault: DocumentFinding['fault'], detail: string, sql: string) => {
    for (const { id } of await read(sql, page)) onFinding({ id: String(id), fault, detail });
  };
  await report(
    'waits-for-no-scan',
    'in the status scanning, but not queued for the scanner',
    "select id from document where id > $1 and id <= $2 and status = 'scanning' and scan_due_at is null order by id",
  );
  await report(
    'grant-on-erased',
    'erased, but has a grant',
    "select d.id from document d where d.id > $1 and d.id <= $2 and d.status = 'erased' and exists (select 1 from document_grant g where g.document_id = d.id) order by d.id",
  );
  await report(
    'holds-miscounted',
    'the stored number of its holds is wrong',
    "select d.id from document d where d.id > $1 and d.id <= $2 and d.status <> 'erased' and d.holds < (select count(*) from document_hold h where h.released_at is null and h.document_id = d.id) order by d.id",
  );
}

/** Each blob must belong to a document that is not erased. */
async function verifyBlobs({ read, ports, onFinding, before, beforeEach }: VerifyDocumentsDeps): Promise<void> {
  for await (const { name, owner } of listBlobsWithOwners({ blobs: ports.blobs, read }, before)) {
    await beforeEach?.();
    if (owner === 'held') continue;
    const erased = owner === 'erased';
    const detail = erased ? 'its document is erased; the next sweep removes it' : 'no document owns it';
    onFinding({ id: name, fault: erased ? 'erased-blob-left' : 'orphan-blob', detail });
  }
}
