import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { databaseFile } from '../store/open.ts';
import type { Manifest } from './backup-manifest.ts';

/** The folder of the documents in a backup. */
export const documentsFolder = 'documents';
/** The SHA-256 of a file, in hexadecimal, and its length. */
export async function digestOf(path: string): Promise<Manifest['database']> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(createReadStream(path), async (pieces) => {
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
    }
  });
  return { bytes, sha256: hash.digest('hex') };
}

/**
 * Takes the database out of a backup, for a server to write in, also where the backup is shut to that. Gives why it is not
 * the one that the backup was made with; undefined where it is.
 */
export async function takeDatabase(folder: string, { database }: Manifest, to: string): Promise<string | undefined> {
  await copyFile(join(folder, databaseFile), to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
  if ((await digestOf(to)).sha256 === database.sha256) return undefined;
  return `${databaseFile} is not the file that the backup was made with: its bytes differ`;
}
