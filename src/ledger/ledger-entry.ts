import { hmac } from '../kernel/hashing.ts';
import { type EventId, parseId } from '../kernel/id.ts';
import { hashBytes } from './tlog/merkle.ts';

/**
 * A leaf of the log (docs/security/ledger.md). Only its kind, time and event id are readable. The content is encrypted under the key of
 * its citizen or of the system. `link` commits to the position in that owner's chain, so that nobody else learns whose entry it
 * is. Numbers are big-endian: `u8 version = 1 ‖ u8 kind ‖ u64 time ‖ id[30] ‖ link[32] ‖ sealed content`.
 */
type LedgerEntry = {
  readonly kind: 'citizen' | 'system';
  readonly at: number;
  readonly id: EventId;
  /** The result of `computeChainLink` for its position. */
  readonly link: Uint8Array;
  /** The encrypted content of the event. */
  readonly content: Uint8Array;
};

/** The position of an entry in the chain of one owner. A missing entry shows in the next one. */
export type ChainPosition = {
  /** The pseudonym of the citizen, or of a system chain: 16 bytes. */
  readonly chain: Uint8Array;
  /** 1 for the first entry of the chain. */
  readonly number: number;
  /** The leaf hash of the previous entry; zeros for the first. */
  readonly previous: Uint8Array;
};

const version = 1;
const kinds = ['citizen', 'system'] as const;
const idBytes = 30;
const headerBytes = 2 + 8 + idBytes + hashBytes;
const chainBytes = 16;

/** The previous hash of the first entry of a chain. */
export const noPreviousHash: Uint8Array = new Uint8Array(hashBytes);

/** The bytes of a leaf. */
export function encodeEntry({ kind, at, id, link, content }: LedgerEntry): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + content.length);
  bytes.writeUInt8(version, 0);
  bytes.writeUInt8(kinds.indexOf(kind) + 1, 1);
  bytes.writeBigUInt64BE(BigInt(at), 2);
  bytes.write(id, 10, idBytes, 'latin1');
  bytes.set(link, 10 + idBytes);
  bytes.set(content, headerBytes);
  return bytes;
}

/** Parses a leaf; undefined if it is not in this format. */
export function parseEntry(bytes: Uint8Array): LedgerEntry | undefined {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (all.length < headerBytes || all.readUInt8(0) !== version) return undefined;
  const kind = kinds[all.readUInt8(1) - 1];
  const id = parseId('event', all.toString('latin1', 10, 10 + idBytes));
  if (kind === undefined || id === undefined) return undefined;
  const at = Number(all.readBigUInt64BE(2));
  if (!Number.isSafeInteger(at)) return undefined;
  return { kind, at, id, link: all.subarray(10 + idBytes, headerBytes), content: all.subarray(headerBytes) };
}

/** The key of all links of one owner. Its holder can verify that chain, and open no content. */
export function deriveLinkKey(ownerKey: Uint8Array): Buffer {
  return hmac('sha256', ownerKey, 'citizen-services/ledger-link-key@v1');
}

const linkPrefix = Buffer.from('citizen-services/ledger-link@v1\0', 'latin1');

/**
 * The commitment of an entry to its position: HMAC-SHA-256 under the link key over the prefix, id, chain, number (u64) and
 * previous leaf hash. It hides all of them. It is deterministic, so a crash cannot make it reuse a nonce.
 */
export function computeChainLink(linkKey: Uint8Array, id: EventId, { chain, number, previous }: ChainPosition): Buffer {
  if (chain.length !== chainBytes || previous.length !== hashBytes)
    throw new TypeError('a chain position has a pseudonym of 16 bytes and a hash of 32');
  const numberBytes = Buffer.alloc(8);
  numberBytes.writeBigUInt64BE(BigInt(number));
  return hmac('sha256', linkKey, Buffer.concat([linkPrefix, Buffer.from(id, 'latin1'), chain, numberBytes, previous]));
}
