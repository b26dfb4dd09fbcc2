import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { RandomBytes } from '../kernel/clock.ts';
import { keyBytes } from './chunked-encryption.ts';
import {
  type LongLivedPurpose,
  longLivedPurposes,
  type RootKey,
  type RootSecrets,
  reloadableRootKey,
  rootKeyFromSecrets,
} from './root-key.ts';

/** The root key cannot be used; the message has the fix. */
export class RootKeyError extends Error {
  override readonly name = 'RootKeyError';

  constructor(message: string) {
    super(`${message} (see docs/operate/keys.md#the-root-key)`);
  }
}

/**
 * Reads the root key file at `path`, which only its owner may read. Without it no sealed byte can be opened. The first line is
 * the root key: 32 bytes in base64. During a rotation a line `previous` holds the root key before it. After the first rotation,
 * a line `lasting PURPOSE` holds each long-lived subkey, so that it stays the same.
 */
export function readRootKey(path: string): RootKey {
  return reloadableRootKey(() => readRootSecrets(path));
}

/** The keys in the file, without deriving subkeys; `RootKeyError` if the file is missing, readable by others, or damaged. */
export function readRootSecrets(path: string): RootSecrets {
  let text: string;
  try {
    const file = statSync(path);
    // The advice to run chmod on a device such as /dev/null would lock out the whole machine.
    if (file.isCharacterDevice()) throw new RootKeyError(`${path} is a device, not a root key file`);
    const mode = file.mode & 0o777;
    if ((mode & 0o077) !== 0) {
      throw new RootKeyError(`${path} has mode ${mode.toString(8)}: others can read it. Run: chmod 600 ${path}`);
    }
    text = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    if (cause instanceof RootKeyError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    // Only a missing file gets the advice to create one: a second root key could open nothing.
    if (code !== 'ENOENT') {
      throw new RootKeyError(`${path} cannot be read (${code}). Make the user of the server its owner`);
    }
    throw new RootKeyError(
      `no root key at ${path}. Restore your copy of it. For a new installation, run "citizen-services keys create"`,
    );
  }
  const [first = '', ...more] = text.split('\n');
  const longLived = new Map<LongLivedPurpose, Uint8Array>();
  let previous: Uint8Array | undefined;
  for (const line of more) {
    const [word, ...rest] = line.trim().split(' ');
    const purpose = longLivedPurposes.find((one) => one === rest[0]);
    if (word === 'previous') previous = parseKeyLine(path, rest[0]);
    else if (word === 'lasting' && purpose !== undefined) longLived.set(purpose, parseKeyLine(path, rest[1]));
    else throw new RootKeyError(`${path} holds a line that this program does not know. Restore it from your copy`);
  }
  return { current: parseKeyLine(path, first), previous, ...(longLived.size > 0 ? { longLived } : {}) };
}

function parseKeyLine(path: string, text = ''): Uint8Array {
  const key = Buffer.from(text, 'base64');
  if (key.length !== keyBytes || key.toString('base64') !== text) {
    throw new RootKeyError(
      `${path} holds no root key: expected ${keyBytes} bytes in base64. Restore it from your copy`,
    );
  }
  return key;
}

/** Creates a root key (32 random bytes) in a synced file of mode 0600. The folder must exist, and the file must not. */
export function createRootKey(path: string, random: RandomBytes): RootKey {
  // A crash leaves no partial key at `path`. `link`, unlike `rename`, never replaces an existing file.
  rmSync(`${path}.new`, { force: true });
  writeNewKeyFile(`${path}.new`, { current: random(keyBytes) });
  linkSync(`${path}.new`, path);
  rmSync(`${path}.new`);
  syncDirectory(dirname(path));
  return readRootKey(path);
}

/**
 * Begins a rotation: writes a new root key, the old one as `previous`, and the long-lived subkeys. Throws while an earlier
 * rotation is not finished.
 */
export function beginRotation(path: string, random: RandomBytes): void {
  const { current, previous, longLived } = readRootSecrets(path);
  if (previous !== undefined) throw new RootKeyError(`${path}: an earlier rotation is not finished`);
  const keys = rootKeyFromSecrets({ current, longLived });
  const longLivedKeys = new Map(longLivedPurposes.map((purpose) => [purpose, keys.derive(purpose)]));
  replaceKeyFile(path, { current: random(keyBytes), previous: current, longLived: longLivedKeys });
}

/** Ends a rotation: removes the old root key from the file. Call it only when nothing is wrapped by that key any more. */
export function endRotation(path: string): void {
  const { current, longLived } = readRootSecrets(path);
  replaceKeyFile(path, { current, longLived });
}

function replaceKeyFile(path: string, secrets: RootSecrets): void {
  // A crash may have left a `.new` file. It was never the root key, because only the rename makes it one.
  rmSync(`${path}.new`, { force: true });
  writeNewKeyFile(`${path}.new`, secrets);
  renameSync(`${path}.new`, path);
  syncDirectory(dirname(path));
}

function writeNewKeyFile(path: string, { current, previous, longLived }: RootSecrets): void {
  const base64 = (key: Uint8Array) => Buffer.from(key).toString('base64');
  const lines = [
    base64(current),
    ...(previous === undefined ? [] : [`previous ${base64(previous)}`]),
    ...[...(longLived ?? [])].map(([purpose, key]) => `lasting ${purpose} ${base64(key)}`),
  ];
  writeFileSync(path, `${lines.join('\n')}\n`, { flag: 'wx', mode: 0o600, flush: true });
}

function syncDirectory(folder: string): void {
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
