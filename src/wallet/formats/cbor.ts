import { isUtf8 } from 'node:buffer';
import { decode, encode, Tagged, type Token, Tokenizer, Type } from 'cborg';
import { PresentationFailure } from '../failure-reason.ts';
import { presentationLimits } from './presentation-limits.ts';

/** The tags of ISO 18013-5: date-time, embedded CBOR, date. */
const [dateTimeTag, embeddedTag, dateTag] = [0, 24, 1004];

const decodeOptions = {
  useMaps: true,
  rejectDuplicateMapKeys: true,
  allowIndefinite: false,
  allowUndefined: false,
  retainStringBytes: true,
  tags: {
    [dateTimeTag]: (content: () => unknown) => textIn(content()),
    [embeddedTag]: (content: () => unknown) => embedCbor(bytesIn(content())),
    [dateTag]: (content: () => unknown) => textIn(content()),
  },
};

/**
 * Decodes CBOR (RFC 8949) with definite lengths. Maps become `Map`, dates become text, and embedded CBOR stays encoded. Attacks: two members
 * of one name, deep nesting, many small values, and text that is not UTF-8 fail with `credential-malformed`.
 */
export function decodeCbor(bytes: Uint8Array): unknown {
  try {
    return decode(bytes, { ...decodeOptions, tokenizer: limitedTokenizer(bytes) });
  } catch {
    throw new PresentationFailure('credential-malformed');
  }
}

/** Encodes a value as CBOR with the shortest lengths. */
export function encodeCbor(value: unknown): Uint8Array {
  return encode(value);
}

/** Encoded CBOR inside of CBOR (tag 24). */
export function embedCbor(bytes: Uint8Array): Tagged {
  return new Tagged(embeddedTag, bytes);
}

/** The bytes of embedded CBOR, without tag and length. */
export function embeddedBytes(value: unknown): Uint8Array {
  return value instanceof Tagged ? bytesIn(value.value) : malformed();
}

/** The value, if it is a map. */
export function mapIn(value: unknown): ReadonlyMap<unknown, unknown> {
  return value instanceof Map ? value : malformed();
}

/** The value, if it is an array. */
export function arrayIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : malformed();
}

/** The value, if it is a byte string. */
export function bytesIn(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : malformed();
}

/** The value, if it is text. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : malformed();
}

function malformed(): never {
  throw new PresentationFailure('credential-malformed');
}

/** The same value with objects in place of maps, as in JSON: for the elements of a document. */
export function plainValueOf(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [key, plainValueOf(member)]));
  return Array.isArray(value) ? value.map(plainValueOf) : value;
}

/** Reads the parts of a CBOR text for `decode`, and limits them before they need memory or stack. */
function limitedTokenizer(bytes: Uint8Array): Pick<Tokenizer, 'done' | 'next' | 'pos'> {
  // A slice of a Uint8Array is a copy. A slice of a Buffer would keep all bytes of the presentation in memory.
  const tokenizer = new Tokenizer(new Uint8Array(bytes), decodeOptions);
  /** The arrays, maps and tags that the next part belongs to, with the number of parts that each still expects. */
  const open: { readonly isMap: boolean; remaining: number }[] = [];
  let items = 0;
  const next = () => {
    const token = tokenizer.next();
    items += 1;
    const parent = open.at(-1);
    const isKey = parent?.isMap === true && parent.remaining % 2 === 0;
    if (items > presentationLimits.cborItems || !isPermitted(token, isKey)) malformed();
    if (parent !== undefined) parent.remaining -= 1;
    const isMap = Type.equals(token.type, Type.map);
    if (!token.type.terminal) open.push({ isMap, remaining: partsOf(token, isMap) });
    if (open.length > presentationLimits.depth) malformed();
    while (open.at(-1)?.remaining === 0) open.pop();
    return token;
  };
  return { done: () => tokenizer.done(), pos: () => tokenizer.pos(), next };
}

function partsOf(token: Token, isMap: boolean): number {
  if (Type.equals(token.type, Type.tag)) return 1;
  return isMap ? 2 * token.value : token.value;
}

/** A key is text or an integer: two equal keys of another type would not be seen. */
function isPermitted({ type, byteValue }: Token, isKey: boolean): boolean {
  if (Type.equals(type, Type.string)) return byteValue === undefined || isUtf8(byteValue);
  return !isKey || Type.equals(type, Type.uint) || Type.equals(type, Type.negint);
}
