import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { openRegularFile, readRegularFile, UnreadableFile } from '../config/regular-file.ts';
import { FileUsageError, UsageError } from './command.ts';

/** The most bytes of a policy, key set, certificate, mapping, checkpoint, receipt or evidence bundle. */
const maxArgumentFileBytes = 1_048_576;

/**
 * The absolute path of a file in an argument, for a command that reads the file in pieces. Throws a `FileUsageError` if it is not a
 * regular file, or cannot be read.
 */
export async function resolveReadableFile(cwd: string, name: string): Promise<string> {
  const path = resolve(cwd, name);
  await withReadError(name, async () => await (await openRegularFile(path)).close());
  return path;
}

/**
 * The text of a file in an argument, without a byte order mark. Every command reads its small files with this function. Throws a
 * `FileUsageError` if the file is not a regular file, is larger than 1 MiB, or cannot be read.
 */
export async function readArgumentFile(cwd: string, name: string): Promise<string> {
  const bytes = await withReadError(name, () => readRegularFile(resolve(cwd, name), maxArgumentFileBytes));
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

async function withReadError<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new FileUsageError(`Cannot read ${name}: ${readErrorText(cause)}.`, { cause });
  }
}

function readErrorText(cause: unknown): string {
  return cause instanceof UnreadableFile ? cause.message : systemErrorText(cause);
}

/** The error text of the system, such as `ENOENT, no such file or directory`. */
function systemErrorText(cause: unknown): string {
  const isOfSystem = cause instanceof Error && 'code' in cause && 'errno' in cause;
  return isOfSystem ? `${cause.code}, ${getSystemErrorMessage(Number(cause.errno))}` : 'it is not a file';
}

/** Throws a `FileUsageError` if a result file cannot be written. Called before the work starts. */
export function requireWritable(flag: string, path: string): void {
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  } catch (cause) {
    throw new FileUsageError(`${flag}: cannot write ${path}: ${systemErrorText(cause)}.`);
  }
}

/** Throws a `UsageError` if the output would overwrite an input file, even through a link. */
export function requireOtherFile(flag: string, written: string, read: readonly string[]): void {
  const target = statSync(written, { bigint: true, throwIfNoEntry: false });
  if (target === undefined) return;
  for (const path of read) {
    const source = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (source?.ino === target.ino && source.dev === target.dev)
      throw new UsageError(`${flag}: expected another file than the input, received ${path}.`);
  }
}
