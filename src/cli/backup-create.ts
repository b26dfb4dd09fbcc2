import { accessSync, constants, existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { apiVersion } from '../config/version.ts';
import { blobFolders, blobPath } from '../documents/blobs/blob-store.ts';
import { type Clock, toInstant } from '../kernel/clock.ts';
import { anchorFile } from '../ledger/anchor.ts';
import { readIfThere, writeSynced } from '../ledger/synced-file.ts';
import { copyDatabase, rowsOf } from '../store/database-copy.ts';
import { databaseFile } from '../store/open.ts';
import { makeFolder, syncFolder } from '../store/sync-folder.ts';
import { type Copied, copyDocuments } from './backup-documents.ts';
import { digestOfAnchor, documentsFolder } from './backup-folder.ts';
import { type Manifest, manifestPath, proved, readManifest, rootKeyFor } from './backup-manifest.ts';
import { UsageError } from './command.ts';
import { digestOf } from './digest-of.ts';

export type CreateOptions = {
  readonly folder: string;
  /** An earlier backup: documents that are in it are linked. */
  readonly earlier: string | undefined;
  /** The file of the root key, which proves the backup and is not in it. */
  readonly rootKeyPath: string;
  readonly clock: Clock;
  readonly onProgress: (copied: Copied) => void;
};

/**
 * Copies all that belongs together, but the root key, in the order that makes it whole while the server goes on: the
 * ledger's anchor is never newer than the database, and each document is there before its row. The manifest comes last.
 */
export async function createBackup(settings: Settings, options: CreateOptions): Promise<Manifest> {
  const { folder, earlier, clock } = options;
  const database = databaseOf(settings);
  const root = rootKeyFor('a backup, which is proved by it,', options.rootKeyPath);
  if (earlier !== undefined) await readManifest(earlier);
  await demandEmpty(folder, settings);
  const begunAt = toInstant(clock.now());
  const anchor = await readIfThere(join(settings.dataDir, anchorFile));
  if (anchor !== undefined) await writeSynced(join(folder, anchorFile), anchor.toString());
  const copy = join(folder, databaseFile);
  await copyDatabase(database, copy);
  const inFolder = !settings.documentStore.startsWith('s3://');
  const documents = inFolder
    ? await copyDocuments(settings.documentStore, join(folder, documentsFolder), {
        drafts: join(folder, documentsFolder, blobFolders.incoming),
        earlier: earlier === undefined ? undefined : join(earlier, documentsFolder),
        onProgress: options.onProgress,
      })
    : null;
  const made = {
    ...{ format: 1 as const, program: apiVersion, begunAt, finishedAt: toInstant(clock.now()) },
    database: await digestOf(copy),
    anchor: digestOfAnchor(anchor),
    rootKeys: [...rowsOf(copy, rootKeys)].map((row) => String(row['root_key_id'])),
    documents,
    ...(inFolder ? withoutBytes(folder, database) : { erasedMeanwhile: [], missing: [] }),
  };
  const manifest = proved(made, root);
  await syncFolder(folder);
  await writeSynced(manifestPath(folder), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}

const rootKeys = 'select root_key_id from citizen_key union select root_key_id from signing_key order by 1';

function databaseOf({ databaseUrl, dataDir }: Settings): string {
  if (databaseUrl !== undefined) {
    throw new Error(
      'the database is PostgreSQL, which has its own tools: pg_dump or pg_basebackup, see docs/operating.md#backup-and-restore',
    );
  }
  const path = join(dataDir, databaseFile);
  try {
    accessSync(path, constants.R_OK);
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT')
      throw new Error(`there is no ${databaseFile} in DATA_DIR, ${dataDir}: nothing to back up`);
    throw new Error(`${path} cannot be read: run this as the user of the server`, { cause: fault });
  }
  return path;
}

async function demandEmpty(folder: string, { documentStore }: Settings): Promise<void> {
  const [place, store] = [await truePath(folder), await truePath(resolve(documentStore))];
  if (`${place}${sep}`.startsWith(`${store}${sep}`)) {
    throw new UsageError('the backup would lie among the documents that it copies: name another folder');
  }
  await makeFolder(folder);
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty: each backup has its own folder`);
}

/** Where a path leads, links followed as far as it is there: what is not is made behind that. */
async function truePath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (fault) {
    if (!(fault instanceof Error && 'code' in fault && fault.code === 'ENOENT')) throw fault;
    return join(await truePath(dirname(path)), basename(path));
  }
}

/** The documents that the copy of the database has and the copy of the folder has not, by whether they were erased since. */
function withoutBytes(folder: string, database: string): Pick<Manifest, 'erasedMeanwhile' | 'missing'> {
  const without: string[] = [];
  for (const { id } of rowsOf(join(folder, databaseFile), "select id from document where status <> 'erased'")) {
    if (!existsSync(blobPath(join(folder, documentsFolder), String(id)))) without.push(String(id));
  }
  if (without.length === 0) return { erasedMeanwhile: [], missing: [] };
  const erased = new Set([...rowsOf(database, "select id from document where status = 'erased'")].map(({ id }) => id));
  return { erasedMeanwhile: without.filter((id) => erased.has(id)), missing: without.filter((id) => !erased.has(id)) };
}
