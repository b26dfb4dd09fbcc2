import { canonicalJson, type Json } from '../kernel/canonical-json.ts';
import { type Random, toInstant } from '../kernel/clock.ts';
import { hmac } from '../kernel/hashing.ts';
import type { EventId } from '../kernel/id.ts';
import { open, seal } from '../keys/chunked-encryption.ts';
import type { LedgerEvent } from './event.ts';

/** What the content of an event is sealed to: moved to another event, it does not open. */
function contentContext(id: EventId): string {
  return `citizen-services/ledger-event@v1\0${id}`;
}

/**
 * The key of one event's content, derived from the key of its owner (a citizen, or the house). Whoever is given it can
 * open this one entry and no other: that is what a receipt hands out.
 */
export function contentKeyOf(ownerKey: Uint8Array, id: EventId): Buffer {
  return hmac('sha256', ownerKey, `citizen-services/ledger-content-key@v1\0${id}`);
}

/** The content of an event as it is hashed and sealed: canonical JSON, instants as callers see them. */
export function contentBytes(event: LedgerEvent): Uint8Array {
  // Every member of an event is a string, number, boolean or list of them: the union in event.ts holds nothing else.
  const content = { ...event, at: toInstant(event.at) } as unknown as Json;
  return Buffer.from(canonicalJson(content));
}

/** Contents are filled up with blanks to a multiple of so many bytes, so that their length tells less of their kind. */
const lengthStep = 64;

/** Seals the content of an event under the key of its owner. */
export function sealContent(ownerKey: Uint8Array, id: EventId, clear: Uint8Array, random: Random): Buffer {
  const padded = Buffer.allocUnsafe(Math.ceil(clear.length / lengthStep) * lengthStep);
  padded.set(clear);
  padded.fill(' ', clear.length);
  return seal(contentKeyOf(ownerKey, id), contentContext(id), padded, random);
}

/** The content of an event by its own key; throws `SealBroken` for another key, event or byte. */
export function openContent(
  contentKey: Uint8Array,
  id: EventId,
  sealed: Uint8Array,
): Readonly<Record<string, unknown>> {
  // What opens was written by `contentBytes`: an object.
  return JSON.parse(open(contentKey, contentContext(id), sealed).toString()) as Record<string, unknown>;
}
