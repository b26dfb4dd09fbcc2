const recordType = 'application/json';

/**
 * Whether an `Accept` header (RFC 9110, section 12.5.1) asks for a document of that media type, or for its record: the
 * record only where JSON is preferred over the document's own type. Undefined where neither is acceptable.
 */
export function preferredForm(accept: string | undefined, mediaType: string): 'document' | 'record' | undefined {
  if (accept === undefined || accept.trim() === '') return 'document';
  const ranges = accept.split(',').map(parseMediaRange);
  const [type = ''] = mediaType.split(';');
  const document = qualityOf(type, ranges);
  const record = qualityOf(recordType, ranges);
  if (type !== recordType && record > document) return 'record';
  return document > 0 ? 'document' : undefined;
}

type MediaRange = { readonly type: string; readonly quality: number };

function parseMediaRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.toLowerCase().split(';');
  const weight = parameters.map((parameter) => /^\s*q\s*=\s*(\d(?:\.\d{0,3})?)\s*$/.exec(parameter)?.[1]).find(Boolean);
  return { type: type.trim(), quality: weight === undefined ? 1 : Math.min(Number(weight), 1) };
}

/** The weight of the range that names the type most exactly; 0 where none does. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  for (const name of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const qualities = ranges.filter((range) => range.type === name).map((range) => range.quality);
    if (qualities.length > 0) return Math.max(...qualities);
  }
  return 0;
}
