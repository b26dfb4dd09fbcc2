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
} as const;

/** The things that have an id of ours. */
export type IdKind = keyof typeof prefixes;

declare const kind: unique symbol;
/** An id that was minted or parsed, never a bare string. Shape: `ntf_` and 26 digits of Crockford base32. */
export type Id<K extends IdKind> = string & { readonly [kind]: K };

export type NotificationId = Id<'notification'>;
export type DeliveryId = Id<'delivery'>;
export type DocumentId = Id<'document'>;
export type VerificationId = Id<'verification'>;
export type HoldId = Id<'hold'>;
export type EventId = Id<'event'>;
export type WebhookId = Id<'webhook'>;
export type TemplateId = Id<'template'>;

/** The most code points in the id of a citizen, which is the register's and none of ours. */
export const maxCitizenIdLength = 200;

/** The characters that it may have, on every way in. Who was imported under others before is still found and erased by them. */
export const citizenIdPattern = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;
export const citizenIdRequirement = 'must be one line of text without control characters';

/** Makes a new id; ids of one process sort in the order in which they were made, unless its clock was set right between. */
export type IdGenerator = <K extends IdKind>(of: K) => Id<K>;

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Two digits at once, by the ten bits that they stand for: each piece that is added to a text is memory of its own. */
const digitPairs: readonly string[] = [...alphabet].flatMap((first) => [...alphabet].map((second) => first + second));

/** A clock that stands this far behind where it stood was set right: ids would else be ahead of all others until it catches up. */
const clockSetBackMs = 60_000;

/**
 * Ids are UUIDv7 (RFC 9562, section 5.7) in Crockford base32: time-ordered, so that new rows land at the end of an
 * index. Within one millisecond the 12 bits of `rand_a` count up (RFC 9562, section 6.2, method 1).
 */
export function createIdGenerator(clock: Clock, random: RandomBytes): IdGenerator {
  let lastMs = 0;
  let counter = 0;
  // The same memory for every id: a view of it puts it outside of the heap.
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
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
    bytes.set(random(8), 8);
    view.setUint32(0, Math.floor(lastMs / 2 ** 16));
    view.setUint16(4, lastMs % 2 ** 16);
    view.setUint16(6, 0x7000 | counter);
    view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
    // A prefix and the digits that belong to it are an id of that kind by construction.
    return `${prefixes[of]}_${toBase32(bytes)}` as Id<K>;
  };
}

/** Sorts before each id of that kind that is made at that instant (epoch ms) or later, and behind each that was made before. */
export function minIdAt(of: IdKind, ms: number): string {
  let digits = '';
  for (let rest = ms; digits.length < 10; rest = Math.floor(rest / 32)) digits = (alphabet[rest % 32] ?? '') + digits;
  return `${prefixes[of]}_${digits}`;
}

/** The id of that kind written in `text`, or undefined; lower case is not accepted, so that one thing has one name. */
export function parseId<K extends IdKind>(of: K, text: string): Id<K> | undefined {
  return idPattern(of).test(text) ? (text as Id<K>) : undefined;
}

/** The pattern of an id of that kind, for JSON schemas and the OpenAPI document. */
export function idPatternSource(of: IdKind): string {
  return `^${prefixes[of]}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`;
}

const patterns = new Map<IdKind, RegExp>();

function idPattern(of: IdKind): RegExp {
  let pattern = patterns.get(of);
  if (pattern === undefined) {
    pattern = new RegExp(idPatternSource(of));
    patterns.set(of, pattern);
  }
  return pattern;
}

/** 26 digits: two zero bits, then the 128 of the id. */
function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bitBuffer = 0;
  let bufferedBits = 2;
  for (const byte of bytes) {
    bitBuffer = (bitBuffer << 8) | byte;
    bufferedBits += 8;
    if (bufferedBits < 10) continue;
    bufferedBits -= 10;
    text += digitPairs[bitBuffer >>> bufferedBits] ?? '';
    bitBuffer &= (1 << bufferedBits) - 1;
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
