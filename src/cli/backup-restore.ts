import { existsSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { blobFolders } from '../documents/blobs/blob-store.ts';
import { anchorFile } from '../ledger/anchor.ts';
import { writeSynced } from '../ledger/synced-file.ts';
import { lockDatabase } from '../store/database-lock.ts';
import { databaseFile } from '../store/open.ts';
import { makeFolder, syncFolder } from '../store/sync-folder.ts';
import { type Copied, copyDocuments, type Listed, listDocuments } from './backup-documents.ts';
import { documentsDiffer, documentsFolder, readAnchor, takeDatabase } from './backup-folder.ts';
import { type Manifest, readProvenManifest } from './backup-manifest.ts';

export type RestoreOptions = {
  readonly folder: string;
  /** The file of the root key that the backup was made under. */
  readonly rootKeyPath: string;
  readonly onProgress: (copied: Copied) => void;
};

/**
 * Puts a backup where the settings say, into a place where nothing is, and where no server starts meanwhile. The database
 * gets its name last, so that a restoration which was cut off leaves none that a server could start with.
 */
export async function restoreBackup(
  settings: Settings,
  { folder, rootKeyPath, onProgress }: RestoreOptions,
): Promise<Manifest> {
  const manifest = await readProvenManifest(folder, rootKeyPath);
  const found = await readAnchor(folder, manifest);
  if ('differs' in found) throw new Error(found.differs);
  if (manifest.documents !== null) demandSame(await listDocuments(join(folder, documentsFolder)), manifest);
  await refuseTaken(settings, manifest);
  const { dataDir } = settings;
  await makeFolder(dataDir);
  const database = join(dataDir, databaseFile);
  using _lock = lockDatabase(database);
  // A server may have begun a database before it was locked.
  await refuseTaken(settings, manifest);
  const draft = `${database}.restoring`;
  try {
    await rm(draft, { force: true });
    const differs = await takeDatabase(folder, manifest, draft);
    if (differs !== undefined) throw new Error(differs);
    await restoreDocuments(settings, { folder, manifest, onProgress });
    await using file = await open(draft, 'r+');
    await file.sync();
  } catch (fault) {
    await rm(draft, { force: true });
    throw fault;
  }
  if (found.anchor !== undefined) await writeSynced(join(dataDir, anchorFile), found.anchor);
  await rename(draft, database);
  await syncFolder(dataDir);
  return manifest;
}

/** Refuses settings that the backup does not fit, and places in which something is. */
async function refuseTaken(settings: Settings, { documents }: Manifest): Promise<void> {
  const { databaseUrl, dataDir, documentStore } = settings;
  if (databaseUrl !== undefined) {
    throw new Error('DATABASE_URL is set, and the backup is one of SQLite: restore without it');
  }
  const database = join(dataDir, databaseFile);
  for (const path of [database, `${database}-wal`, join(dataDir, anchorFile)]) {
    if (existsSync(path)) throw new Error(`${path} is there: restore into a DATA_DIR of its own`);
  }
  const isBucket = documentStore.startsWith('s3://');
  if (documents === null && !isBucket) {
    throw new Error('the documents of this backup lie in S3, and DOCUMENT_STORE is a folder: set it to their bucket');
  }
  if (documents === null) return;
  if (isBucket) {
    throw new Error('the backup holds the documents, and DOCUMENT_STORE is a bucket: restore into a folder');
  }
  const sealed = join(documentStore, blobFolders.sealed);
  if (existsSync(sealed) && (await readdir(sealed)).length > 0) {
    throw new Error(
      `there are documents in ${documentStore}: restore into a DOCUMENT_STORE of its own. Where a restoration broke off, remove ${sealed} first`,
    );
  }
}

type Restoring = Pick<RestoreOptions, 'folder' | 'onProgress'> & { readonly manifest: Manifest };

async function restoreDocuments({ documentStore }: Settings, { folder, manifest, onProgress }: Restoring) {
  if (manifest.documents === null) return;
  demandSame(await copyDocuments(join(folder, documentsFolder), documentStore, { onProgress }), manifest);
}

function demandSame(found: Listed, manifest: Manifest): void {
  const differs = documentsDiffer(found, manifest);
  if (differs !== undefined) throw new Error(`${differs}: the database was not restored. See backup verify`);
}
