import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';

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
