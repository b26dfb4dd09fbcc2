import { createHash } from 'node:crypto';
import { existsSync, type Stats } from 'node:fs';
import { constants, copyFile, link, open, readdir, rename, rm, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createSyncedFolder, syncFolder } from '../db/sync-folder.ts';
import { blobFolders, blobNamePattern } from '../documents/blobs/blob-store.ts';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';
import { fileDigest, statFile } from './backup-file.ts';
import { CommandFailed } from './command.ts';

/** How many documents were copied or listed, and their bytes in total. */
type CopyCount = { readonly count: number; readonly bytes: number };

/** The progress of a backup or a restore: first the database, then the documents that are done. */
export type BackupProgress = 'the database' | CopyCount;

/** `sha256` is over one line of JSON `[path, length]` for each document, sorted by path, in hexadecimal. */
export type DocumentListing = CopyCount & { readonly sha256: string };

type CopyDocumentsOptions = {
  /** A folder of the caller on the same disk as the copies. Each copy is written there and renamed when it is complete. */
  readonly drafts: string;
  /** The documents of an earlier backup: files that are in it are hard-linked instead of copied. */
  readonly earlier?: string | undefined;
  readonly onProgress?: (copied: CopyCount) => void;
};

/** `incoming` holds unfinished uploads and is not copied. */
const { sealed, incoming } = blobFolders;

/**
 * Copies the sealed documents of a folder with their times, and syncs each one. A blob never changes, so it can be copied while
 * the server runs; one that is erased meanwhile is skipped. A target that an interrupted copy left stays as it is; the copy
 * fails if its content differs.
 */
export async function copyDocuments(from: string, to: string, options: CopyDocumentsOptions): Promise<DocumentListing> {
  const list = createListing();
  await createSyncedFolder(join(to, incoming));
  await createSyncedFolder(join(to, sealed));
  let folder = '';
  for await (const path of documentsIn(join(from, sealed), sealed)) {
    if (dirname(path) !== folder) {
      if (folder !== '') await syncFolder(join(to, folder));
      folder = dirname(path);
      await createSyncedFolder(join(to, folder));
    }
    const size = await copyDocument(path, { from, to, ...options });
    if (size === undefined) continue;
    options.onProgress?.(list.add(path, size));
  }
  if (folder !== '') await syncFolder(join(to, folder));
  await syncFolder(join(to, sealed));
  return list.end();
}

/** Lists the sealed documents of a folder by path and length. Reads no content. */
export async function listBackupDocuments(folder: string): Promise<DocumentListing> {
  const list = createListing();
  for await (const path of documentsIn(join(folder, sealed), sealed)) {
    const stats = await statFile(join(folder, path));
    if (stats !== undefined) list.add(path, stats.size);
  }
  return list.end();
}

function createListing() {
  const hash = createHash('sha256');
  let [count, bytes] = [0, 0];
  return {
    add: (path: string, size: number): CopyCount => {
      hash.update(`${JSON.stringify([path, size])}\n`);
      count += 1;
      bytes += size;
      return { count, bytes };
    },
    end: (): DocumentListing => ({ count, bytes, sha256: hash.digest('hex') }),
  };
}

type CopyPaths = Pick<CopyDocumentsOptions, 'drafts' | 'earlier'> & { readonly from: string; readonly to: string };

async function copyDocument(path: string, { from, to, drafts, earlier }: CopyPaths): Promise<number | undefined> {
  const [source, target] = [join(from, path), join(to, path)];
  const stats = await statFile(source);
  if (stats === undefined) return undefined;
  if (existsSync(target)) {
    if (await hasSameContent(source, target)) return stats.size;
    throw new CommandFailed(
      `${target} exists, and its content differs from the backup. It was not changed. Restore into an empty DOCUMENT_STORE.`,
    );
  }
  const before = earlier === undefined ? undefined : await statFile(join(earlier, path));
  if (earlier !== undefined && before?.size === stats.size && (await tryLink(join(earlier, path), target))) {
    return stats.size;
  }
  const draft = join(drafts, basename(path));
  try {
    const copying = copyFile(source, draft, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).then(() => true);
    if ((await undefinedIfMissing(copying)) === undefined) return undefined;
    await finishCopy(draft, stats);
    await rename(draft, target);
    return stats.size;
  } catch (fault) {
    // On a full disk a draft would use the space that the next try needs.
    await rm(draft, { force: true });
    throw fault;
  }
}

/** Gives a copy the times of its original and mode 0600, and syncs it. */
async function finishCopy(path: string, { atime, mtime, mode }: Stats): Promise<void> {
  await utimes(path, atime, mtime);
  await using file = await open(path, 'r');
  // The files of a backup can have another mode than 0600. A network share can refuse every change, so change it only if needed.
  if ((mode & 0o777) !== 0o600) await file.chmod(0o600);
  await file.sync();
}

async function hasSameContent(one: string, other: string): Promise<boolean> {
  return (await fileDigest(one)).sha256 === (await fileDigest(other)).sha256;
}

/** False if the link fails, such as across file systems: then the document is copied, or the copy reports the error. */
function tryLink(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    () => false,
  );
}

/** Folder names are characters of document ids. Other folders, such as `@eaDir`, come from network shares or desktops and are skipped. */
const folderPattern = /^[A-Za-z0-9_-]+$/;

/** The paths of all documents in a folder, each starting with `name`, sorted. Yields none if the folder does not exist. */
async function* documentsIn(folder: string, name: string): AsyncGenerator<string> {
  const entries = (await undefinedIfMissing(readdir(folder, { withFileTypes: true }))) ?? [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(name, entry.name);
    if (!entry.isDirectory()) {
      if (blobNamePattern.test(entry.name)) yield path;
    } else if (folderPattern.test(entry.name)) yield* documentsIn(join(folder, entry.name), path);
  }
}
