import { hmac } from '../kernel/hashing.ts';
import { type EventId, parseId } from '../kernel/id.ts';
import { hashBytes } from './tlog/merkle.ts';

/**
 * A leaf of the log (docs/ledger.md). Outside stand only its form, the time and the id of the event; what it says is
 * sealed under the key of the person, or of the house, that it is about, and its place in that one's chain is a keyed
 * commitment, so that nobody else can tell whose it is:
 *
 *     u8 version = 1 | u8 kind | u64 time | id[30] | link[32] | sealed content        numbers big-endian
 */
export type LedgerEntry = {
  readonly kind: 'citizen' | 'house';
  readonly at: number;
  readonly id: EventId;
  /** What `linkOf` gives for its place. */
  readonly link: Uint8Array;
  /** The sealed content of the event. */
  readonly content: Uint8Array;
};

/** The place of an entry in the chain of all that is about one person: leaving one out shows in the next. */
export type ChainPosition = {
  /** The pseudonym of the person, 16 bytes. */
  readonly chain: Uint8Array;
  /** 1 for the first entry of the chain. */
  readonly number: number;
  /** The leaf hash of the entry before; zeros in the first. */
  readonly previous: Uint8Array;
};

const version = 1;
const kinds = ['citizen', 'house'] as const;
const idBytes = 30;
const headerBytes = 2 + 8 + idBytes + hashBytes;
const chainBytes = 16;

/** What stands for the entry before the first. */
export const noPreviousHash: Uint8Array = new Uint8Array(hashBytes);

/** The bytes of a leaf. */
export function encodeEntry({ kind, at, id, link, content }: LedgerEntry): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + content.length);
  bytes.writeUInt8(version, 0);
  bytes.writeUInt8(kinds.indexOf(kind) + 1, 1);
  bytes.writeUInt32BE(Math.floor(at / 2 ** 32), 2);
  bytes.writeUInt32BE(at % 2 ** 32, 6);
  bytes.write(id, 10, idBytes, 'latin1');
  bytes.set(link, 10 + idBytes);
  bytes.set(content, headerBytes);
  return bytes;
}

/** Takes a leaf apart; undefined where it is none of ours. */
export function parseEntry(bytes: Uint8Array): LedgerEntry | undefined {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (all.length < headerBytes || all.readUInt8(0) !== version) return undefined;
  const kind = kinds[all.readUInt8(1) - 1];
  const id = parseId('event', all.toString('latin1', 10, 10 + idBytes));
  if (kind === undefined || id === undefined) return undefined;
  const at = Number(all.readBigUInt64BE(2));
  return { kind, at, id, link: all.subarray(10 + idBytes, headerBytes), content: all.subarray(headerBytes) };
}

/** The key of all links of one owner. Whoever is given it can check that chain, and opens no content. */
export function deriveLinkKey(ownerKey: Uint8Array): Buffer {
  return hmac('sha256', ownerKey, 'citizen-services/ledger-link-key@v1');
}

const linkPrefix = 'citizen-services/ledger-link@v1\0';
const linkMessage = Buffer.alloc(linkPrefix.length + idBytes + chainBytes + 8 + hashBytes, linkPrefix, 'latin1');

/**
 * The commitment of an entry to its place: HMAC-SHA-256 over id, chain, number and the entry before. It hides all of
 * them, holds for one key and one place only, and has no nonce that a crash could make it use twice.
 */
export function computeChainLink(linkKey: Uint8Array, id: EventId, { chain, number, previous }: ChainPosition): Buffer {
  if (chain.length !== chainBytes || previous.length !== hashBytes) throw new TypeError('no place in a chain');
  let at = linkPrefix.length;
  linkMessage.write(id, at, idBytes, 'latin1');
  at += idBytes;
  linkMessage.set(chain, at);
  at += chainBytes;
  linkMessage.writeUInt32BE(Math.floor(number / 2 ** 32), at);
  linkMessage.writeUInt32BE(number % 2 ** 32, at + 4);
  linkMessage.set(previous, at + 8);
  return hmac('sha256', linkKey, linkMessage);
}
