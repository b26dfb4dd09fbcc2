import { parseAccept, qualityOf } from '../../api/media-range.ts';
import { etagListIncludes } from '../../kernel/entity-tag.ts';
import { type ByteRange, parseRanges } from './byte-ranges.ts';

/** The conditional headers of a request for a document, which has a strong ETag and no Last-Modified. */
export type ConditionalHeaders = {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
};

/** How to answer a conditional request. */
export type ConditionalOutcome =
  | { readonly answer: 'precondition-failed' | 'not-modified' | 'unsatisfiable' }
  | { readonly answer: 'whole' }
  | { readonly answer: 'parts'; readonly ranges: readonly [ByteRange, ...ByteRange[]] };

/**
 * Evaluates the conditions in the order of RFC 9110, section 13.2.2: If-Match, If-None-Match, then Range with If-Range. A range
 * is defined for GET only (section 14.2). Call it after the access check: the result reveals whether the document has that
 * ETag.
 */
export function evaluateConditions(
  method: string,
  conditions: ConditionalHeaders,
  { etag, length }: { readonly etag: string; readonly length: number },
): ConditionalOutcome {
  const match = conditions['if-match'];
  if (match !== undefined && !etagListIncludes(match, etag, 'strongly')) return { answer: 'precondition-failed' };
  const noneMatch = conditions['if-none-match'];
  if (noneMatch !== undefined && etagListIncludes(noneMatch, etag, 'weakly')) return { answer: 'not-modified' };
  // A date in If-Range never matches, because there is no Last-Modified.
  const ifRange = conditions['if-range'];
  if (method !== 'GET' || (ifRange !== undefined && ifRange.trim() !== etag)) return { answer: 'whole' };
  const ranges = parseRanges(conditions.range, length);
  return typeof ranges === 'string' ? { answer: ranges } : { answer: 'parts', ranges };
}

/** Whether an `Accept` header (RFC 9110, section 12.5.1) allows this media type. */
export function acceptsType(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined) return true;
  const [type = ''] = mediaType.split(';');
  return qualityOf(type, parseAccept(accept)) > 0;
}
