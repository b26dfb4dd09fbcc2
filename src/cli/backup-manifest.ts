import { timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/schema';
import { readRegularFile, UnreadableFile } from '../config/regular-file.ts';
import { type RootKey, UnknownRootKey } from '../crypto/root-key.ts';
import { readRootKey } from '../crypto/root-key-file.ts';
import { blobNamePattern } from '../documents/blobs/blob-store.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { hmac } from '../kernel/hashing.ts';
import { statFile } from './backup-file.ts';
import { CommandFailed } from './command.ts';

const manifestFile = 'backup.json';
/** Enough for the ids of a million missing documents. */
const maxManifestBytes = 67_108_864;

const count = Type.Integer({ minimum: 0 });
const ids = Type.Array(Type.String({ pattern: blobNamePattern.source }));
// Messages show these members before the code is checked, so they must not contain control characters for a terminal.
const rootKeyId = Type.String({ pattern: '^[0-9a-f]{16}$' });
const instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const file = Type.Object({ bytes: count, sha256 });
const manifestSchema = Type.Object({
  format: Type.Literal(1),
  /** The version of the program that created it. */
  program: Type.String({ pattern: '^[\\w.+-]{1,64}$' }),
  /** RFC 3339. Data that was stored between these instants may be in the backup or not. */
  begunAt: instant,
  finishedAt: instant,
  database: file,
  /** The ids of the root keys that open it. The keys are not in it. */
  rootKeys: Type.Array(rootKeyId),
  /** Documents that were erased during the backup: the backup has their rows, but not their content. */
  erasedMeanwhile: ids,
  /** Documents whose content was missing in the installation too. */
  missing: ids,
  /** Null if the ledger had no checkpoint yet. */
  anchor: Type.Union([file, Type.Null()]),
  /** Null if the documents are in S3. The digest covers names and lengths; the seal of each document protects its content. */
  documents: Type.Union([Type.Object({ count, bytes: count, sha256 }), Type.Null()]),
  /** HMAC-SHA-256 over the canonical JSON of all other members, with a key derived from this root key. */
  code: Type.Object({ rootKey: rootKeyId, hmacSha256: sha256 }),
});

/** The content of `backup.json`. It is written last: a folder without it is not a complete backup. */
export type BackupManifest = Static<typeof manifestSchema>;

/** The path of the manifest in the folder of a backup. */
export const manifestPath = (folder: string): string => join(folder, manifestFile);

/** The manifest of a backup, whose code is not checked. Throws `CommandFailed` if the folder is not a complete backup. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  let text: string;
  await statFile(manifestPath(folder));
  try {
    text = (await readRegularFile(manifestPath(folder), maxManifestBytes)).toString();
  } catch (cause) {
    if (cause instanceof UnreadableFile)
      throw new CommandFailed(`${manifestPath(folder)}: ${cause.message}`, { cause });
    const why = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    throw new CommandFailed(
      `${folder} is not a complete backup: cannot read ${manifestFile}, which is written last${why}. Use another backup.`,
      { cause },
    );
  }
  const manifest = parseManifest(text);
  if (manifest === undefined)
    throw new CommandFailed(
      `${manifestPath(folder)} has an unknown format. Use the version of this program that created the backup, or a newer one.`,
    );
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

/** The key that authenticates a manifest, and the id of the root key that it is derived from. */
type ManifestKey = { readonly rootKey: string; readonly key: Uint8Array };

/**
 * The manifest key for a backup whose database needs these root keys. It is derived from one of them, so that the root key
 * that opens the database also checks the manifest. Throws `UnknownRootKey` if the root key belongs to another installation.
 */
export function deriveManifestKey(rootKeys: readonly string[], root: RootKey): ManifestKey {
  const [first = root.id] = rootKeys;
  const rootKey = rootKeys.includes(root.id) ? root.id : first;
  return { rootKey, key: root.deriveForRoot(rootKey, 'backup-manifest') };
}

/** Adds the code to a manifest. Without the root key nobody can change the manifest undetected. */
export function authenticateManifest(
  manifest: Omit<BackupManifest, 'code'>,
  { rootKey, key }: ManifestKey,
): BackupManifest {
  const code = hmac('sha256', key, canonicalJson(manifest));
  return { ...manifest, code: { rootKey, hmacSha256: code.toString('hex') } };
}

/** The manifest of a backup after a check of its code. Throws `CommandFailed` if the code is wrong, or was made with another root key. */
export async function readVerifiedManifest(folder: string, rootKeyPath: string): Promise<BackupManifest> {
  const manifest = await readManifest(folder);
  const { code, ...members } = manifest;
  const key = loadManifestKey(code.rootKey, rootKeyPath);
  // The code covers unknown members too.
  const expected = hmac('sha256', key, canonicalJson(members));
  if (timingSafeEqual(expected, Buffer.from(code.hmacSha256, 'hex'))) return manifest;
  throw new CommandFailed(
    `${manifestPath(folder)} was changed after the backup was created: its code does not match root key ${code.rootKey}. Use another backup.`,
  );
}

function loadManifestKey(rootKeyId: string, rootKeyPath: string): Uint8Array {
  try {
    return requireRootKey(`a backup with root key ${rootKeyId}`, rootKeyPath).deriveForRoot(
      rootKeyId,
      'backup-manifest',
    );
  } catch (cause) {
    if (!(cause instanceof UnknownRootKey)) throw cause;
    throw new CommandFailed(
      `The backup needs root key ${rootKeyId}, but ${rootKeyPath} contains another key. Set ROOT_KEY_FILE to your copy of that key: docs/operate/keys.md#the-root-key`,
      { cause },
    );
  }
}

/** The root key in a file. Throws `CommandFailed` if the file is missing; `purpose` says what needs the key. A new key would not help. */
export function requireRootKey(purpose: string, path: string): RootKey {
  if (existsSync(path)) return readRootKey(path);
  throw new CommandFailed(
    `Expected the root key for ${purpose} at ${path}, but the file does not exist. Put your copy there, or set ROOT_KEY_FILE to its path.`,
  );
}
