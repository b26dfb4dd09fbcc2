import { parseAccept, qualityOf } from '../../api/media-range.ts';

const recordType = 'application/json';

/**
 * Whether an `Accept` header (RFC 9110, section 12.5.1) prefers the document or its record: the record only if JSON is
 * preferred to the type of the document. Undefined if neither is acceptable.
 */
export function preferredForm(accept: string | undefined, mediaType: string): 'document' | 'record' | undefined {
  if (accept === undefined) return 'document';
  const ranges = parseAccept(accept);
  const [type = ''] = mediaType.split(';');
  const document = qualityOf(type, ranges);
  const record = qualityOf(recordType, ranges);
  if (type !== recordType && record > document) return 'record';
  return document > 0 ? 'document' : undefined;
}
