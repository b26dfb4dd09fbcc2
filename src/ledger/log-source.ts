import { join } from 'node:path';
import { readRegularFile } from '../config/regular-file.ts';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';
import { hashBytes } from './tlog/merkle.ts';
import { maxNoteBytes } from './tlog/note.ts';
import {
  encodeBundle,
  fullTileBytes,
  maxEntryBytes,
  parseBundle,
  type TileName,
  tilePath,
  tileWidth,
} from './tlog/tile.ts';
import { TileMissing } from './tlog/tiled-tree.ts';

/** Where a verifier reads a log: a folder or a server. It trusts neither. */
export type LogSource = {
  checkpoint(): Promise<string>;
  /** A tile or bundle of the width in its name; throws `TileMissing` if it does not exist. */
  tile(name: TileName): Promise<Uint8Array>;
};

/** A log in a folder, in the layout of `ledger export`. */
export function folderLogSource(folder: string): LogSource {
  return {
    checkpoint: async () => (await readRegularFile(join(folder, 'checkpoint'), maxNoteBytes)).toString(),
    tile: async (name) => {
      const read = (one: TileName) =>
        undefinedIfMissing(readRegularFile(join(folder, tilePath(one)), maxTileBytes(one)));
      return await readPartialOrFullTile(name, read);
    },
  };
}

/** The full tile may have replaced a partial one. The partial tile is a prefix of it. */
async function readPartialOrFullTile(
  name: TileName,
  get: (name: TileName) => Promise<Uint8Array | undefined>,
): Promise<Uint8Array> {
  const part = await get(name);
  if (part !== undefined) return part;
  const whole = name.width === tileWidth ? undefined : await get({ ...name, width: tileWidth });
  if (whole === undefined) throw new TileMissing(name.level, name.index);
  if (name.level !== 'entries') return whole.subarray(0, name.width * hashBytes);
  return encodeBundle((parseBundle(whole) ?? []).slice(0, name.width));
}

/** A log cannot be read: the request failed, or the response is not the expected one. */
class LogSourceError extends Error {
  override readonly name = 'LogSourceError';
}

/** A `fetch` function; `globalThis.fetch` in the running program. */
export type FetchUrl = (url: string, options: RequestInit) => Promise<Response>;

const timeoutMs = 20_000;
const maxBundleBytes = tileWidth * (maxEntryBytes + 2);

function maxTileBytes({ level }: TileName): number {
  return level === 'entries' ? maxBundleBytes : fullTileBytes;
}

/** A log at the URL of its prefix. Each fetch has a deadline and a size limit, and follows no redirect. */
export function httpLogSource(prefix: string, fetchUrl: FetchUrl): LogSource {
  const base = prefix.replace(/\/+$/, '');
  const get = async (path: string, limit: number): Promise<Uint8Array | undefined> => {
    const url = `${base}/${path}`;
    const options = { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' } as const;
    const response = await fetchUrl(url, options).catch((fault: unknown) => {
      throw new LogSourceError(`${url} cannot be fetched: ${fetchErrorMessage(fault)}`, { cause: fault });
    });
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    if (response.status !== 200) throw new LogSourceError(`${url} answered ${response.status}`);
    return await readBodyUpTo(response, limit);
  };
  return {
    checkpoint: async () => {
      const bytes = await get('checkpoint', maxNoteBytes);
      if (bytes === undefined)
        throw new LogSourceError(`${base} has no checkpoint. The address of a ledger ends with /ledger`);
      return Buffer.from(bytes).toString();
    },
    tile: async (name) => {
      return await readPartialOrFullTile(name, (one) => get(tilePath(one), maxTileBytes(one)));
    },
  };
}

// The error of a failed fetch has its reason in `cause`.
function fetchErrorMessage(fault: unknown): string {
  const { message, cause } = fault as Error;
  return cause instanceof Error ? cause.message : message;
}

/** The body of a response, up to `limit` bytes; throws `LogSourceError` if it is longer. */
export async function readBodyUpTo(response: Response, limit: number): Promise<Uint8Array> {
  const bytes = await readBytesUpTo(response.body, limit);
  if (bytes === undefined) throw new LogSourceError(`an answer has more than ${limit} bytes`);
  return bytes;
}
