import type { Clock, RandomBytes } from './clock.ts';

const prefixes = {
  notification: 'ntf',
  delivery: 'dlv',
  attempt: 'att',
  document: 'doc',
  verification: 'ver',
  event: 'evt',
  request: 'req',
  key: 'key',
  import: 'imp',
  webhook: 'whk',
  hold: 'hld',
  template: 'tpl',
  batch: 'bat',
  proposal: 'prp',
  staffEntry: 'sle',
  lookUp: 'lku',
  presentation: 'prs',
} as const;

/** The kinds of things that this server gives an id. */
export type IdKind = keyof typeof prefixes;

declare const kind: unique symbol;
/** An id that was generated or parsed, never a bare string. Shape: `ntf_` and 26 digits of Crockford base32. */
export type Id<K extends IdKind> = string & { readonly [kind]: K };

/** The id of a notification. */
export type NotificationId = Id<'notification'>;
/** The id of a delivery of a notification by one channel. */
export type DeliveryId = Id<'delivery'>;
/** The id of a document. */
export type DocumentId = Id<'document'>;
/** The id of a stored verification. */
export type VerificationId = Id<'verification'>;
/** The id of a legal hold. */
export type HoldId = Id<'hold'>;
/** The id of a ledger event, also in the feed and in webhooks. */
export type EventId = Id<'event'>;
/** The id of a webhook. */
export type WebhookId = Id<'webhook'>;
/** The id of a batch of notifications. */
export type BatchId = Id<'batch'>;
/** The id of a message template. */
export type TemplateId = Id<'template'>;

/** The id of a proposal of staff. */
export type ProposalId = Id<'proposal'>;
/** The id of an entry of the staff log. */
export type StaffEntryId = Id<'staffEntry'>;
/** The id of a stored look-up of staff. */
export type LookUpId = Id<'lookUp'>;
/** The id of a request to a citizen's wallet. */
export type PresentationId = Id<'presentation'>;

/** The most code points in the id of a citizen. The register assigns it, not this server. */
export const maxCitizenIdLength = 200;

/** The id that replaces the id of an erased citizen in the rows that stay; the group is the pseudonym (ledger/erased-id.ts). */
export const erasedIdPattern = /^erased:([0-9a-f]{32})$/;
/**
 * The ids that a citizen may have, in requests, tokens and imports. Attack: events about an `erased:…` id go to the chain of the
 * pseudonym in it. With that of another chain, such as the public one of the endpoints, a caller could add entries to that
 * chain, which then no longer verifies (test/attacks/reserved-citizen-ids.test.ts).
 */
export const citizenIdPattern = new RegExp(
  `^(?!${erasedIdPattern.source.slice(1)})[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]+$`,
  'u',
);
/** Describes the texts that match `citizenIdPattern`, for the message of a refusal. */
export const citizenIdRequirement =
  'must be one line of text without control characters, and not the erased:… id of an erased citizen';

/** Makes a new id. The ids of one process sort in the order of creation, unless its clock was set back in between. */
export type IdGenerator = <K extends IdKind>(of: K) => Id<K>;

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A clock that goes back by more than this was corrected: new ids use its time, and sort before the ids made in between. */
const clockSetBackMs = 60_000;

/**
 * Ids are UUIDv7 (RFC 9562, section 5.7) in Crockford base32: new rows go to the end of an index. Within one millisecond the
 * 12 bits of `rand_a` count up (section 6.2, method 1). The `uuid` package has no such counter and no base32.
 */
export function createIdGenerator(clock: Clock, random: RandomBytes): IdGenerator {
  let lastMs = 0;
  let counter = 0;
  return <K extends IdKind>(of: K) => {
    const now = clock.now();
    if (now > lastMs || now < lastMs - clockSetBackMs) {
      lastMs = now;
      counter = 0;
    } else {
      counter += 1;
      if (counter > 0xfff) {
        lastMs += 1;
        counter = 0;
      }
    }
    const bytes = Buffer.alloc(16);
    bytes.writeUIntBE(lastMs, 0, 6);
    bytes.writeUInt16BE(0x7000 | counter, 6);
    bytes.set(random(8), 8);
    bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
    // A prefix and 26 digits are an id of that kind by construction.
    return `${prefixes[of]}_${toBase32(bytes)}` as Id<K>;
  };
}

/** A text that sorts before each id of that kind made at `ms` (epoch) or later, and after each that was made before. */
export function minIdAt(of: IdKind, ms: number): string {
  let digits = '';
  for (let rest = ms; digits.length < 10; rest = Math.floor(rest / 32)) digits = (alphabet[rest % 32] ?? '') + digits;
  return `${prefixes[of]}_${digits}`;
}

/** The id of that kind in `text`, or undefined. Lower case is not accepted, so that a thing has one spelling of its id. */
export function parseId<K extends IdKind>(of: K, text: string): Id<K> | undefined {
  return new RegExp(idPatternSource(of)).test(text) ? (text as Id<K>) : undefined;
}

/** The pattern of an id of that kind, for JSON schemas and the OpenAPI document. */
export function idPatternSource(of: IdKind): string {
  return `^${prefixes[of]}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`;
}

/** 26 digits of 5 bits: two zero bits, then the 128 bits of the id. */
function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let bitCount = 2;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (bitCount += 8; bitCount >= 5; bitCount -= 5) text += alphabet.charAt((bits >>> (bitCount - 5)) & 31);
  }
  return text;
}

/** A random UUID in its usual text (RFC 9562, section 5.4), for the instance of a problem. */
export function randomUuid(random: RandomBytes): string {
  const bytes = Buffer.from(random(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
