import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { FileUsageError, UsageError } from './command.ts';

/** The absolute path of a file in an argument; throws a `FileUsageError` if it does not exist or is a folder. */
export function resolveReadableFile(cwd: string, name: string): string {
  const path = resolve(cwd, name);
  if (withReadError(name, () => statSync(path)).isDirectory())
    throw new FileUsageError(`cannot read ${name}: it is a folder`);
  return path;
}

/** The text of a file in an argument, without a byte order mark; throws a `FileUsageError` if it cannot be read. */
export function readArgumentFile(cwd: string, name: string): string {
  return withReadError(name, () => readFileSync(resolve(cwd, name), 'utf8')).replace(/^\ufeff/, '');
}

function withReadError<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new FileUsageError(`cannot read ${name}: ${systemErrorText(cause)}`);
  }
}

/** The error text of the system, such as `ENOENT, no such file or directory`. */
function systemErrorText(cause: unknown): string {
  const isOfSystem = cause instanceof Error && 'code' in cause && 'errno' in cause;
  return isOfSystem ? `${cause.code}, ${getSystemErrorMessage(Number(cause.errno))}` : 'it is no file';
}

/** Throws a `FileUsageError` if a result file cannot be written. Called before the work starts. */
export function requireWritable(flag: string, path: string): void {
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  } catch (cause) {
    throw new FileUsageError(`${flag} ${path} cannot be written: ${systemErrorText(cause)}`);
  }
}

/** Throws a `UsageError` if the output would overwrite an input file, also through a link. */
export function requireOtherFile(flag: string, written: string, read: readonly string[]): void {
  const target = statSync(written, { bigint: true, throwIfNoEntry: false });
  if (target === undefined) return;
  for (const path of read) {
    const source = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (source?.ino === target.ino && source.dev === target.dev)
      throw new UsageError(`${flag} names a file that is read: ${path}`);
  }
}
