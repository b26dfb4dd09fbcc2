import { canonicalJson, type Json } from '../kernel/canonical-json.ts';
import { toInstant } from '../kernel/clock.ts';
import type { EventId } from '../kernel/id.ts';
import type { LedgerEvent } from './event.ts';

/** What the content of an event is sealed to: moved to another event, it does not open. */
export function contentContext(id: EventId): string {
  return `citizen-services/ledger-event@v1\0${id}`;
}

/** The content of an event as it is hashed and sealed: canonical JSON, instants as callers see them. */
export function contentBytes(event: LedgerEvent): Uint8Array {
  // Every member of an event is a string, number, boolean or list of them: the union in event.ts holds nothing else.
  const content = { ...event, at: toInstant(event.at) } as unknown as Json;
  return Buffer.from(canonicalJson(content));
}
