import { existsSync } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { databaseFile, restoringFile } from '../db/open-database.ts';
import { openReadOnly } from '../db/open-read-only.ts';
import { lockDatabase } from '../db/sqlite/database-lock.ts';
import { createSyncedFolder, syncFolder } from '../db/sync-folder.ts';
import { blobFolders } from '../documents/blobs/blob-store.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { sha256 } from '../kernel/hashing.ts';
import { anchorFileName } from '../ledger/anchor.ts';
import { erasedListFileName, erasuresMissingIn, openErasedList, readErasures } from '../ledger/erased-list.ts';
import { replaceFileSynced } from '../ledger/replace-file-synced.ts';
import { type BackupProgress, copyDocuments, type DocumentListing, listBackupDocuments } from './backup-documents.ts';
import { documentsDifference, documentsFolder, extractDatabase, readBackupAnchor } from './backup-folder.ts';
import { type BackupManifest, readVerifiedManifest } from './backup-manifest.ts';
import { CommandFailed } from './command.ts';

type OnProgress = (progress: BackupProgress) => void;

type RestoreBackupOptions = {
  readonly folder: string;
  readonly rootKeyPath: string;
  readonly onProgress: OnProgress;
};

/**
 * Restores a backup into an empty DATA_DIR and DOCUMENT_STORE. The lock of the database prevents the start of a server. The
 * database is renamed to its name last: after a crash no server can start with an incomplete restore, and the same command
 * continues it.
 */
export async function restoreBackup(settings: Settings, options: RestoreBackupOptions): Promise<RestoredBackup> {
  const { folder, rootKeyPath, onProgress } = options;
  const manifest = await readVerifiedManifest(folder, rootKeyPath);
  const anchorResult = await readBackupAnchor(folder, manifest);
  if ('differs' in anchorResult) throw new CommandFailed(anchorResult.differs);
  if (manifest.documents !== null)
    requireSameDocuments(await listBackupDocuments(join(folder, documentsFolder)), manifest);
  const restoration: Restoration = {
    settings,
    folder,
    manifest,
    anchor: anchorResult.anchor,
    claim: claimPath(settings, manifest),
  };
  await refuseOccupied(restoration);
  const { dataDir } = settings;
  await createSyncedFolder(dataDir);
  const database = join(dataDir, databaseFile);
  using _lock = lockDatabase(database);
  // A server may have created a database before the lock was taken.
  await refuseOccupied(restoration);
  const draft = join(dataDir, restoringFile);
  try {
    await rm(draft, { force: true });
    onProgress('the database');
    const differs = await extractDatabase(folder, manifest, { to: draft });
    if (differs !== undefined) throw new CommandFailed(differs);
    await restoreDocuments(restoration, onProgress);
    await using file = await open(draft, 'r+');
    await file.sync();
  } catch (fault) {
    await rm(draft, { force: true });
    throw fault;
  }
  if (anchorResult.anchor !== undefined) await replaceFileSynced(join(dataDir, anchorFileName), anchorResult.anchor);
  await rename(draft, database);
  await syncFolder(dataDir);
  if (manifest.documents !== null) await rm(restoration.claim, { recursive: true });
  return { manifest, erasures: await compareErasures(dataDir) };
}

/** A restored backup, and how its erasures differ from the list in DATA_DIR; undefined without a list. */
type RestoredBackup = { readonly manifest: BackupManifest; readonly erasures: ErasureComparison | undefined };
/** `unfinished`: citizens on the list whom the backup has. The first start erases them again. */
type ErasureComparison = { readonly listed: number; readonly unfinished: number };

async function compareErasures(dataDir: string): Promise<ErasureComparison | undefined> {
  const path = join(dataDir, erasedListFileName);
  if (!existsSync(path)) return undefined;
  const { erasures: listed } = await openErasedList(path).read();
  const db = await openReadOnly({ databaseUrl: undefined, dataDir });
  if (db === undefined) return undefined;
  try {
    return { listed: listed.size, unfinished: erasuresMissingIn(await readErasures(db.read), listed).length };
  } finally {
    await db.close();
  }
}

type Restoration = {
  readonly settings: Settings;
  readonly folder: string;
  readonly manifest: BackupManifest;
  readonly anchor: string | undefined;
  /** A folder in DOCUMENT_STORE, created while the store had no documents: documents next to it come from this restore. */
  readonly claim: string;
};

const claimPrefix = 'restoring-';

/** The name depends on the backup and on DATA_DIR, whose lock excludes a concurrent restore. */
function claimPath({ dataDir, documentStore }: Settings, manifest: BackupManifest): string {
  const digest = sha256(Buffer.from(canonicalJson([manifest, resolve(dataDir)])));
  return join(documentStore, `${claimPrefix}${digest.toString('hex', 0, 16)}`);
}

/** Throws if the settings do not match the backup, or if a target contains data that this restore did not write. */
async function refuseOccupied(restoration: Restoration): Promise<void> {
  const { databaseUrl, dataDir, documentStore } = restoration.settings;
  if (databaseUrl !== undefined) {
    throw new CommandFailed('This is a backup of SQLite, but DATABASE_URL is set. Remove the setting.');
  }
  const database = join(dataDir, databaseFile);
  const anchor = join(dataDir, anchorFileName);
  const isOtherAnchor = existsSync(anchor) && (await readFile(anchor, 'utf8')) !== restoration.anchor;
  for (const path of [database, `${database}-wal`, `${database}-journal`, ...(isOtherAnchor ? [anchor] : [])]) {
    if (existsSync(path))
      throw new CommandFailed(`Expected an empty DATA_DIR, but ${path} exists. Set DATA_DIR to an empty folder.`);
  }
  const isBucket = documentStore.startsWith('s3://');
  if (restoration.manifest.documents === null) {
    if (isBucket) return;
    throw new CommandFailed(
      'The documents of this backup are in S3, but DOCUMENT_STORE is a folder. Set DOCUMENT_STORE to their bucket.',
    );
  }
  if (isBucket) {
    throw new CommandFailed(
      'The backup contains the documents, but DOCUMENT_STORE is a bucket. Set DOCUMENT_STORE to a folder.',
    );
  }
  await refuseDocuments(restoration);
}

async function refuseDocuments({ settings: { documentStore }, claim }: Restoration): Promise<void> {
  const sealed = join(documentStore, blobFolders.sealed);
  const names = existsSync(documentStore) ? await readdir(documentStore) : [];
  const other = names.find((name) => name.startsWith(claimPrefix) && name !== basename(claim));
  if (other !== undefined) {
    throw new CommandFailed(
      `Another restore into ${documentStore} was interrupted. Run that restore again, or remove ${join(documentStore, other)} and ${sealed}.`,
    );
  }
  if (!existsSync(claim) && existsSync(sealed) && (await readdir(sealed)).length > 0) {
    throw new CommandFailed(
      `Expected an empty DOCUMENT_STORE, but ${documentStore} contains documents. Set DOCUMENT_STORE to an empty folder.`,
    );
  }
}

async function restoreDocuments({ settings, folder, manifest, claim }: Restoration, onProgress: OnProgress) {
  if (manifest.documents === null) return;
  const { documentStore } = settings;
  await createSyncedFolder(claim);
  for (const draft of await readdir(claim)) await rm(join(claim, draft));
  const copied = await copyDocuments(join(folder, documentsFolder), documentStore, { drafts: claim, onProgress });
  requireSameDocuments(copied, manifest);
  if ((await listBackupDocuments(documentStore)).sha256 === copied.sha256) return;
  throw new CommandFailed(
    `${documentStore} contains documents that are not in the backup. Remove them, or restore into another folder.`,
  );
}

function requireSameDocuments(found: DocumentListing, manifest: BackupManifest): void {
  const differs = documentsDifference(found, manifest);
  if (differs !== undefined)
    throw new CommandFailed(
      `${differs}. The database was not restored. Run "citizen-services backup verify" for details.`,
    );
}
