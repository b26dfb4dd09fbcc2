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
import { type FileHandle, open, opendir, rename, rm, stat } from 'node:fs/promises';
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
import { createOwnershipCheck } from './folder-ownership.ts';

/** What is read at once: what is opened before it is given, with the header before the first, and the end if it is near. */
const pieceBytes = headerBytes + sealedPieceBytes;
const bufferBytes = pieceBytes + sealedChunkBytes;
/** What is no larger is read at once, into memory of that size. */
const smallReadBytes = 65_536;
/** So many buffers of each size are kept for the next readers (35 MiB): making one for each costs more than reading into it. */
const maxPooledBuffers = 32;
const openFile = promisify(openForCallback);
const readFile = promisify(readForCallback);

export type FolderBlobOptions = {
  /** Milliseconds that never go back: it tells how long the disk takes. */
  readonly stopwatch?: () => number;
  /** Told why the disk cannot be used. */
  readonly onFault?: (fault: unknown) => void;
  /**
   * Whether the documents on record are there. Where they are not, what is to be mounted is not, and nothing is made or stored in
   * its place. Asked at the opening, and where another folder than the one it was said of is stored in, or lacks a blob.
   */
  readonly isOwnFolder?: () => Promise<boolean>;
  /** For who looks at what is there, whatever it is: nothing is made, and nothing can be stored. */
  readonly isReadOnly?: boolean;
};

/**
 * Blobs as files of one folder: `incoming/` holds what is being written, `sealed/K/Z/` what is published. A blob is written and synced in `incoming`,
 * then renamed, then its folder is synced: after `put` no power cut takes it away, before that none leaves a half one.
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
  const ownsFolder = isReadOnly
    ? async () => false
    : createOwnershipCheck(sealed, { isOwnFolder, prepare: prepareFolders });
  const buffers = { small: createBufferPool(smallReadBytes), large: createBufferPool(bufferBytes) };
  const unavailable: ToUnavailable = (cause) => {
    onFault?.(cause);
    return new BlobsUnavailable('the disk of the documents cannot be used at present', { cause });
  };
  const isThere = isReadOnly ? async () => existsSync(sealed) : ownsFolder;
  const disk: DiskState = { stopwatch, unavailable, isThere, slowUntil: 0, slowInARow: 0 };

  const pathOf = (name: string) => blobPath(folder, name);

  async function requireOwnFolder(): Promise<void> {
    const throwUnavailable = (fault: unknown) => {
      throw unavailable(fault);
    };
    if (await ownsFolder().catch(throwUnavailable)) return;
    throw unavailable(new Error(`the documents on record are not in ${folder}`));
  }

  await ownsFolder();

  /** Makes the folder of a blob, once and for all. */
  async function makeBlobFolder(path: string): Promise<void> {
    if (madeFolders.has(path)) return;
    await createSyncedFolder(path);
    // What is there may not be synced yet by whoever makes it: another deposit, a thread, a process that was killed.
    await syncFolder(dirname(path));
    await syncFolder(sealed);
    madeFolders.add(path);
  }

  return {
    put: async (name, bytes) => {
      const path = pathOf(name);
      const draft = join(incoming, name);
      await requireOwnFolder();
      await writeDraft(draft, bytes, unavailable);
      let currentPath = draft;
      try {
        await makeBlobFolder(dirname(path));
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
    removeIncompleteUploads: async (before) => {
      let removed = 0;
      for await (const { name, storedAt } of listFiles(incoming)) {
        if (storedAt >= before) continue;
        await rm(join(incoming, name), { force: true });
        removed += 1;
      }
      return removed;
    },
  };
}

/** Tells the operator why, and gives what the caller learns: the disk is full, or does not answer. */
type ToUnavailable = (cause: unknown) => BlobsUnavailable;

/** Writes and syncs a file that is not there yet; on any fault it is gone again. Those of the source stay what they are. */
async function writeDraft(path: string, bytes: AsyncIterable<Uint8Array>, unavailable: ToUnavailable): Promise<void> {
  const throwUnavailable = (fault: unknown) => {
    throw unavailable(fault);
  };
  await using file = await open(path, 'wx', 0o600).catch(throwUnavailable);
  try {
    for await (const piece of bytes) await writeAll(file, piece).catch(throwUnavailable);
    await file.sync().catch(throwUnavailable);
  } catch (fault) {
    await removeDraft(path);
    throw fault;
  }
}

/** Of a file that did not become a blob. On a disk that takes no more it stays for the sweep: what is told is the fault before. */
async function removeDraft(path: string): Promise<void> {
  await rm(path, { force: true }).catch(ignore);
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length; ) {
    const { bytesWritten } = await file.write(piece, at, piece.length - at, null);
    at += bytesWritten;
  }
}

/** Memory of one size that goes from reader to reader. */
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

/** Until when the disk is held slow: what is asked of it goes through threads then, and the event loop goes on. */
type DiskState = {
  readonly stopwatch: () => number;
  readonly unavailable: ToUnavailable;
  readonly isThere: () => Promise<boolean>;
  slowUntil: number;
  slowInARow: number;
};
/** Longer than that nothing takes whose bytes are in memory, but where the system gave the processor to others. */
const slowMs = 1;
const maxSlowInARow = 3;
const slowForMs = 1_000;

/**
 * On plain descriptors, and in this thread as long as the disk answers at once: a hop to another thread and back costs more
 * than to open a file that is in memory, or to read a small one.
 */
async function* readPart(
  path: string,
  { start, end, totalBytes }: BlobPart,
  { buffers, disk }: { readonly buffers: Readonly<Record<'small' | 'large', BufferPool>>; readonly disk: DiskState },
): AsyncGenerator<Buffer> {
  const isSmall = end - start <= smallReadBytes;
  const startedAt = disk.stopwatch();
  const isDiskFast = startedAt >= disk.slowUntil;
  // Nothing is awaited up to where the disk is judged: meanwhile others would go on, and their time is not the disk's.
  let file: number;
  try {
    file = isDiskFast ? openSync(path, 'r') : await openFile(path, 'r');
  } catch (fault) {
    throw await openFault(fault, disk);
  }
  const pool = isSmall ? buffers.small : buffers.large;
  const buffer = pool.take();
  try {
    // What the system knows of an open file, it knows without waiting for the disk.
    const { size } = fstatSync(file);
    if (size !== totalBytes) throw new BlobBroken(`a blob has ${size} bytes on disk, ${totalBytes} on record`);
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

/** Three that were slow in a row are the disk, and not chance. */
function updateDiskState(disk: DiskState, startedAt: number): void {
  const now = disk.stopwatch();
  disk.slowInARow = now - startedAt > slowMs ? disk.slowInARow + 1 : 0;
  if (disk.slowInARow < maxSlowInARow) return;
  disk.slowInARow = 0;
  disk.slowUntil = now + slowForMs;
}

/** What was to be done is done, or has failed: what tidying says changes nothing. */
function ignore(): void {
  return;
}

async function openFault(cause: unknown, { unavailable, isThere }: DiskState): Promise<Error> {
  if (!isNotFoundError(cause) || !(await isThere().catch(() => false))) return unavailable(cause);
  return new BlobBroken('a blob that is on record is not on disk', { cause });
}

async function* listIfThere(folder: string): AsyncGenerator<StoredBlob> {
  if (existsSync(folder)) yield* listFiles(folder);
}

async function* listFiles(folder: string): AsyncGenerator<StoredBlob> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* listFiles(path);
    else {
      // It may be published or removed while the folder is listed.
      const found = await undefinedIfMissing(stat(path));
      if (found !== undefined) yield { name: entry.name, storedAt: found.mtimeMs };
    }
  }
}
