import { existsSync } from 'node:fs';
import { constants, copyFile, mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { blobFolders } from '../documents/blobs/blob-store.ts';
import { anchorFile } from '../ledger/anchor.ts';
import { readIfThere, writeSynced } from '../ledger/synced-file.ts';
import { databaseFile } from '../store/open.ts';
import { syncFolder } from '../store/sync-folder.ts';
import { type Copied, copyDocuments } from './backup-documents.ts';
import { databaseFault, documentsFolder, type Manifest, readManifest } from './backup-folder.ts';

/**
 * Puts a backup where the settings say, into a place where nothing is. The database comes last, so that a restoration which
 * was cut off leaves none that a server could start with.
 */
export async function restoreBackup(
  settings: Settings,
  folder: string,
  onProgress: (copied: Copied) => void,
): Promise<Manifest> {
  const { databaseUrl, dataDir, documentStore } = settings;
  if (databaseUrl !== undefined) {
    throw new Error('DATABASE_URL is set, and the backup is one of SQLite: restore without it');
  }
  const manifest = await readManifest(folder);
  const database = join(dataDir, databaseFile);
  for (const path of [database, `${database}-wal`, join(dataDir, anchorFile)]) {
    if (existsSync(path)) throw new Error(`${path} is there: restore into a DATA_DIR of its own`);
  }
  const inFolder = manifest.documents !== null;
  if (inFolder && documentStore.startsWith('s3://')) {
    throw new Error('the backup holds the documents, and DOCUMENT_STORE is a bucket: restore into a folder');
  }
  const sealed = join(documentStore, blobFolders.sealed);
  if (inFolder && existsSync(sealed) && !(await isEmpty(sealed))) {
    throw new Error(`there are documents in ${documentStore}: restore into a DOCUMENT_STORE of its own`);
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (inFolder) await copyDocuments(join(folder, documentsFolder), documentStore, { onProgress });
  const anchor = await readIfThere(join(folder, anchorFile));
  const draft = `${database}.restoring`;
  await copyFile(join(folder, databaseFile), draft, constants.COPYFILE_FICLONE);
  const differs = await databaseFault(manifest, draft);
  if (differs !== undefined) throw new Error(differs);
  {
    await using file = await open(draft, 'r+');
    await file.chmod(0o600);
    await file.sync();
  }
  if (anchor !== undefined) await writeSynced(join(dataDir, anchorFile), anchor.toString());
  await rename(draft, database);
  await syncFolder(dataDir);
  return manifest;
}

async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder)).length === 0;
}
