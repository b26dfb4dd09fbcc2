/** Bytes `first` to `last`, both included. */
export type ByteRange = { readonly first: number; readonly last: number };

/** More ranges than a reader needs are a way to make work: such a header is ignored (RFC 9110, section 14.2). */
const maxRanges = 16;

/**
 * The ranges of a `Range` header within a document of `length` bytes (RFC 9110, section 14.1.2): `whole` where there is
 * no header or one that is to be ignored (another unit, not well formed, overlapping, too many), `unsatisfiable` where
 * no byte lies in any of them.
 */
export function parseRanges(
  header: string | undefined,
  length: number,
): 'whole' | 'unsatisfiable' | readonly [ByteRange, ...ByteRange[]] {
  const set = /^bytes=(.*)$/i.exec(header?.trim() ?? '')?.[1];
  if (set === undefined) return 'whole';
  const parts = set.split(',').map((part) => part.trim());
  if (parts.length > maxRanges) return 'whole';
  const ranges: ByteRange[] = [];
  for (const part of parts) {
    const range = parseRange(part, length);
    if (range === 'malformed') return 'whole';
    if (range !== 'unsatisfiable') ranges.push(range);
  }
  const [head, ...rest] = ranges;
  if (head === undefined) return 'unsatisfiable';
  return overlap(ranges) ? 'whole' : [head, ...rest];
}

function parseRange(part: string, length: number): ByteRange | 'malformed' | 'unsatisfiable' {
  const [, from, to] = /^(\d{0,15})-(\d{0,15})$/.exec(part) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'malformed';
  if (from === '') {
    const suffix = Math.min(Number(to), length);
    return suffix === 0 ? 'unsatisfiable' : { first: length - suffix, last: length - 1 };
  }
  const first = Number(from);
  const last = to === '' ? length - 1 : Math.min(Number(to), length - 1);
  if (to !== '' && Number(to) < first) return 'malformed';
  return first >= length ? 'unsatisfiable' : { first, last };
}

function overlap(ranges: readonly ByteRange[]): boolean {
  const sorted = ranges.toSorted((left, right) => left.first - right.first);
  return sorted.some(({ first }, index) => first <= (sorted[index - 1]?.last ?? -1));
}
