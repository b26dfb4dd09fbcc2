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

/** The folder of the documents in a backup. */
export const documentsFolder = 'documents';

/** The digest of an anchor; null where there is none. */
export function anchorDigest(anchor: Uint8Array | undefined): BackupManifest['anchor'] {
  return anchor === undefined ? null : { bytes: anchor.length, sha256: sha256(anchor).toString('hex') };
}

export type ExtractOptions = {
  /** A file that is not there yet. */
  readonly to: string;
  /** Aborted when nobody waits for the copy any more. */
  readonly stopped?: AbortSignal;
};

/** So much of a database is read at once. */
const chunkBytes = 2 ** 20;

/**
 * Takes the database out of a backup, for a server to write in, also where the backup is shut to that. Gives why it is not
 * the one that the backup was made with; undefined where it is. In pieces: the system's own copy cannot be stopped.
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
    async function* (pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o600 }),
    { signal: stopped },
  );
  return hash.digest('hex') === database.sha256 ? undefined : differsMessage(databaseFile);
}

/** The anchor in a backup, undefined where it has none; or why it is not the one that the backup was made with. */
export async function readBackupAnchor(
  folder: string,
  manifest: BackupManifest,
): Promise<{ readonly anchor: string | undefined } | { readonly differs: string }> {
  const path = join(folder, anchorFileName);
  await statFile(path);
  const anchor = await undefinedIfMissing(readFile(path));
  const isIt = anchorDigest(anchor)?.sha256 === manifest.anchor?.sha256;
  return isIt ? { anchor: anchor?.toString() } : { differs: differsMessage(anchorFileName) };
}

const differsMessage = (name: string): string =>
  `${name} is not the file that the backup was made with: its bytes differ`;

/** Why the documents in a backup are not those that it was made with, by their names and lengths; undefined where they are. */
export function documentsDifference(found: DocumentListing, { documents }: BackupManifest): string | undefined {
  if (documents === null || found.sha256 === documents.sha256) return undefined;
  return `the backup holds other documents than it was made with: ${found.count} of ${found.bytes} bytes in all, and then ${documents.count} of ${documents.bytes}`;
}
