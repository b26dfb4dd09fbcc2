import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { parseAccept } from './media-range.ts';

/** A content coding of a response (RFC 9110 section 8.4.1). */
export type ContentCoding = 'br' | 'gzip' | 'identity';

/** Preferred first, if a client accepts several equally. */
const codings: readonly ContentCoding[] = ['br', 'gzip', 'identity'];
/** The quality of the uncompressed form if the client does not name it: below every coding that it names. */
const unnamedIdentity = 0.0001;

/** Chooses one of the offered codings of a response by the `Accept-Encoding` of its request (RFC 9110 section 12.5.3). */
export function chooseContentCoding(
  acceptEncoding: string | undefined,
  offered: readonly ContentCoding[] = codings,
): ContentCoding {
  const weights = new Map(parseAccept(acceptEncoding ?? '').map(({ type, quality }) => [type, quality]));
  const qualityOf = (coding: ContentCoding) =>
    weights.get(coding) ?? (coding === 'identity' ? unnamedIdentity : (weights.get('*') ?? 0));
  const [best = 'identity'] = [...offered].sort((left, right) => qualityOf(right) - qualityOf(left));
  return best;
}

/** Applies a coding to bytes, in a thread of libuv. */
export async function encodeContent(bytes: Uint8Array, coding: ContentCoding): Promise<Uint8Array> {
  switch (coding) {
    case 'br':
      return await promisify(brotliCompress)(bytes);
    case 'gzip':
      return await promisify(gzip)(bytes);
    case 'identity':
      return bytes;
  }
}
