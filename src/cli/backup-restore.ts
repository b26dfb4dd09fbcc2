import { existsSync } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { databaseFile, restoringFile } from '../db/open-database.ts';
import { lockDatabase } from '../db/sqlite/database-lock.ts';
import { createSyncedFolder, syncFolder } from '../db/sync-folder.ts';
import { blobFolders } from '../documents/blobs/blob-store.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { sha256 } from '../kernel/hashing.ts';
import { anchorFileName } from '../ledger/anchor.ts';
import { replaceFileSynced } from '../ledger/replace-file-synced.ts';
import { type BackupProgress, copyDocuments, type DocumentListing, listBackupDocuments } from './backup-documents.ts';
import { documentsDifference, documentsFolder, extractDatabase, readBackupAnchor } from './backup-folder.ts';
import { type BackupManifest, readVerifiedManifest } from './backup-manifest.ts';

type OnProgress = (at: BackupProgress) => void;

export type RestoreBackupOptions = {
  readonly folder: string;
  /** The file of the root key that the backup was made under. */
  readonly rootKeyPath: string;
  readonly onProgress: OnProgress;
};

/**
 * Puts a backup where the settings say, into a place where nothing is, and where no server starts meanwhile. The database
 * gets its name last, so that a restoration which was cut off leaves none that a server could start with; run again, it goes
 * on with what it left.
 */
export async function restoreBackup(settings: Settings, options: RestoreBackupOptions): Promise<BackupManifest> {
  const { folder, rootKeyPath, onProgress } = options;
  const manifest = await readVerifiedManifest(folder, rootKeyPath);
  const found = await readBackupAnchor(folder, manifest);
  if ('differs' in found) throw new Error(found.differs);
  if (manifest.documents !== null)
    requireSameDocuments(await listBackupDocuments(join(folder, documentsFolder)), manifest);
  const restoration: Restoration = {
    settings,
    folder,
    manifest,
    anchor: found.anchor,
    claim: claimPath(settings, manifest),
  };
  await refuseOccupied(restoration);
  const { dataDir } = settings;
  await createSyncedFolder(dataDir);
  const database = join(dataDir, databaseFile);
  using _lock = lockDatabase(database);
  // A server may have begun a database before it was locked.
  await refuseOccupied(restoration);
  const draft = join(dataDir, restoringFile);
  try {
    await rm(draft, { force: true });
    onProgress('the database');
    const differs = await extractDatabase(folder, manifest, { to: draft });
    if (differs !== undefined) throw new Error(differs);
    await restoreDocuments(restoration, onProgress);
    await using file = await open(draft, 'r+');
    await file.sync();
  } catch (fault) {
    await rm(draft, { force: true });
    throw fault;
  }
  if (found.anchor !== undefined) await replaceFileSynced(join(dataDir, anchorFileName), found.anchor);
  await rename(draft, database);
  await syncFolder(dataDir);
  if (manifest.documents !== null) await rm(restoration.claim, { recursive: true });
  return manifest;
}

type Restoration = {
  readonly settings: Settings;
  readonly folder: string;
  readonly manifest: BackupManifest;
  readonly anchor: string | undefined;
  /** A folder in `DOCUMENT_STORE`, made while no document was there: what is there by then is of this restoration. */
  readonly claim: string;
};

const claimPrefix = 'restoring-';

/** Another one for each backup and each `DATA_DIR`, of which a lock keeps a second restoration out. */
function claimPath({ dataDir, documentStore }: Settings, manifest: BackupManifest): string {
  const whose = sha256(Buffer.from(canonicalJson([manifest, resolve(dataDir)])));
  return join(documentStore, `${claimPrefix}${whose.toString('hex', 0, 16)}`);
}

/** Refuses settings that the backup does not fit, and places in which something is that this restoration has not put there. */
async function refuseOccupied(restoring: Restoration): Promise<void> {
  const { databaseUrl, dataDir, documentStore } = restoring.settings;
  if (databaseUrl !== undefined) {
    throw new Error('DATABASE_URL is set, and the backup is one of SQLite: restore without it');
  }
  const database = join(dataDir, databaseFile);
  const anchor = join(dataDir, anchorFileName);
  const isKept = existsSync(anchor) && (await readFile(anchor, 'utf8')) !== restoring.anchor;
  for (const path of [database, `${database}-wal`, `${database}-journal`, ...(isKept ? [anchor] : [])]) {
    if (existsSync(path)) throw new Error(`${path} is there: restore into a DATA_DIR of its own`);
  }
  const isBucket = documentStore.startsWith('s3://');
  if (restoring.manifest.documents === null) {
    if (isBucket) return;
    throw new Error('the documents of this backup lie in S3, and DOCUMENT_STORE is a folder: set it to their bucket');
  }
  if (isBucket) {
    throw new Error('the backup holds the documents, and DOCUMENT_STORE is a bucket: restore into a folder');
  }
  await refuseDocuments(restoring);
}

async function refuseDocuments({ settings: { documentStore }, claim }: Restoration): Promise<void> {
  const sealed = join(documentStore, blobFolders.sealed);
  const there = existsSync(documentStore) ? await readdir(documentStore) : [];
  const other = there.find((name) => name.startsWith(claimPrefix) && name !== basename(claim));
  if (other !== undefined) {
    throw new Error(
      `a restoration of another backup, or into another DATA_DIR, broke off in ${documentStore}: run that one again, or remove ${join(documentStore, other)} and ${sealed}`,
    );
  }
  if (!existsSync(claim) && existsSync(sealed) && (await readdir(sealed)).length > 0) {
    throw new Error(`there are documents in ${documentStore}: restore into a DOCUMENT_STORE of its own`);
  }
}

async function restoreDocuments({ settings, folder, manifest, claim }: Restoration, onProgress: OnProgress) {
  if (manifest.documents === null) return;
  const { documentStore } = settings;
  await createSyncedFolder(claim);
  for (const left of await readdir(claim)) await rm(join(claim, left));
  const copied = await copyDocuments(join(folder, documentsFolder), documentStore, { drafts: claim, onProgress });
  requireSameDocuments(copied, manifest);
  if ((await listBackupDocuments(documentStore)).sha256 === copied.sha256) return;
  throw new Error(
    `there are documents in ${documentStore} that the backup has not: take them away, or restore elsewhere`,
  );
}

function requireSameDocuments(found: DocumentListing, manifest: BackupManifest): void {
  const differs = documentsDifference(found, manifest);
  if (differs !== undefined) throw new Error(`${differs}: the database was not restored. See backup verify`);
}
