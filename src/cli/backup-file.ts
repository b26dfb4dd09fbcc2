import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';

/**
 * What the system knows of the file at a path; undefined where nothing is there. Throws where it is something else, as a
 * pipe, which keeps whoever opens it waiting for ever.
 */
export async function statFile(path: string): Promise<Stats | undefined> {
  const found = await undefinedIfMissing(stat(path));
  if (found === undefined || found.isFile()) return found;
  throw new Error(`${JSON.stringify(path)} is no file`);
}

/** The SHA-256 of a file, in hexadecimal, and its length. */
export async function fileDigest(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
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
