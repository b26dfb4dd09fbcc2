import { openSealed, seal } from '../crypto/chunked-encryption.ts';
import { canonicalJson, type Json } from '../kernel/canonical-json.ts';
import { formatInstant, type RandomBytes } from '../kernel/clock.ts';
import { hmac } from '../kernel/hashing.ts';
import type { EventId } from '../kernel/id.ts';
import { isCitizenEvent, type LedgerEvent } from './ledger-event.ts';

/** What the content of an event is sealed to: moved to another event, it does not open. */
function contentContext(id: EventId): string {
  return `citizen-services/ledger-event@v1\0${id}`;
}

/**
 * The key of one event's content, derived from the key of its owner (a citizen, or the house). Whoever is given it can
 * open this one entry and no other: that is what a receipt hands out.
 */
export function deriveContentKey(ownerKey: Uint8Array, id: EventId): Buffer {
  return hmac('sha256', ownerKey, `citizen-services/ledger-content-key@v1\0${id}`);
}

/** The longest content of an event: sealed and with its head it fits into an entry, which has at most 65,535 bytes. */
export const maxContentBytes = 32_768;

/** The id of a citizen takes so many bytes of a content at least, so that its length does not tell whose it is. */
const minIdBytes = 64;

/**
 * The content of an event as it is sealed: canonical JSON, instants as callers see them. Behind that of a citizen stand
 * blanks for what the id has less than the longest usual one. Throws where it is too long: one such entry, and the log
 * could be served and verified no more.
 */
export function encodeEventContent(event: LedgerEvent): Uint8Array {
  // Every member of an event is a string, number, boolean or list of them: the union in event.ts holds nothing else.
  const { receipt: _, blanks = 0, ...published } = event;
  const content = { ...published, at: formatInstant(event.at) } as unknown as Json;
  const text = canonicalJson(content);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxContentBytes) {
    throw new RangeError(`the ledger holds at most ${maxContentBytes} bytes of an event; ${event.type} has ${bytes}`);
  }
  if (!isCitizenEvent(event)) return Buffer.from(text);
  const written = Buffer.byteLength(JSON.stringify(event.citizenId)) - 2;
  return Buffer.from(text + ' '.repeat(blanks + Math.max(0, minIdBytes - written)));
}

/** Contents are filled up with blanks to a multiple of so many bytes, so that their length tells less of their kind. */
const paddingMultiple = 64;

/** Seals the content of an event under the key of its owner. */
export function sealEventContent(ownerKey: Uint8Array, id: EventId, clear: Uint8Array, random: RandomBytes): Buffer {
  const padded = Buffer.allocUnsafe(Math.ceil(clear.length / paddingMultiple) * paddingMultiple);
  padded.set(clear);
  padded.fill(' ', clear.length);
  return seal(deriveContentKey(ownerKey, id), contentContext(id), padded, random);
}

/** The content of an event by its own key; throws `SealBroken` for another key, event or byte. */
export function openEventContent(
  contentKey: Uint8Array,
  id: EventId,
  sealed: Uint8Array,
): Readonly<Record<string, unknown>> {
  // What opens was written by `contentBytes`: an object.
  return JSON.parse(openSealed(contentKey, contentContext(id), sealed).toString()) as Record<string, unknown>;
}
