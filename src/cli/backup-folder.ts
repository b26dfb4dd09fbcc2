import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sha256 } from '../kernel/hashing.ts';
import { ifThere } from '../kernel/if-there.ts';
import { anchorFile } from '../ledger/anchor.ts';
import { databaseFile } from '../store/open.ts';
import type { Listed } from './backup-documents.ts';
import { fileAt } from './backup-file.ts';
import type { Manifest } from './backup-manifest.ts';

/** The folder of the documents in a backup. */
export const documentsFolder = 'documents';

/** The digest of an anchor; null where there is none. */
export function digestOfAnchor(anchor: Uint8Array | undefined): Manifest['anchor'] {
  return anchor === undefined ? null : { bytes: anchor.length, sha256: sha256(anchor).toString('hex') };
}

export type Taking = {
  /** A file that is not there yet. */
  readonly to: string;
  /** Aborted when nobody waits for the copy any more. */
  readonly stopped?: AbortSignal;
};

/** So much of a database is read at once. */
const pieceBytes = 2 ** 20;

/**
 * Takes the database out of a backup, for a server to write in, also where the backup is shut to that. Gives why it is not
 * the one that the backup was made with; undefined where it is. In pieces: the system's own copy cannot be stopped.
 */
export async function takeDatabase(
  folder: string,
  { database }: Manifest,
  { to, stopped }: Taking,
): Promise<string | undefined> {
  const source = join(folder, databaseFile);
  await fileAt(source);
  const hash = createHash('sha256');
  await pipeline(
    createReadStream(source, { highWaterMark: pieceBytes }),
    async function* (pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o600 }),
    { signal: stopped },
  );
  return hash.digest('hex') === database.sha256 ? undefined : isAnother(databaseFile);
}

/** The anchor in a backup, undefined where it has none; or why it is not the one that the backup was made with. */
export async function readAnchor(
  folder: string,
  manifest: Manifest,
): Promise<{ readonly anchor: string | undefined } | { readonly differs: string }> {
  const path = join(folder, anchorFile);
  await fileAt(path);
  const anchor = await ifThere(readFile(path));
  const isIt = digestOfAnchor(anchor)?.sha256 === manifest.anchor?.sha256;
  return isIt ? { anchor: anchor?.toString() } : { differs: isAnother(anchorFile) };
}

const isAnother = (name: string): string => `${name} is not the file that the backup was made with: its bytes differ`;

/** Why the documents in a backup are not those that it was made with, by their names and lengths; undefined where they are. */
export function documentsDiffer(found: Listed, { documents }: Manifest): string | undefined {
  if (documents === null || found.sha256 === documents.sha256) return undefined;
  return `the backup holds other documents than it was made with: ${found.count} of ${found.bytes} bytes in all, and then ${documents.count} of ${documents.bytes}`;
}
