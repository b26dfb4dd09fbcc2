import { createHash } from 'node:crypto';
import { existsSync, type Stats } from 'node:fs';
import { constants, copyFile, link, open, readdir, rename, rm, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createSyncedFolder, syncFolder } from '../db/sync-folder.ts';
import { blobFolders, blobNamePattern } from '../documents/blobs/blob-store.ts';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';
import { fileDigest, statFile } from './backup-file.ts';

export type CopyCount = { readonly count: number; readonly bytes: number };

/** What a backup or a restoration is at: the database, for as long as that takes, and then how many documents are done. */
export type BackupProgress = 'the database' | CopyCount;

/** Documents by their names and lengths: the SHA-256, in hexadecimal, of a line of JSON for each, by the order of their paths. */
export type DocumentListing = CopyCount & { readonly sha256: string };

export type CopyDocumentsOptions = {
  /** A folder of the caller's own, on the same disk as the copies: each is made there, and gets its place when it is whole. */
  readonly drafts: string;
  /** A folder of documents that was copied earlier: what is there already is linked, not copied. */
  readonly earlier?: string | undefined;
  readonly onProgress?: (copied: CopyCount) => void;
};

/** What is in `incoming` belongs to uploads that have not ended, and is left. */
const { sealed, incoming } = blobFolders;

/**
 * Copies the sealed documents of a folder, each synced, with its time. A blob never changes once it is there, so it is
 * copied while the server runs; one that is erased meanwhile is left out. What an earlier copy of them left stays as it is,
 * and throws where it is another.
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

/** Lists the sealed documents of a folder, of which nothing is read but their lengths. */
export async function listBackupDocuments(folder: string): Promise<DocumentListing> {
  const list = createListing();
  for await (const path of documentsIn(join(folder, sealed), sealed)) {
    const found = await statFile(join(folder, path));
    if (found !== undefined) list.add(path, found.size);
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
  const found = await statFile(source);
  if (found === undefined) return undefined;
  if (existsSync(target)) {
    if (await hasSameContent(source, target)) return found.size;
    throw new Error(`${target} is there already, and is another than in the backup: it was left as it is`);
  }
  const before = earlier === undefined ? undefined : await statFile(join(earlier, path));
  if (earlier !== undefined && before?.size === found.size && (await tryLink(join(earlier, path), target))) {
    return found.size;
  }
  const draft = join(drafts, basename(path));
  try {
    const copying = copyFile(source, draft, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).then(() => true);
    if ((await undefinedIfMissing(copying)) === undefined) return undefined;
    await finishCopy(draft, found);
    await rename(draft, target);
    return found.size;
  } catch (fault) {
    // On a disk that is full it would be in the way of what is tried next.
    await rm(draft, { force: true });
    throw fault;
  }
}

/** Gives a copy the time of its original and the mode of what a server has stored, and syncs it. */
async function finishCopy(path: string, { atime, mtime, mode }: Stats): Promise<void> {
  await utimes(path, atime, mtime);
  await using file = await open(path, 'r');
  // A backup may have been put where others read it, or shut to its owner as well. What a server has stored is neither, and a
  // share of another system, to which it is copied, may refuse every mode.
  if ((mode & 0o777) !== 0o600) await file.chmod(0o600);
  await file.sync();
}

async function hasSameContent(one: string, other: string): Promise<boolean> {
  return (await fileDigest(one)).sha256 === (await fileDigest(other)).sha256;
}

/** False where the file system, or the border between two, takes no such link: a copy may do, or says why not. */
function tryLink(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    () => false,
  );
}

/** A folder of documents is named by characters of theirs. What else there is a share or a desktop has made, as `@eaDir`. */
const folderPattern = /^[A-Za-z0-9_-]+$/;

/** The paths of all documents below a folder, as they stand below `name`, in one order; none where there is no such folder. */
async function* documentsIn(folder: string, name: string): AsyncGenerator<string> {
  const entries = (await undefinedIfMissing(readdir(folder, { withFileTypes: true }))) ?? [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(name, entry.name);
    if (!entry.isDirectory()) {
      if (blobNamePattern.test(entry.name)) yield path;
    } else if (folderPattern.test(entry.name)) yield* documentsIn(join(folder, entry.name), path);
  }
}
