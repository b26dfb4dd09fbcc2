import {
  close,
  closeSync,
  existsSync,
  fstatSync,
  open as openForCallback,
  openSync,
  read as readForCallback,
  readSync,
} from 'node:fs';
import { open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { headerBytes, sealedChunkBytes } from '../../crypto/chunked-encryption.ts';
import { sealedPieceBytes } from '../../crypto/sealed-stream.ts';
import { createSyncedFolder, syncFolder } from '../../db/sync-folder.ts';
import { isNotFoundError, undefinedIfMissing } from '../../kernel/undefined-if-missing.ts';
import {
  BlobBroken,
  type BlobPart,
  type BlobStore,
  BlobsUnavailable,
  blobFolders,
  blobPath,
  type StoredBlob,
} from './blob-store.ts';

/** The size of a read: one verified piece with the header before it, and the end of the blob if it is near. */
const pieceBytes = headerBytes + sealedPieceBytes;
const bufferBytes = pieceBytes + sealedChunkBytes;
/** Parts up to this size are read at once into a small buffer. */
const smallReadBytes = 65_536;
/** The most free buffers of each size (35 MiB in all). Allocating one costs more than reading into it. */
const maxPooledBuffers = 32;

/** The folder exists, but does not have the blobs of this database: a disk may not be mounted. */
class ForeignFolder extends Error {
  override readonly name = 'ForeignFolder';
}

const openFile = promisify(openForCallback);
const readFile = promisify(readForCallback);

/** Clock and callbacks of a folder of blobs. */
export type FolderBlobOptions = {
  /** A monotonic clock in milliseconds, to measure the disk. */
  readonly stopwatch?: () => number;
  readonly onFault?: (fault: unknown) => void;
  /**
   * Whether the folder has the blobs of the database. If not, a disk is not mounted, and nothing is created or stored. Called
   * at the opening, and when the folder at the path has changed.
   */
  readonly isOwnFolder?: () => Promise<boolean>;
  /** For commands that only read: nothing is created, and nothing can be stored. */
  readonly isReadOnly?: boolean;
};

/**
 * Opens blobs as files of one folder: `incoming/` for uploads, `sealed/K/Z/` for published blobs. A blob is written and synced
 * in `incoming`, then renamed, then its folder is synced. After `put` a power failure does not lose it; before, it leaves no
 * partial blob.
 */
export async function openFolderBlobs(folder: string, options: FolderBlobOptions = {}): Promise<BlobStore> {
  const { stopwatch = () => performance.now(), onFault, isOwnFolder = async () => true, isReadOnly = false } = options;
  const incoming = join(folder, blobFolders.incoming);
  const sealed = join(folder, blobFolders.sealed);
  const madeFolders = new Set<string>();
  const prepareFolders = async () => {
    await createSyncedFolder(incoming);
    await createSyncedFolder(sealed);
    madeFolders.clear();
  };
  const ownsFolder = isReadOnly ? async () => false : createOwnershipCheck(sealed, isOwnFolder, prepareFolders);
  const buffers = { small: createBufferPool(smallReadBytes), large: createBufferPool(bufferBytes) };
  const unavailable: ToUnavailable = (cause) => {
    onFault?.(cause);
    return new BlobsUnavailable('the server cannot read or write the folder of the documents', { cause });
  };
  const isThere = isReadOnly ? async () => existsSync(sealed) : ownsFolder;
  const disk: DiskState = { stopwatch, unavailable, isThere, slowUntil: 0, slowInARow: 0 };

  const pathOf = (name: string) => blobPath(folder, name);

  await ownsFolder();

  return {
    put: async (name, bytes) => {
      const path = pathOf(name);
      const draft = join(incoming, name);
      if (!(await ownsFolder().catch(rethrowAs(unavailable)))) {
        throw unavailable(new ForeignFolder(`the documents of the database are not in ${folder}`));
      }
      await writeDraft(draft, bytes, unavailable);
      let currentPath = draft;
      try {
        await createBlobFolder(sealed, dirname(path), madeFolders);
        await rename(draft, path);
        currentPath = path;
        await syncFolder(dirname(path));
      } catch (fault) {
        madeFolders.delete(dirname(path));
        await removeDraft(currentPath);
        throw unavailable(fault);
      }
    },
    read: (name, part) => readPart(pathOf(name), part, { buffers, disk }),
    has: async (name) => (await undefinedIfMissing(stat(pathOf(name)))) !== undefined,
    remove: async (name) => {
      await rm(pathOf(name), { force: true });
    },
    list: () => (isReadOnly ? listIfThere(sealed) : listFiles(sealed)),
    removeIncompleteUploads: (before) => removeOldDrafts(incoming, before),
  };
}

/**
 * Creates a check whether the folder at `path` exists and has the blobs of this database. `isOwnFolder` runs only when device or
 * inode differ from the last accepted folder: they change when a disk is unmounted.
 */
function createOwnershipCheck(
  path: string,
  isOwnFolder: () => Promise<boolean>,
  prepare: () => Promise<void>,
): () => Promise<boolean> {
  let acceptedId: string | undefined;
  const folderId = async () => {
    const found = await stat(path).catch(() => undefined);
    return found && `${found.dev} ${found.ino}`;
  };
  return async () => {
    if (acceptedId !== undefined && (await folderId()) === acceptedId) return true;
    if (!(await isOwnFolder())) return false;
    await prepare();
    acceptedId = await folderId();
    return true;
  };
}

async function createBlobFolder(sealed: string, path: string, madeFolders: Set<string>): Promise<void> {
  if (madeFolders.has(path)) return;
  await createSyncedFolder(path);
  // An existing folder may not be synced yet: another deposit, thread or killed process created it.
  await syncFolder(dirname(path));
  await syncFolder(sealed);
  madeFolders.add(path);
}

async function removeOldDrafts(incoming: string, before: number): Promise<number> {
  let removed = 0;
  for await (const { name, storedAt } of listFiles(incoming)) {
    if (storedAt >= before) continue;
    await rm(join(incoming, name), { force: true });
    removed += 1;
  }
  return removed;
}

/** Reports the fault to the operator, and returns the error for the caller: the disk is full or does not respond. */
type ToUnavailable = (cause: unknown) => BlobsUnavailable;

function rethrowAs(unavailable: ToUnavailable): (fault: unknown) => never {
  return (fault) => {
    throw unavailable(fault);
  };
}

/** Writes and syncs a new file; on a fault the file is removed. Faults of the source pass unchanged. */
async function writeDraft(path: string, bytes: AsyncIterable<Uint8Array>, unavailable: ToUnavailable): Promise<void> {
  const throwUnavailable = rethrowAs(unavailable);
  await using file = await open(path, 'wx', 0o600).catch(throwUnavailable);
  try {
    for await (const piece of bytes) await file.writeFile(piece).catch(throwUnavailable);
    await file.sync().catch(throwUnavailable);
  } catch (fault) {
    await removeDraft(path);
    throw fault;
  }
}

/** Removes a file that did not become a blob. On a failed disk it stays for the sweep: the first fault is the one to report. */
async function removeDraft(path: string): Promise<void> {
  await rm(path, { force: true }).catch(ignore);
}

type BufferPool = { take(): Buffer; release(buffer: Buffer): void };

function createBufferPool(bytes: number): BufferPool {
  const free: Buffer[] = [];
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(bytes),
    release: (buffer) => {
      if (free.length < maxPooledBuffers) free.push(buffer);
    },
  };
}

/** Whether the disk is slow now: then reads go through the thread pool, and do not block the event loop. */
type DiskState = {
  readonly stopwatch: () => number;
  readonly unavailable: ToUnavailable;
  readonly isThere: () => Promise<boolean>;
  slowUntil: number;
  slowInARow: number;
};
/** Reads of cached bytes take less, unless the process was not scheduled. */
const slowMs = 1;
const maxSlowInARow = 3;
const slowForMs = 1_000;

/**
 * Reads a part through a file descriptor, synchronously while the disk is fast: for a cached or small file the thread pool
 * costs more than the read.
 */
async function* readPart(
  path: string,
  { start, end, totalBytes }: BlobPart,
  { buffers, disk }: { readonly buffers: Readonly<Record<'small' | 'large', BufferPool>>; readonly disk: DiskState },
): AsyncGenerator<Buffer> {
  const isSmall = end - start <= smallReadBytes;
  const startedAt = disk.stopwatch();
  const isDiskFast = startedAt >= disk.slowUntil;
  // No await until the disk is measured: the time of other work would count as disk time.
  let file: number;
  try {
    file = isDiskFast ? openSync(path, 'r') : await openFile(path, 'r');
  } catch (fault) {
    throw await openFault(fault, disk);
  }
  const pool = isSmall ? buffers.small : buffers.large;
  const buffer = pool.take();
  try {
    // `fstat` of an open file does not wait for the disk.
    const { size } = fstatSync(file);
    if (size !== totalBytes) throw new BlobBroken(`a blob has ${size} bytes on disk, expected ${totalBytes}`);
    if (isDiskFast && !isSmall) updateDiskState(disk, startedAt);
    for (let at = start; at < end; ) {
      const most = at === 0 ? pieceBytes : sealedPieceBytes;
      const wanted = end - at <= buffer.length ? end - at : most;
      const bytesRead =
        isSmall && isDiskFast
          ? readSync(file, buffer, 0, wanted, at)
          : (await readFile(file, buffer, 0, wanted, at)).bytesRead;
      if (bytesRead === 0) throw new BlobBroken('a blob ended while it was read');
      if (isSmall && isDiskFast) updateDiskState(disk, startedAt);
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  } catch (fault) {
    throw fault instanceof BlobBroken ? fault : disk.unavailable(fault);
  } finally {
    pool.release(buffer);
    if (isDiskFast) closeSync(file);
    else close(file, ignore);
  }
}

/** Three slow reads in a row mean a slow disk. */
function updateDiskState(disk: DiskState, startedAt: number): void {
  const now = disk.stopwatch();
  disk.slowInARow = now - startedAt > slowMs ? disk.slowInARow + 1 : 0;
  if (disk.slowInARow < maxSlowInARow) return;
  disk.slowInARow = 0;
  disk.slowUntil = now + slowForMs;
}

/** The result is already known: a fault of the clean-up changes nothing. */
function ignore(): void {
  return;
}

async function openFault(cause: unknown, { unavailable, isThere }: DiskState): Promise<Error> {
  if (!isNotFoundError(cause) || !(await isThere().catch(() => false))) return unavailable(cause);
  return new BlobBroken('a blob of the database is not on disk', { cause });
}

async function* listIfThere(folder: string): AsyncGenerator<StoredBlob> {
  if (existsSync(folder)) yield* listFiles(folder);
}

async function* listFiles(folder: string): AsyncGenerator<StoredBlob> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* listFiles(path);
    else {
      // The file may be published or removed during the listing.
      const found = await undefinedIfMissing(stat(path));
      if (found !== undefined) yield { name: entry.name, storedAt: found.mtimeMs };
    }
  }
}
