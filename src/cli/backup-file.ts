import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';
import { CommandFailed } from './command.ts';

/** The stats of a file; undefined if nothing exists at the path. Throws if it is not a regular file: opening a pipe would never end. */
export async function statFile(path: string): Promise<Stats | undefined> {
  const stats = await undefinedIfMissing(stat(path));
  if (stats === undefined || stats.isFile()) return stats;
  throw new CommandFailed(`Expected a file, but ${JSON.stringify(path)} is not a file.`);
}

/** The length of a file and its SHA-256 in hexadecimal. Reads it as a stream. */
export async function fileDigest(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const [file, hash] = [createReadStream(path), createHash('sha256')];
  await pipeline(file, hash);
  return { bytes: file.bytesRead, sha256: hash.digest('hex') };
}
