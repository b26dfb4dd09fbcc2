import { accessSync, constants, existsSync } from 'node:fs';
import { open, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { apiVersion } from '../config/version.ts';
import type { RootKey } from '../crypto/root-key.ts';
import { databaseFile } from '../db/open-database.ts';
import { copySqliteFile, iterateRows } from '../db/sqlite/copy-sqlite-file.ts';
import { createSyncedFolder, syncFolder } from '../db/sync-folder.ts';
import { blobFolders, blobPath } from '../documents/blobs/blob-store.ts';
import { type Clock, formatInstant } from '../kernel/clock.ts';
import { isNotFoundError, undefinedIfMissing } from '../kernel/undefined-if-missing.ts';
import { anchorFileName } from '../ledger/anchor.ts';
import { draftPathOf, replaceFileSynced } from '../ledger/replace-file-synced.ts';
import { type BackupProgress, copyDocuments } from './backup-documents.ts';
import { fileDigest } from './backup-file.ts';
import { anchorDigest, documentsFolder } from './backup-folder.ts';
import {
  authenticateManifest,
  type BackupManifest,
  deriveManifestKey,
  manifestPath,
  readManifest,
  requireRootKey,
} from './backup-manifest.ts';
import { CommandFailed, UsageError } from './command.ts';

type CreateBackupOptions = {
  readonly folder: string;
  /** An earlier backup: documents in it are hard-linked instead of copied. */
  readonly earlier: string | undefined;
  /** The root key authenticates the backup and is not in it. */
  readonly rootKeyPath: string;
  readonly clock: Clock;
  readonly onProgress: (progress: BackupProgress) => void;
};

/**
 * Copies the database, the documents and the anchor of the ledger, without the root key, while the server runs. The order keeps
 * the copy consistent: the anchor is never newer than the database, and each document is in the store before its row. The
 * manifest is written last; after an error the folder is empty.
 */
export async function createBackup(settings: Settings, options: CreateBackupOptions): Promise<BackupManifest> {
  const { folder, earlier } = options;
  const database = databaseOf(settings);
  const root = requireRootKey('a backup', options.rootKeyPath);
  if (earlier !== undefined) await readManifest(earlier);
  await claimEmptyFolder(folder, settings);
  try {
    return await writeBackup(settings, { ...options, database, root });
  } catch (fault) {
    // An incomplete backup cannot be restored, and would use space on a full disk.
    const names = await readdir(folder).catch(() => []);
    await Promise.allSettled(names.map((name) => rm(join(folder, name), { recursive: true })));
    throw fault;
  }
}

type BackupTask = CreateBackupOptions & { readonly database: string; readonly root: RootKey };

async function writeBackup(settings: Settings, options: BackupTask): Promise<BackupManifest> {
  const { folder, earlier, clock, database } = options;
  const begunAt = formatInstant(clock.now());
  const anchor = await undefinedIfMissing(readFile(join(settings.dataDir, anchorFileName)));
  if (anchor !== undefined) await replaceFileSynced(join(folder, anchorFileName), anchor.toString());
  const copy = join(folder, databaseFile);
  options.onProgress('the database');
  await copySqliteFile(database, copy);
  const rootKeys = [...iterateRows(copy, rootKeysQuery)].map((row) => String(row['root_key_id']));
  const key = deriveManifestKey(rootKeys, options.root);
  const inFolder = !settings.documentStore.startsWith('s3://');
  const documents = inFolder
    ? await copyDocuments(settings.documentStore, join(folder, documentsFolder), {
        drafts: join(folder, documentsFolder, blobFolders.incoming),
        earlier: earlier === undefined ? undefined : join(earlier, documentsFolder),
        onProgress: options.onProgress,
      })
    : null;
  const members = {
    format: 1 as const,
    program: apiVersion,
    begunAt,
    finishedAt: formatInstant(clock.now()),
    database: await fileDigest(copy),
    anchor: anchorDigest(anchor),
    rootKeys,
    documents,
    ...(inFolder ? findMissingDocuments(folder, database) : { erasedMeanwhile: [], missing: [] }),
  };
  const manifest = authenticateManifest(members, key);
  await syncFolder(folder);
  await replaceFileSynced(manifestPath(folder), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}

const rootKeysQuery = 'select root_key_id from citizen_key union select root_key_id from signing_key order by 1';

function databaseOf({ databaseUrl, dataDir }: Settings): string {
  if (databaseUrl !== undefined) {
    throw new CommandFailed(
      'Expected an SQLite database, but DATABASE_URL is a PostgreSQL database. Use pg_dump or pg_basebackup: docs/operate/backup.md#backup-and-restore',
    );
  }
  const path = join(dataDir, databaseFile);
  try {
    accessSync(path, constants.R_OK);
  } catch (fault) {
    if (isNotFoundError(fault))
      throw new CommandFailed(
        `Expected ${databaseFile} in DATA_DIR (${dataDir}), but it does not exist. Set DATA_DIR to the data folder of the server.`,
      );
    throw new CommandFailed(`Cannot read ${path}. Run this command as the user of the server.`, { cause: fault });
  }
  return path;
}

/** Creates the folder, or takes an empty one, and creates the draft of the manifest in it exclusively: of two concurrent backups one fails. */
async function claimEmptyFolder(folder: string, { documentStore }: Settings): Promise<void> {
  const [target, store] = [await resolveRealPath(folder), await resolveRealPath(resolve(documentStore))];
  if (`${target}${sep}`.startsWith(`${store}${sep}`)) {
    throw new UsageError('Expected a folder outside DOCUMENT_STORE, received one inside it. Use another folder.');
  }
  await createSyncedFolder(folder);
  const isFirst = (await readdir(folder)).length === 0 && (await createExclusively(draftPathOf(manifestPath(folder))));
  if (!isFirst)
    throw new CommandFailed(
      `Expected a new or empty folder, but ${folder} has content. Use another folder for each backup.`,
    );
}

async function createExclusively(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'EEXIST') return false;
    throw fault;
  }
}

/** Resolves the links in the part of a path that exists, and appends the rest. */
async function resolveRealPath(path: string): Promise<string> {
  return (await undefinedIfMissing(realpath(path))) ?? join(await resolveRealPath(dirname(path)), basename(path));
}

/** The documents in the copied database without a copied file: those erased during the backup, and those that are missing. */
function findMissingDocuments(folder: string, database: string): Pick<BackupManifest, 'erasedMeanwhile' | 'missing'> {
  const without: string[] = [];
  for (const { id } of iterateRows(join(folder, databaseFile), "select id from document where status <> 'erased'")) {
    if (!existsSync(blobPath(join(folder, documentsFolder), String(id)))) without.push(String(id));
  }
  if (without.length === 0) return { erasedMeanwhile: [], missing: [] };
  const erased = new Set(
    [...iterateRows(database, "select id from document where status = 'erased'")].map(({ id }) => id),
  );
  return { erasedMeanwhile: without.filter((id) => erased.has(id)), missing: without.filter((id) => !erased.has(id)) };
}
