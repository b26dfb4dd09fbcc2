import { timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/schema';
import { type RootKey, UnknownRootKey } from '../crypto/root-key.ts';
import { readRootKey } from '../crypto/root-key-file.ts';
import { blobNamePattern } from '../documents/blobs/blob-store.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { hmac } from '../kernel/hashing.ts';
import { statFile } from './backup-file.ts';

const manifestFile = 'backup.json';

const count = Type.Integer({ minimum: 0 });
const ids = Type.Array(Type.String({ pattern: blobNamePattern.source }));
// What is told of a backup before it is proved writes nothing else on a terminal.
const rootKeyId = Type.String({ pattern: '^[0-9a-f]{16}$' });
const instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const file = Type.Object({ bytes: count, sha256 });
const manifestSchema = Type.Object({
  format: Type.Literal(1),
  /** The version of the program that made it. */
  program: Type.String({ pattern: '^[\\w.+-]{1,64}$' }),
  /** When it was begun and finished, as instants of RFC 3339. What was stored in between may be in it, or not. */
  begunAt: instant,
  finishedAt: instant,
  database: file,
  /** The root keys that open it, by their ids. None of them is in it. */
  rootKeys: Type.Array(rootKeyId),
  /** Documents that were erased while the backup was made: their rows are in it, their bytes nowhere. */
  erasedMeanwhile: ids,
  /** Documents that had no bytes in the living installation either. */
  missing: ids,
  /** Null where the ledger had signed nothing yet. */
  anchor: Type.Union([file, Type.Null()]),
  /** Null where the documents lie in S3. Their bytes are proved by what the database holds of each. */
  documents: Type.Union([Type.Object({ count, bytes: count, sha256 }), Type.Null()]),
  /** HMAC-SHA-256 over the canonical JSON of all other members, under a key of that root. */
  code: Type.Object({ rootKey: rootKeyId, hmacSha256: sha256 }),
});

/** What stands in `backup.json`, which is written last: a folder without it is no whole backup. */
export type BackupManifest = Static<typeof manifestSchema>;

export const manifestPath = (folder: string): string => join(folder, manifestFile);

/** The manifest of a backup; throws, in words for the operator, where the folder is none or not a whole one. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  let text: string;
  await statFile(manifestPath(folder));
  try {
    text = await readFile(manifestPath(folder), 'utf8');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    throw new Error(`${folder} is no whole backup: ${manifestFile}, which is written last, cannot be read${why}`, {
      cause,
    });
  }
  const manifest = parseManifest(text);
  if (manifest === undefined) throw new Error(`${manifestPath(folder)} is not of a form that this program knows`);
  return manifest;
}

function parseManifest(text: string): BackupManifest | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Check(manifestSchema, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What proves a manifest: a key of the root with that id. */
export type ManifestKey = { readonly rootKey: string; readonly key: Uint8Array };

/**
 * The key for a backup whose database needs these roots: of one of them, so that whoever can open the database can check the
 * manifest. Throws `UnknownRootKey` where the root key is that of another installation.
 */
export function deriveManifestKey(rootKeys: readonly string[], root: RootKey): ManifestKey {
  const [first = root.id] = rootKeys;
  const rootKey = rootKeys.includes(root.id) ? root.id : first;
  return { rootKey, key: root.deriveForRoot(rootKey, 'backup-manifest') };
}

/** Proves a manifest: whoever has the backup has no root key, and so cannot change it. */
export function authenticateManifest(
  manifest: Omit<BackupManifest, 'code'>,
  { rootKey, key }: ManifestKey,
): BackupManifest {
  const code = hmac('sha256', key, canonicalJson(manifest));
  return { ...manifest, code: { rootKey, hmacSha256: code.toString('hex') } };
}

/**
 * The manifest of a backup, with its code checked by the root key in that file; throws where the code is wrong, or the root
 * key is not that of its time.
 */
export async function readVerifiedManifest(folder: string, rootKeyPath: string): Promise<BackupManifest> {
  const manifest = await readManifest(folder);
  const { code, ...members } = manifest;
  const key = loadManifestKey(code.rootKey, rootKeyPath);
  // Members that this program does not know are told as well.
  const wanted = hmac('sha256', key, canonicalJson(members));
  if (timingSafeEqual(wanted, Buffer.from(code.hmacSha256, 'hex'))) return manifest;
  throw new Error(
    `${manifestPath(folder)} is not what was written when the backup was made: its code does not fit root key ${code.rootKey}. Somebody has changed it; use another backup`,
  );
}

function loadManifestKey(rootKeyId: string, rootKeyPath: string): Uint8Array {
  try {
    return requireRootKey(`a backup that was made under root key ${rootKeyId}`, rootKeyPath).deriveForRoot(
      rootKeyId,
      'backup-manifest',
    );
  } catch (cause) {
    if (!(cause instanceof UnknownRootKey)) throw cause;
    throw new Error(
      `the backup was made under root key ${rootKeyId}, and ${rootKeyPath} holds another: name the copy of that time in ROOT_KEY_FILE; see docs/operating.md#the-root-key`,
      { cause },
    );
  }
}

/** The root key in that file, which must not be made anew where it is missing. */
export function requireRootKey(what: string, path: string): RootKey {
  if (existsSync(path)) return readRootKey(path);
  throw new Error(`no root key at ${path}: ${what} needs it. Bring your copy there, or name it in ROOT_KEY_FILE`);
}
