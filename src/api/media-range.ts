/**
 * One range of an `Accept` header (RFC 9110, section 12.5.1) with its weight; names in lower case. The package `negotiator`
 * orders types of equal weight by their position in the header, but here equal weights must leave the default.
 */
type MediaRange = { readonly type: string; readonly quality: number };

/** The ranges of an `Accept` header. An empty header is the same as none. */
export function parseAccept(accept: string): MediaRange[] {
  if (accept.trim() === '') return [{ type: '*/*', quality: 1 }];
  return accept.split(',').map((text) => {
    const [type = '', ...parameters] = text.toLowerCase().split(';');
    const weights = parameters.map((parameter) => /^\s*q\s*=\s*(\d(?:\.\d{0,3})?)\s*$/.exec(parameter)?.[1]);
    const weight = weights.find(Boolean);
    return { type: type.trim(), quality: weight === undefined ? 1 : Math.min(Number(weight), 1) };
  });
}

/** The weight of the most specific range that matches the type; 0 if none does. */
export function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  for (const name of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const qualities = ranges.filter((range) => range.type === name).map((range) => range.quality);
    if (qualities.length > 0) return Math.max(...qualities);
  }
  return 0;
}
