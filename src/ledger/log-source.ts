import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesWithin } from '../kernel/bytes-within.ts';
import { ifThere } from '../kernel/if-there.ts';
import { hashBytes } from './merkle.ts';
import { longestNote } from './note.ts';
import { bundleOf, entriesIn, fullTileBytes, longestEntry, type TileName, tilePath, tileWidth } from './tile.ts';
import { TileMissing } from './tree.ts';

/** Where a verifier reads a log: a folder or a server; it trusts neither. */
export type LogSource = {
  /** The signed checkpoint as it stands there. */
  checkpoint(): Promise<string>;
  /** A tile or bundle, as wide as its name says where it is whole; throws `TileMissing` where it is not there. */
  tile(name: TileName): Promise<Uint8Array>;
};

/** A log in a folder, as `ledger export` writes it. */
export function folderSource(folder: string): LogSource {
  return {
    checkpoint: () => readFile(join(folder, 'checkpoint'), 'utf8'),
    tile: async (name) => {
      return await partOrWhole(name, (one) => ifThere(readFile(join(folder, tilePath(one)))));
    },
  };
}

/** What was partial may have been filled since; it is the beginning of the full one. */
async function partOrWhole(
  name: TileName,
  get: (name: TileName) => Promise<Uint8Array | undefined>,
): Promise<Uint8Array> {
  const part = await get(name);
  if (part !== undefined) return part;
  const whole = name.width === tileWidth ? undefined : await get({ ...name, width: tileWidth });
  if (whole === undefined) throw new TileMissing(name.level, name.index);
  if (name.level !== 'entries') return whole.subarray(0, name.width * hashBytes);
  return bundleOf((entriesIn(whole) ?? []).slice(0, name.width));
}

/** What fetches; `globalThis.fetch` in the running program. */
export type Fetch = (url: string, options: RequestInit) => Promise<Response>;

const timeoutMs = 20_000;
const longestBundle = tileWidth * (longestEntry + 2);

/** A log behind the URL of its prefix. Every fetch has a deadline and a size limit, and follows no redirect. */
export function urlSource(prefix: string, fetching: Fetch): LogSource {
  const base = prefix.replace(/\/+$/, '');
  const get = async (path: string, limit: number): Promise<Uint8Array | undefined> => {
    const url = `${base}/${path}`;
    const options = { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' } as const;
    const response = await fetching(url, options).catch((fault: unknown) => {
      throw new Error(`${url} cannot be fetched: ${causeOf(fault)}`, { cause: fault });
    });
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    return await limitedBody(response, limit);
  };
  return {
    checkpoint: async () => {
      const bytes = await get('checkpoint', longestNote);
      if (bytes === undefined) throw new Error(`${base}/checkpoint is not there`);
      return Buffer.from(bytes).toString();
    },
    tile: async (name) => {
      const limit = name.level === 'entries' ? longestBundle : fullTileBytes;
      return await partOrWhole(name, (one) => get(tilePath(one), limit));
    },
  };
}

// Of a fetch that failed the fault says only that; why stands in its cause.
function causeOf(fault: unknown): string {
  const { message, cause } = fault as Error;
  return cause instanceof Error ? cause.message : message;
}

/** The body of an answer, read to its limit. */
export async function limitedBody(response: Response, limit: number): Promise<Uint8Array> {
  const bytes = await bytesWithin(response.body, limit);
  if (bytes === undefined) throw new Error(`an answer has more than ${limit} bytes`);
  return bytes;
}
