import { hashBytes } from './merkle.ts';

/** The number of hashes or entries of a full tile or bundle. This file has the paths and formats of c2sp.org/tlog-tiles. */
export const tileWidth = 256;

/** The name of a tile of hashes at a level, or of a bundle of entries. `width` is 256, or less for a partial tile. */
export type TileName = { readonly level: number | 'entries'; readonly index: number; readonly width: number };

/** The path of a tile, relative to the prefix of the log, such as `tile/0/x001/x234/067.p/8`. */
export function tilePath({ level, index, width }: TileName): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const last = groups.length - 1;
  const path = groups.map((group, at) => (at === last ? group : `x${group}`)).join('/');
  return `tile/${level}/${path}${width === tileWidth ? '' : `.p/${width}`}`;
}

const pathPattern = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** The tile at a path; undefined for any text that `tilePath` does not produce. */
export function parseTilePath(path: string): TileName | undefined {
  const match = pathPattern.exec(path);
  if (match === null) return undefined;
  const level = match[1] === 'entries' ? 'entries' : Number(match[1]);
  const index = Number((match[2] ?? '').replaceAll(/[x/]/g, ''));
  const width = match[3] === undefined ? tileWidth : Number(match[3]);
  if (level !== 'entries' && level > 63) return undefined;
  const name: TileName = { level, index, width };
  return Number.isSafeInteger(index) && tilePath(name) === path ? name : undefined;
}

/** The number of hashes at level `level` in a tree of `size` leaves. */
export function hashesAtLevel(level: number, size: number): number {
  return Math.floor(size / tileWidth ** level);
}

/** The width of a tile in a tree of `size` leaves; 0 if the tree does not have it. */
export function tileWidthAt(size: number, level: number | 'entries', index: number): number {
  const count = hashesAtLevel(level === 'entries' ? 0 : level, size);
  return Math.max(0, Math.min(tileWidth, count - index * tileWidth));
}

/** The names of all tiles and bundles of a tree of `size` leaves, level by level, bundles last. */
export function* tilesOfTree(size: number): Generator<TileName> {
  for (let level = 0; hashesAtLevel(level, size) > 0; level += 1) yield* tilesAt(level, hashesAtLevel(level, size));
  yield* tilesAt('entries', size);
}

function* tilesAt(level: TileName['level'], count: number): Generator<TileName> {
  for (let index = 0; index * tileWidth < count; index += 1) {
    yield { level, index, width: Math.min(tileWidth, count - index * tileWidth) };
  }
}

/** The length of a full tile of hashes in bytes. */
export const fullTileBytes = tileWidth * hashBytes;

/** The length of the longest entry in bytes: a bundle has 16-bit lengths. */
export const maxEntryBytes = 65_535;

/** A bundle of entries: each with its length as a big-endian uint16 before it. */
export function encodeBundle(entries: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    if (entry.length > maxEntryBytes) throw new RangeError(`an entry has at most ${maxEntryBytes} bytes`);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(entry.length);
    parts.push(length, entry);
  }
  return Buffer.concat(parts);
}

/** The entries of a bundle; undefined if it is truncated. */
export function parseBundle(bundle: Uint8Array): Uint8Array[] | undefined {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bundle.length) {
    const length = (bundle[at] ?? 0) * 256 + (bundle[at + 1] ?? 0);
    at += 2;
    if (at + length > bundle.length) return undefined;
    entries.push(bundle.subarray(at, at + length));
    at += length;
  }
  return entries;
}

/** The position of the first leaf hash that differs from the tile; -1 if there is none. */
export function findWrongLeaf(leaves: readonly Uint8Array[], tile: Uint8Array): number {
  return leaves.findIndex((leaf, at) => {
    return Buffer.compare(leaf, tile.subarray(at * hashBytes, (at + 1) * hashBytes)) !== 0;
  });
}
