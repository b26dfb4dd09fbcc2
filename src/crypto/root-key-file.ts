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

/** Why the root key cannot be had, with the command that helps. */
export class RootKeyError extends Error {
  constructor(message: string) {
    super(`${message} (see docs/operating.md#the-root-key)`);
    this.name = 'RootKeyError';
  }
}

/**
 * The root key in `path`, readable by its owner alone. Without it no sealed byte can be opened. The first line is the
 * root: 32 bytes in base64. After a rotation has begun there are more: `previous` with the root before it, and `lasting`
 * with each key that must stay what it was.
 */
export function readRootKey(path: string): RootKey {
  return reloadableRootKey(() => readRootSecrets(path));
}

/** What the file holds. */
export function readRootSecrets(path: string): RootSecrets {
  let text: string;
  try {
    const file = statSync(path);
    // Whoever shuts one, as all are told whose key others can read, shuts it to the whole machine.
    if (file.isCharacterDevice()) throw new RootKeyError(`${path} is a device, and holds no root key`);
    const mode = file.mode & 0o777;
    if ((mode & 0o077) !== 0) {
      throw new RootKeyError(`${path} has mode ${mode.toString(8)}: others can read it. Run: chmod 600 ${path}`);
    }
    text = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    if (cause instanceof RootKeyError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    // Who is told that there is none makes another one.
    if (code !== 'ENOENT') {
      throw new RootKeyError(
        `${path} cannot be read (${code}): it has to be a file that the user of this process owns`,
      );
    }
    throw new RootKeyError(
      `no root key at ${path}. Make one with: citizen-services keys create — and keep a copy elsewhere`,
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

/** Makes a new root key in a file of mode 0600, synced, of a folder that is there; refuses to touch a file that is there. */
export function createRootKey(path: string, random: RandomBytes): RootKey {
  // A crash on the way leaves no half key under its name; and a link, unlike a rename, takes nobody's place.
  rmSync(`${path}.new`, { force: true });
  writeNewKeyFile(`${path}.new`, { current: random(keyBytes) });
  linkSync(`${path}.new`, path);
  rmSync(`${path}.new`);
  syncDirectory(dirname(path));
  return readRootKey(path);
}

/**
 * Begins a rotation: a new root in the file, the old one beside it as `previous`, and what must last written out. Refuses
 * while an earlier rotation is not finished.
 */
export function beginRotation(path: string, random: RandomBytes): void {
  const { current, previous, longLived } = readRootSecrets(path);
  if (previous !== undefined) throw new RootKeyError(`${path}: the rotation before this one is not finished`);
  const keys = rootKeyFromSecrets({ current, longLived });
  const longLivedKeys = new Map(longLivedPurposes.map((purpose) => [purpose, keys.derive(purpose)]));
  replaceKeyFile(path, { current: random(keyBytes), previous: current, longLived: longLivedKeys });
}

/** Ends a rotation: the old root leaves the file. To be called only when nothing is wrapped by it any more. */
export function endRotation(path: string): void {
  const { current, longLived } = readRootSecrets(path);
  replaceKeyFile(path, { current, longLived });
}

function replaceKeyFile(path: string, secrets: RootSecrets): void {
  // What a crash may have left is of no use: only the rename makes it the root key.
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
  const file = openSync(path, 'wx', 0o600);
  try {
    // All of it, or a fault: one call of the system may take a part of it, and no root key would be left.
    writeFileSync(file, `${lines.join('\n')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncDirectory(dirname(path));
}

function syncDirectory(folder: string): void {
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
