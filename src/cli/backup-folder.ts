import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { databaseFile } from '../store/open.ts';

/** The folder of the documents in a backup. */
export const documentsFolder = 'documents';
const manifestFile = 'backup.json';

const count = Type.Integer({ minimum: 0 });
const ids = Type.Array(Type.String());
const manifestSchema = Type.Object({
  format: Type.Literal(1),
  /** The version of the program that made it. */
  program: Type.String(),
  /** When it was begun and finished, as instants of RFC 3339. What was stored in between may be in it, or not. */
  begunAt: Type.String(),
  finishedAt: Type.String(),
  database: Type.Object({ bytes: count, sha256: Type.String() }),
  /** The root keys that open it, by their ids. None of them is in it. */
  rootKeys: ids,
  /** Null where the documents lie in S3. */
  documents: Type.Union([Type.Object({ count, bytes: count }), Type.Null()]),
  /** Documents that were erased while the backup was made: their rows are in it, their bytes nowhere. */
  erasedMeanwhile: ids,
  /** Documents that had no bytes in the living installation either. */
  missing: ids,
});

/** What stands in `backup.json`, which is written last: a folder without it is no whole backup. */
export type Manifest = Static<typeof manifestSchema>;

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
    return Check(manifestSchema, value) ? value : undefined;
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
