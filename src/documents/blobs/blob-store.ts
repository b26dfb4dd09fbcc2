import { join } from 'node:path';
import { UnavailableError } from '../../kernel/unavailable-error.ts';

/**
 * Stores the encrypted bytes of documents. A blob is written once, under a name that is never used again, and exists completely
 * or not at all. The store is not trusted: decryption verifies each byte.
 */
export type BlobStore = {
  /**
   * Stores the bytes; resolves when they are synced and published under `name`. If the source fails, neither `read` nor `list`
   * finds anything. A crash leaves at most what `removeIncompleteUploads` removes.
   */
  put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Reads a part in one request to the storage when the first piece is requested; throws `BlobBroken`. A piece is valid until
   * the next one is requested, because its memory may be reused.
   */
  read(name: string, part: BlobPart): AsyncIterable<Uint8Array>;
  has(name: string): Promise<boolean>;
  /** Removes a blob; no effect if there is none. */
  remove(name: string): Promise<void>;
  list(): AsyncIterable<StoredBlob>;
  /** Removes incomplete uploads from before that instant (epoch ms); returns their number. */
  removeIncompleteUploads(before: number): Promise<number>;
};

/** The bytes `start` to before `end` of a blob that must have `totalBytes`. */
export type BlobPart = { readonly start: number; readonly end: number; readonly totalBytes: number };

/** One blob of `list`; `storedAt` in epoch ms by the clock of the storage. */
export type StoredBlob = { readonly name: string; readonly storedAt: number };

/** A blob is missing, or does not have its stored length. */
export class BlobBroken extends Error {
  override readonly name = 'BlobBroken';
}

/** The storage does not respond, or cannot serve requests now. */
export class BlobsUnavailable extends UnavailableError {
  constructor(message: string, options?: ErrorOptions) {
    super('capacity-reduced', message, { ...options, detail: 'The storage of the documents does not respond.' });
    this.name = 'BlobsUnavailable';
  }
}

/** The names of blobs: document ids, without characters that have a meaning in paths or URLs. */
export const blobNamePattern = /^[A-Za-z0-9_-]{4,64}$/;

/** The subfolders of a blob folder: published blobs, and incomplete uploads. */
export const blobFolders = { sealed: 'sealed', incoming: 'incoming' } as const;

/**
 * The path of a published blob: spread over 1,024 folders by the last two characters of its name, which are random in document
 * ids.
 */
export function blobPath(folder: string, name: string): string {
  if (!blobNamePattern.test(name)) throw new TypeError('expected a blob name of 4 to 64 letters, digits, _ or -');
  return join(folder, blobFolders.sealed, name.slice(-1), name.slice(-2, -1), name);
}
