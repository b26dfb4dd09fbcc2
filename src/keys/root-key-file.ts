import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Random } from '../kernel/clock.ts';
import { keyBytes } from './chunked-encryption.ts';
import { type RootKey, rootKeyFrom } from './root-key.ts';

/** Why the root key cannot be had, with the command that helps. */
export class RootKeyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RootKeyError';
  }
}

/** The root key in `path`: 32 bytes in base64, readable by its owner alone. Without it no sealed byte can be opened. */
export function readRootKey(path: string): RootKey {
  let text: string;
  try {
    const mode = statSync(path).mode & 0o777;
    if ((mode & 0o077) !== 0) {
      throw new RootKeyError(`${path} has mode ${mode.toString(8)}: others can read it. Run: chmod 600 ${path}`);
    }
    text = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    if (cause instanceof RootKeyError) throw cause;
    throw new RootKeyError(
      `no root key at ${path}. Make one with: citizen-services keys create — and keep a copy elsewhere`,
    );
  }
  const root = Buffer.from(text, 'base64');
  if (root.length !== keyBytes || root.toString('base64') !== text) {
    throw new RootKeyError(
      `${path} holds no root key: expected ${keyBytes} bytes in base64. Restore it from your copy`,
    );
  }
  return rootKeyFrom(root);
}

/** Makes a new root key in a file of mode 0600, synced; refuses to touch a file that is there. */
export function createRootKey(path: string, random: Random): RootKey {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const root = random(keyBytes);
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, `${Buffer.from(root).toString('base64')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return rootKeyFrom(root);
}
