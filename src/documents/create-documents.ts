import type { Log } from '../api/log.ts';
import { bindOperation, type Operation } from '../api/operation.ts';
import type { Slice, SliceDeps } from '../api/slice.ts';
import { type SigningKey, signBytes } from '../crypto/signing-key.ts';
import type { DocumentId, EventId } from '../kernel/id.ts';
import { depositDocument } from './deposit-document.ts';
import { accessOf } from './document.ts';
import { startDocumentJobs, startScanQueueMonitor } from './document-jobs.ts';
import { findDocument, isErasureOf } from './document-store.ts';
import { endGrant } from './end-grant.ts';
import { grantDocument } from './grant-document.ts';
import { listDocumentRecords } from './list-documents.ts';
import { openServerBlobs, reportMissingDocuments } from './open-blobs.ts';
import { type DocumentFile, findOwnDocument, findOwnFile, type OwnDocument } from './own-document.ts';
import { DocumentAlarmRaised, type DocumentPorts } from './ports.ts';
import { readDocumentRecord } from './read-document-record.ts';
import { retrieveDocument } from './retrieve-document.ts';
import { unsealRecord } from './sealed-record.ts';
import { withdrawDocument } from './withdraw-document.ts';

type DocumentsDeps = SliceDeps &
  Pick<DocumentPorts, 'citizenExists' | 'granteeOf'> & {
    /** The published key that signs responses, if the operator enabled signatures. */
    readonly responseKey: () => SigningKey;
  };

type DocumentsSlice = Slice & {
  /** The title of an available document of that citizen, if that client may read it now. */
  attachmentTitle(
    id: DocumentId,
    reader: { readonly clientId: string; readonly citizenId: string; readonly now: number },
  ): Promise<string | undefined>;
  isErasureOf(event: EventId, clientId: string): Promise<boolean>;
  /** A document for the access log of its citizen. */
  ownDocumentOf(id: string, citizenId: string): Promise<OwnDocument>;
  /** The format and size of a document that its citizen can open now. */
  ownFileOf(id: string, citizenId: string): Promise<DocumentFile | undefined>;
};

/** Creates the documents slice: deposit, retrieval, lists, grants, scan, retention. */
export async function createDocuments(deps: DocumentsDeps): Promise<DocumentsSlice> {
  const { settings, root, random, citizenKeys, log, responseKey } = deps;
  const ports: DocumentPorts = {
    blobs: await openServerBlobs(deps),
    citizenKeys,
    random,
    etagKey: root.derive('document-etag'),
    alarm: createDocumentAlarm(log),
    citizenExists: deps.citizenExists,
    citizensHaveKeys: settings.registerUrl === undefined,
    granteeOf: deps.granteeOf,
    signer: settings.signDocuments
      ? () => {
          const key = responseKey();
          return { keyId: key.kid, sign: (base) => signBytes(key, Buffer.from(base)) };
        }
      : undefined,
    scans: settings.clamav !== 'off',
    limit: settings.documentLimit,
  };
  const operations: readonly Operation<DocumentPorts>[] = [
    depositDocument,
    retrieveDocument,
    readDocumentRecord,
    listDocumentRecords,
    withdrawDocument,
    grantDocument,
    endGrant,
  ];
  return {
    operations: operations.map((operation) => bindOperation(operation, ports)),
    jobs: [
      { name: 'documents', wakeOn: ['document.deposited'], start: () => startDocumentJobs(deps, ports) },
      { name: 'scan-queue', start: () => startScanQueueMonitor(deps) },
    ],
    registerMetrics: () => undefined,
    checks: [{ run: () => reportMissingDocuments(deps) }],
    attachmentTitle: createAttachmentTitle(deps),
    isErasureOf: (event, clientId) => isErasureOf(deps.db.read, event, clientId),
    ownDocumentOf: (id, citizenId) => findOwnDocument({ ...ports, read: deps.db.read }, id, citizenId),
    ownFileOf: (id, citizenId) => findOwnFile({ ...ports, read: deps.db.read }, id, citizenId),
  };
}

/** Creates the alarm for missing or changed documents: a fault in the log, which the metrics count. */
export function createDocumentAlarm(log: Pick<Log, 'fault'>): DocumentPorts['alarm'] {
  return (kind, document) => log.fault(kind, new DocumentAlarmRaised(`${kind}: ${document}`));
}

function createAttachmentTitle({
  db,
  citizenKeys,
}: Pick<DocumentsDeps, 'db' | 'citizenKeys'>): DocumentsSlice['attachmentTitle'] {
  return async (id, { clientId, citizenId, now }) => {
    const found = await findDocument(db.read, id);
    if (found === undefined || found.document.citizenId !== citizenId) return undefined;
    const { document, grants } = found;
    if (document.status !== 'available' || accessOf(document, grants, { client: clientId }, now) === undefined)
      return undefined;
    const { issuer, createdAt, sealedRecord } = document;
    const binding = { id, pseudonym: citizenKeys.pseudonymOf(citizenId), issuer, createdAt };
    return unsealRecord(await citizenKeys.keyOf(citizenId), binding, sealedRecord).title;
  };
}
