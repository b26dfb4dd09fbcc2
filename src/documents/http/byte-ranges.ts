import { parse } from 'range-parser';

/** Bytes `first` to `last`, both included. */
export type ByteRange = { readonly first: number; readonly last: number };

/** More ranges than a reader needs only cause work: such a header is ignored (RFC 9110, section 14.2). */
const maxRanges = 16;
/** The flag in the result of `parse` for a set that is not well formed. */
const malformed = 1;

/**
 * The ranges of a `Range` header within a document of `length` bytes (RFC 9110, section 14.1.2). `whole` if there is no header,
 * or the header is ignored: another unit, not well formed, overlapping or too many ranges. `unsatisfiable` if no byte lies in
 * any range.
 */
export function parseRanges(
  header: string | undefined,
  length: number,
): 'whole' | 'unsatisfiable' | readonly [ByteRange, ...ByteRange[]] {
  if (header === undefined || header.split(',').length > maxRanges) return 'whole';
  const { code, type, ranges } = parse(length, header.trim());
  if (type !== 'bytes' || (code & malformed) !== 0) return 'whole';
  const [head, ...rest] = ranges.map(({ start, end }) => ({ first: start, last: end }));
  if (head === undefined) return 'unsatisfiable';
  return overlap([head, ...rest]) ? 'whole' : [head, ...rest];
}

function overlap(ranges: readonly ByteRange[]): boolean {
  const sorted = ranges.toSorted((left, right) => left.first - right.first);
  return sorted.some(({ first }, index) => first <= (sorted[index - 1]?.last ?? -1));
}
