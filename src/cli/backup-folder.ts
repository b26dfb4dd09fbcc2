import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { databaseFile } from '../db/open-database.ts';
import { sha256 } from '../kernel/hashing.ts';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';
import { anchorFileName } from '../ledger/anchor.ts';
import type { DocumentListing } from './backup-documents.ts';
import { statFile } from './backup-file.ts';
import type { BackupManifest } from './backup-manifest.ts';

/** The folder of the documents within a backup. */
export const documentsFolder = 'documents';

/** The digest of an anchor for the manifest; null if there is no anchor. */
export function anchorDigest(anchor: Uint8Array | undefined): BackupManifest['anchor'] {
  return anchor === undefined ? null : { bytes: anchor.length, sha256: sha256(anchor).toString('hex') };
}

/** Where the database is copied to, and when to stop. */
type ExtractOptions = {
  /** A file that does not exist yet. */
  readonly to: string;
  /** Aborts the copy. */
  readonly stopped?: AbortSignal;
};

const chunkBytes = 2 ** 20;

/**
 * Copies the database out of a backup, with mode 0600. Returns the reason if its digest is not the one in the manifest;
 * undefined if it is. A stream can be aborted; `copyFile` cannot.
 */
export async function extractDatabase(
  folder: string,
  { database }: BackupManifest,
  { to, stopped }: ExtractOptions,
): Promise<string | undefined> {
  const source = join(folder, databaseFile);
  await statFile(source);
  const hash = createHash('sha256');
  await pipeline(
    createReadStream(source, { highWaterMark: chunkBytes }),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o600 }),
    { signal: stopped },
  );
  return hash.digest('hex') === database.sha256 ? undefined : differsMessage(databaseFile);
}

/** The anchor in a backup, undefined if it has none; or the reason if its digest is not the one in the manifest. */
export async function readBackupAnchor(
  folder: string,
  manifest: BackupManifest,
): Promise<{ readonly anchor: string | undefined } | { readonly differs: string }> {
  const path = join(folder, anchorFileName);
  await statFile(path);
  const anchor = await undefinedIfMissing(readFile(path));
  const isSame = anchorDigest(anchor)?.sha256 === manifest.anchor?.sha256;
  return isSame ? { anchor: anchor?.toString() } : { differs: differsMessage(anchorFileName) };
}

const differsMessage = (name: string): string => `${name} is not the file of the backup: its digest differs`;

/** The reason if the names or lengths of the documents in a backup differ from the manifest; undefined if they match. */
export function documentsDifference(found: DocumentListing, { documents }: BackupManifest): string | undefined {
  if (documents === null || found.sha256 === documents.sha256) return undefined;
  return `the documents differ from the manifest: expected ${documents.count} documents with ${documents.bytes} bytes, found ${found.count} with ${found.bytes} bytes`;
}
