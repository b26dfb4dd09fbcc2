import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { databaseFile } from '../store/open.ts';

/** The folder of the documents in a backup. */
export const documentsFolder = 'documents';
const manifestFile = 'backup.json';

/** What stands in `backup.json`, which is written last: a folder without it is no whole backup. */
export type Manifest = {
  readonly format: 1;
  /** The version of the program that made it. */
  readonly program: string;
  /** When it was begun and finished, as instants of RFC 3339. What was stored in between may be in it, or not. */
  readonly begunAt: string;
  readonly finishedAt: string;
  readonly database: { readonly bytes: number; readonly sha256: string };
  /** The root keys that open it, by their ids. None of them is in it. */
  readonly rootKeys: readonly string[];
  /** Null where the documents lie in S3. */
  readonly documents: { readonly count: number; readonly bytes: number } | null;
  /** Documents that were erased while the backup was made: their rows are in it, their bytes nowhere. */
  readonly erasedMeanwhile: readonly string[];
  /** Documents that had no bytes in the living installation either. */
  readonly missing: readonly string[];
};

export const manifestPath = (folder: string): string => join(folder, manifestFile);

/** The manifest of a backup; throws, in words for the operator, where the folder is none or not a whole one. */
export async function readManifest(folder: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(manifestPath(folder), 'utf8');
  } catch (cause) {
    throw new Error(`${folder} is no whole backup: ${manifestFile}, which is written last, cannot be read`, { cause });
  }
  const manifest = parsed(text);
  if (manifest === undefined) throw new Error(`${manifestPath(folder)} is not of a form that this program knows`);
  return manifest;
}

function parsed(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isKnown = typeof value === 'object' && value !== null && 'format' in value && value.format === 1;
    // Written by `backup-create.ts`; what was changed since shows in the checks.
    return isKnown ? (value as Manifest) : undefined;
  } catch {
    return undefined;
  }
}

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

/** Why a file is not the database that the backup was made with; undefined where it is. */
export async function databaseFault({ database }: Manifest, path: string): Promise<string | undefined> {
  if ((await digestOf(path)).sha256 === database.sha256) return undefined;
  return `${databaseFile} is not the file that the backup was made with: its bytes differ`;
}
