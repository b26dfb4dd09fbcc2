import { existsSync } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { blobFolders } from '../documents/blobs/blob-store.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { sha256 } from '../kernel/hashing.ts';
import { anchorFile } from '../ledger/anchor.ts';
import { writeSynced } from '../ledger/synced-file.ts';
import { lockDatabase } from '../store/database-lock.ts';
import { databaseFile, restoringFile } from '../store/open.ts';
import { makeFolder, syncFolder } from '../store/sync-folder.ts';
import { copyDocuments, type Listed, listDocuments, type Progress } from './backup-documents.ts';
import { documentsDiffer, documentsFolder, readAnchor, takeDatabase } from './backup-folder.ts';
import { type Manifest, readProvenManifest } from './backup-manifest.ts';

type OnProgress = (at: Progress) => void;

export type RestoreOptions = {
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
export async function restoreBackup(settings: Settings, options: RestoreOptions): Promise<Manifest> {
  const { folder, rootKeyPath, onProgress } = options;
  const manifest = await readProvenManifest(folder, rootKeyPath);
  const found = await readAnchor(folder, manifest);
  if ('differs' in found) throw new Error(found.differs);
  if (manifest.documents !== null) demandSame(await listDocuments(join(folder, documentsFolder)), manifest);
  const restoring: Restoring = { settings, folder, manifest, anchor: found.anchor, claim: claimOf(settings, manifest) };
  await refuseTaken(restoring);
  const { dataDir } = settings;
  await makeFolder(dataDir);
  const database = join(dataDir, databaseFile);
  using _lock = lockDatabase(database);
  // A server may have begun a database before it was locked.
  await refuseTaken(restoring);
  const draft = join(dataDir, restoringFile);
  try {
    await rm(draft, { force: true });
    onProgress('the database');
    const differs = await takeDatabase(folder, manifest, { to: draft });
    if (differs !== undefined) throw new Error(differs);
    await restoreDocuments(restoring, onProgress);
    await using file = await open(draft, 'r+');
    await file.sync();
  } catch (fault) {
    await rm(draft, { force: true });
    throw fault;
  }
  if (found.anchor !== undefined) await writeSynced(join(dataDir, anchorFile), found.anchor);
  await rename(draft, database);
  await syncFolder(dataDir);
  if (manifest.documents !== null) await rm(restoring.claim, { recursive: true });
  return manifest;
}

type Restoring = {
  readonly settings: Settings;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly anchor: string | undefined;
  /** A folder in `DOCUMENT_STORE`, made while no document was there: what is there by then is of this restoration. */
  readonly claim: string;
};

const claims = 'restoring-';

/** Another one for each backup and each `DATA_DIR`, of which a lock keeps a second restoration out. */
function claimOf({ dataDir, documentStore }: Settings, manifest: Manifest): string {
  const whose = sha256(Buffer.from(canonicalJson([manifest, resolve(dataDir)])));
  return join(documentStore, `${claims}${whose.toString('hex', 0, 16)}`);
}

/** Refuses settings that the backup does not fit, and places in which something is that this restoration has not put there. */
async function refuseTaken(restoring: Restoring): Promise<void> {
  const { databaseUrl, dataDir, documentStore } = restoring.settings;
  if (databaseUrl !== undefined) {
    throw new Error('DATABASE_URL is set, and the backup is one of SQLite: restore without it');
  }
  const database = join(dataDir, databaseFile);
  const anchor = join(dataDir, anchorFile);
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

async function refuseDocuments({ settings: { documentStore }, claim }: Restoring): Promise<void> {
  const sealed = join(documentStore, blobFolders.sealed);
  const there = existsSync(documentStore) ? await readdir(documentStore) : [];
  const other = there.find((name) => name.startsWith(claims) && name !== basename(claim));
  if (other !== undefined) {
    throw new Error(
      `a restoration of another backup, or into another DATA_DIR, broke off in ${documentStore}: run that one again, or remove ${join(documentStore, other)} and ${sealed}`,
    );
  }
  if (!existsSync(claim) && existsSync(sealed) && (await readdir(sealed)).length > 0) {
    throw new Error(`there are documents in ${documentStore}: restore into a DOCUMENT_STORE of its own`);
  }
}

async function restoreDocuments({ settings, folder, manifest, claim }: Restoring, onProgress: OnProgress) {
  if (manifest.documents === null) return;
  const { documentStore } = settings;
  await makeFolder(claim);
  for (const left of await readdir(claim)) await rm(join(claim, left));
  const copied = await copyDocuments(join(folder, documentsFolder), documentStore, { drafts: claim, onProgress });
  demandSame(copied, manifest);
  if ((await listDocuments(documentStore)).sha256 === copied.sha256) return;
  throw new Error(
    `there are documents in ${documentStore} that the backup has not: take them away, or restore elsewhere`,
  );
}

function demandSame(found: Listed, manifest: Manifest): void {
  const differs = documentsDiffer(found, manifest);
  if (differs !== undefined) throw new Error(`${differs}: the database was not restored. See backup verify`);
}
