import { join } from 'node:path';
import { UnavailableError } from '../../kernel/unavailable-error.ts';

/**
 * Where the sealed bytes of documents lie. A blob is written once, under a name that is never used again, and is there
 * as a whole or not at all. The store is not trusted: what it gives back is checked by the seal.
 */
export type BlobStore = {
  /**
   * Stores the bytes and resolves when they are synced and published under `name`. A source that fails leaves nothing
   * that `read` or `list` could find; a crash leaves at most what `removeBroken` takes away.
   */
  put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Reads a part in one request to the storage, begun when the first piece is asked for; throws `BlobBroken`. A piece is
   * good until the next is asked for, which may be read into the same memory; until then it may be written over.
   */
  read(name: string, part: BlobPart): AsyncIterable<Uint8Array>;
  /** Whether a blob of that name is published. */
  has(name: string): Promise<boolean>;
  /** Removes a blob; harmless where there is none. */
  remove(name: string): Promise<void>;
  /** Every published blob, in no order. */
  list(): AsyncIterable<StoredBlob>;
  /** Removes what uploads that broke off before that instant (epoch ms) left; gives how many there were. */
  removeIncompleteUploads(before: number): Promise<number>;
};

/** The bytes from `start` up to, without, `end` of a blob that must have `totalBytes`. */
export type BlobPart = { readonly start: number; readonly end: number; readonly totalBytes: number };

/** One blob as `list` finds it; `storedAt` in epoch ms by the clock of the storage. */
export type StoredBlob = { readonly name: string; readonly storedAt: number };

/** A blob that is missing, or not of the length that it had when it was stored. */
export class BlobBroken extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BlobBroken';
  }
}

/** The storage gives no answer, or one that it cannot serve at present. */
export class BlobsUnavailable extends UnavailableError {
  constructor(message: string, options?: ErrorOptions) {
    super('capacity-reduced', message, options);
    this.name = 'BlobsUnavailable';
  }
}

/** The names a blob may have: those of our ids, and nothing that means something in a path or a URL. */
export const blobNamePattern = /^[A-Za-z0-9_-]{4,64}$/;

/** What a folder of blobs holds: what is published, and what is being written. */
export const blobFolders = { sealed: 'sealed', incoming: 'incoming' } as const;

/**
 * Where a published blob lies in a folder: spread over 1,024 folders by the last two characters of its name, which are random
 * in our ids.
 */
export function blobPath(folder: string, name: string): string {
  if (!blobNamePattern.test(name)) throw new TypeError('that is not the name of a blob');
  return join(folder, blobFolders.sealed, name.slice(-1), name.slice(-2, -1), name);
}
