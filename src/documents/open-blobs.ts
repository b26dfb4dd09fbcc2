import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../api/log.ts';
import type { SliceDeps } from '../api/slice.ts';
import { defaultDocumentStore, openFolderOfSetting, SettingError, type Settings } from '../config/settings.ts';
import type { Read } from '../db/database.ts';
import { type BlobStore, BlobsUnavailable } from './blobs/blob-store.ts';
import { type FolderBlobOptions, openFolderBlobs } from './blobs/folder-blobs.ts';
import { newestStoredDocumentIds } from './document-store.ts';

type BlobDeps = Pick<SliceDeps, 'settings'> & { readonly log: Pick<Log, 'fault'> };

/** Opens the folder or bucket in `DOCUMENT_STORE`. A missing folder is created if `isOwnFolder` accepts it. */
export async function openBlobs(
  { settings, log }: BlobDeps,
  options: Pick<FolderBlobOptions, 'isOwnFolder' | 'isReadOnly'> = {},
): Promise<BlobStore> {
  const { documentStore, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = settings;
  const onFault = (cause: unknown) =>
    log.fault('documents', new BlobsUnavailable('the document storage does not respond', { cause }));
  if (!isBucket(settings)) {
    const name = documentStore === defaultDocumentStore(settings) ? 'DATA_DIR' : 'DOCUMENT_STORE';
    return await openFolderOfSetting(name, () => openFolderBlobs(documentStore, { onFault, ...options }));
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new SettingError('DOCUMENT_STORE', 'an S3 bucket requires S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY');
  }
  // The S3 client takes a quarter of a second to load.
  const { openS3Blobs } = await import('./blobs/s3-blobs.ts');
  return openS3Blobs({ ...parseS3Location(documentStore), accessKeyId, secretAccessKey }, { onFault });
}

/** For commands and checks that only read: nothing is created or stored. */
export const readOnlyBlobs = { isReadOnly: true } as const;

/** Opens the store for a server. It stores nothing in a folder without the documents on record: the disk may not be mounted. */
export async function openServerBlobs({ settings, db, log }: BlobDeps & Pick<SliceDeps, 'db'>): Promise<BlobStore> {
  if (isBucket(settings)) return await openBlobs({ settings, log });
  const readOnlyStore = await openBlobs({ settings, log }, readOnlyBlobs);
  const isOwnFolder = async () => (await findMissingDocuments(settings, db.read, readOnlyStore)) === undefined;
  return await openBlobs({ settings, log }, { isOwnFolder });
}

const isBucket = ({ documentStore }: Pick<Settings, 'documentStore'>) => documentStore.startsWith('s3://');

/** The bucket in `DOCUMENT_STORE`; the settings have checked its form. */
function parseS3Location(setting: string) {
  const url = new URL(setting);
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    bucket: url.host,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region: url.searchParams.get('region') ?? '',
    endpoint: url.searchParams.get('endpoint') ?? undefined,
  };
}

/** The operator creates this file in the folder when the documents on record are lost and new ones may be stored. */
const startEmptyFile = 'begin-anew';

/** A fault if the store has none of the newest documents on record: it is another store, or is not mounted. */
export async function findMissingDocuments(
  { documentStore }: Pick<Settings, 'documentStore'>,
  read: Read,
  blobs: Pick<BlobStore, 'has'>,
): Promise<string | undefined> {
  const newest = await newestStoredDocumentIds(read);
  if (newest.length === 0 || existsSync(join(documentStore, startEmptyFile))) return undefined;
  for (const name of newest) if (await blobs.has(name)) return undefined;
  return `the database has documents, but ${documentStore.replace(/\?.*/, '')} has none of the newest`;
}

/** How the operator fixes that, for `doctor` and the log. */
export const missingDocumentsFix =
  'check that DOCUMENT_STORE is their folder or bucket, and that it is mounted; if they are lost, see docs/operate/troubleshooting.md#documents';

/**
 * Reports missing documents to the log. The server starts nevertheless, because other requests need no document. The start does
 * not wait for a bucket.
 */
export async function reportMissingDocuments(deps: BlobDeps & Pick<SliceDeps, 'db'>): Promise<void> {
  const { settings, db, log } = deps;
  const look = async () => {
    await createDocumentsCheck(deps)();
    if (!isBucket(settings)) return;
    const missing = await findMissingDocuments(settings, db.read, await openBlobs(deps, readOnlyBlobs));
    if (missing !== undefined) log.fault('documents', new BlobsUnavailable(`${missing}: ${missingDocumentsFix}`));
  };
  const checking = look().catch((fault: unknown) => {
    if (!isBucket(settings) && !(fault instanceof BlobsUnavailable)) throw fault;
    log.fault('documents', fault);
  });
  if (!isBucket(settings)) await checking;
}

/** Creates a check that rejects if the folder lacks the documents on record, or if the bucket cannot be listed. */
export function createDocumentsCheck({ settings, db }: Pick<SliceDeps, 'settings' | 'db'>): () => Promise<void> {
  let opened: Promise<BlobStore> | undefined;
  return async () => {
    opened ??= openBlobs({ settings, log: { fault: () => undefined } }, readOnlyBlobs);
    const blobs = await opened;
    if (isBucket(settings)) {
      for await (const _blob of blobs.list()) break;
      return;
    }
    const missing = await findMissingDocuments(settings, db.read, blobs);
    if (missing !== undefined) throw new BlobsUnavailable(`${missing}: ${missingDocumentsFix}`);
  };
}
