/** A value that `toCbor` encodes. Numbers are integers. */
export type CborValue =
  | string
  | number
  | null
  | Uint8Array
  | CborTag
  | readonly CborValue[]
  | ReadonlyMap<string | number, CborValue>;

/** A value with a tag (RFC 8949, section 3.4). */
export type CborTag = { readonly tag: number; readonly value: CborValue };

/** Encoded CBOR inside of CBOR (tag 24). */
export function embeddedCbor(value: CborValue): CborTag {
  return { tag: 24, value: toCbor(value) };
}

/** Encodes a value as CBOR (RFC 8949) with the shortest definite lengths. Members stay in their order. */
export function toCbor(value: CborValue): Buffer {
  if (value === null) return Buffer.of(0xf6);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (isMap(value))
    return Buffer.concat([
      head(5, value.size),
      ...[...value].flatMap(([key, member]) => [toCbor(key), toCbor(member)]),
    ]);
  if ('tag' in value) return Buffer.concat([head(6, value.tag), toCbor(value.value)]);
  return Buffer.concat([head(4, value.length), ...value.map(toCbor)]);
}

function isMap(value: object): value is ReadonlyMap<string | number, CborValue> {
  return value instanceof Map;
}

/** The major type and the length or value that follows. */
function head(majorType: number, count: number): Buffer {
  const first = majorType * 32;
  if (count < 24) return Buffer.of(first + count);
  if (count < 0x1_00) return Buffer.of(first + 24, count);
  const bytes = Buffer.alloc(count < 0x1_00_00 ? 3 : 5, first + (count < 0x1_00_00 ? 25 : 26));
  bytes.writeUIntBE(count, 1, bytes.length - 1);
  return bytes;
}
