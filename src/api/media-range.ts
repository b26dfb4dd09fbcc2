/** One range of an `Accept` header (RFC 9110, section 12.5.1) with its weight; names in lower case. */
type MediaRange = { readonly type: string; readonly quality: number };

/** The ranges of an `Accept` header; one that names none is as good as absent. */
export function parseAccept(accept: string): MediaRange[] {
  if (accept.trim() === '') return [{ type: '*/*', quality: 1 }];
  return accept.split(',').map((text) => {
    const [type = '', ...parameters] = text.toLowerCase().split(';');
    const weights = parameters.map((parameter) => /^\s*q\s*=\s*(\d(?:\.\d{0,3})?)\s*$/.exec(parameter)?.[1]);
    const weight = weights.find(Boolean);
    return { type: type.trim(), quality: weight === undefined ? 1 : Math.min(Number(weight), 1) };
  });
}

/** The weight of the range that names the type most exactly; 0 where none does. */
export function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  for (const name of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const qualities = ranges.filter((range) => range.type === name).map((range) => range.quality);
    if (qualities.length > 0) return Math.max(...qualities);
  }
  return 0;
}
