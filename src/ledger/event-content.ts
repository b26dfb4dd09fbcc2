import { isUtf8 } from 'node:buffer';
import { openSealed, SealBroken, seal, sealedLength } from '../crypto/chunked-encryption.ts';
import { canonicalJson, type Json } from '../kernel/canonical-json.ts';
import { formatInstant, type RandomBytes } from '../kernel/clock.ts';
import { hmac } from '../kernel/hashing.ts';
import type { EventId } from '../kernel/id.ts';
import { isObject } from '../kernel/is-object.ts';
import { parseEntry } from './ledger-entry.ts';
import { isCitizenEvent, type LedgerEvent } from './ledger-event.ts';

/** The encryption context of the content of an event: content that is moved to another event does not open. */
function contentContext(id: EventId): string {
  return `citizen-services/ledger-event@v1\0${id}`;
}

/**
 * The key of the content of one event: HMAC-SHA-256 under the key of its owner (a citizen, or the system). A receipt contains
 * it: it opens this one entry and no other.
 */
export function deriveContentKey(ownerKey: Uint8Array, id: EventId): Buffer {
  return hmac('sha256', ownerKey, `citizen-services/ledger-content-key@v1\0${id}`);
}

/** The longest content of an event in bytes. Sealed and with its header it fits into an entry of at most 65,535 bytes. */
export const maxContentBytes = 32_768;

/** A citizen id counts as at least this many bytes, so that the length of a content does not reveal whose it is. */
const minIdBytes = 64;

/**
 * The content of an event before encryption: canonical JSON with RFC 3339 instants. Content about a citizen is padded with
 * spaces for a short id, and by `blanks`. Throws for content over the limit: the log could no longer be served or verified.
 */
export function encodeEventContent(event: LedgerEvent): Uint8Array {
  // Each member of an event is a string, number, boolean or list of those (`LedgerEvent`).
  const { receipt: _, newStatus: _status, blanks = 0, ...published } = event;
  const content = { ...published, at: formatInstant(event.at) } as unknown as Json;
  const text = canonicalJson(content);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxContentBytes) {
    throw new RangeError(`expected at most ${maxContentBytes} bytes in an event, received ${bytes} in ${event.type}`);
  }
  if (!isCitizenEvent(event)) return Buffer.from(text);
  const written = Buffer.byteLength(JSON.stringify(event.citizenId)) - 2;
  return Buffer.from(text + ' '.repeat(blanks + Math.max(0, minIdBytes - written)));
}

/**
 * Contents are padded with spaces to the next of these lengths. Attack: entries are public, and their lengths would show their types. The
 * first length holds an event of every type, and the last one the longest content with the padding of `encodeEventContent`
 * (test/attacks/ledger-entry-lengths.test.ts).
 */
export const paddedContentLengths = [768, 1_536, 4_096, 12_288, maxContentBytes + 1_024] as const;

/** Encrypts the content of an event under the key of its owner. */
export function sealEventContent(ownerKey: Uint8Array, id: EventId, clear: Uint8Array, random: RandomBytes): Buffer {
  const length = paddedContentLengths.find((one) => clear.length <= one);
  if (length === undefined) throw new RangeError(`expected a content of at most ${maxContentBytes} bytes`);
  const padded = Buffer.allocUnsafe(length);
  padded.set(clear);
  padded.fill(' ', clear.length);
  return seal(deriveContentKey(ownerKey, id), contentContext(id), padded, random);
}

const sealedContentLengths: ReadonlySet<number> = new Set(paddedContentLengths.map(sealedLength));

/** Whether an entry of the log has the format of this server and one of its lengths. Anybody can check this, without a key. */
export function isPaddedEntry(entry: Uint8Array): boolean {
  return sealedContentLengths.has(parseEntry(entry)?.content.length ?? 0);
}

/**
 * Decrypts the content of an event by its content key; throws `SealBroken` for another key or event, a changed byte, or a content
 * that is not canonical JSON with the padding of `sealEventContent`. Attack: a changed server could hide data in
 * another padding, or show a type by another length (test/attacks/ledger-entry-lengths.test.ts).
 */
export function openEventContent(
  contentKey: Uint8Array,
  id: EventId,
  sealed: Uint8Array,
): Readonly<Record<string, unknown>> {
  const padded = openSealed(contentKey, contentContext(id), sealed);
  const length = padded.findLastIndex((byte) => byte !== space) + 1;
  const content = parseCanonicalObject(padded.subarray(0, length));
  if (content === undefined || !isPaddedLength(padded.length, length)) throw new SealBroken();
  return content;
}

const space = 0x20;
/** More than the padding of `encodeEventContent` for a short id and for `blanks`. */
const maxBlanks = 256;

/** Whether `sealEventContent` makes `padded` bytes of a content with `length` bytes, and with up to `maxBlanks` after it. */
function isPaddedLength(padded: number, length: number): boolean {
  const smaller = paddedContentLengths.findLast((one) => one < padded) ?? 0;
  return paddedContentLengths.some((one) => one === padded) && length + maxBlanks > smaller;
}

/** The object of a canonical JSON text (RFC 8785); undefined for any other bytes. */
function parseCanonicalObject(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString();
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) && canonicalJson(value) === text ? value : undefined;
  } catch {
    // No JSON, or a lone surrogate, which canonical JSON has no form for.
    return undefined;
  }
}
