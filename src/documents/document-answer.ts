import { createHmac } from 'node:crypto';
import type { Answer } from '../api/operation.ts';
import type { DocumentId, EventId } from '../kernel/id.ts';
import type { ByteRange } from './byte-ranges.ts';
import { attachment } from './content-disposition.ts';
import { extensionOf } from './media-type.ts';
import { multipartOf } from './multipart-ranges.ts';
import { type OpenDocument, openBytes, startedStream, wholeOf } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';
import { reprDigest } from './repr-digest.ts';

/** A strong entity tag that says nothing of the content: equal only for the same bytes of the same document. */
export function etagOf(etagKey: Uint8Array, { document, content }: OpenDocument): string {
  const mac = createHmac('sha256', etagKey).update(`${document.id} ${content.mediaType} `).update(content.sha256);
  return `"${mac.digest().subarray(0, 18).toString('base64url')}"`;
}

/** What stands on every answer about the document itself, 304 included. */
export function documentHeaders(open: OpenDocument, etag: string, receipt: EventId): Record<string, string> {
  const { document, content } = open;
  return {
    ...privacyHeaders(document.id, receipt),
    etag,
    'accept-ranges': 'bytes',
    'content-disposition': attachment(content.title, extensionOf(content.mediaType)),
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'repr-digest': reprDigest(content.sha256),
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  };
}

/** What stands on record and document alike: where the record and the receipt are, and that nobody keeps a copy. */
export function privacyHeaders(id: DocumentId, receipt: EventId): Record<string, string> {
  return {
    'cache-control': 'private, no-store',
    link: `</v1/documents/${id}>; rel="describedby"; type="application/json", </v1/receipts/${receipt}>; rel="receipt"`,
    'referrer-policy': 'no-referrer',
    vary: 'accept, authorization',
  };
}

/** The answer to HEAD: what GET would say, without the bytes. */
export function headAnswer({ content }: OpenDocument, headers: Record<string, string>): Answer {
  const described = { ...headers, 'content-type': content.mediaType, 'content-length': String(content.size) };
  return { status: 200, headers: described, stream: null };
}

/** The whole document, its first piece verified before there is an answer. */
export async function wholeAnswer(
  ports: Pick<DocumentPorts, 'blobs' | 'alarm'>,
  open: OpenDocument,
  headers: Record<string, string>,
): Promise<Answer> {
  const stream = await startedStream(openBytes(ports, open, wholeOf(open.content)));
  return { ...headAnswer(open, headers), stream };
}

/** Parts of the document: one as it is, several as `multipart/byteranges`. */
export async function partsAnswer(
  ports: Pick<DocumentPorts, 'blobs' | 'alarm' | 'random'>,
  open: OpenDocument,
  {
    headers,
    ranges,
  }: { readonly headers: Record<string, string>; readonly ranges: readonly [ByteRange, ...ByteRange[]] },
): Promise<Answer> {
  const { mediaType, size } = open.content;
  const [range, ...others] = ranges;
  if (others.length > 0) {
    const boundary = Buffer.from(ports.random(18)).toString('hex');
    const multipart = multipartOf(ranges, { mediaType, size, boundary });
    const framed = { ...headers, 'content-type': multipart.contentType, 'content-length': String(multipart.length) };
    const stream = await startedStream(multipart.body((part) => openBytes(ports, open, part)));
    return { status: 206, headers: framed, stream };
  }
  const described = {
    ...headers,
    'content-type': mediaType,
    'content-length': String(range.last - range.first + 1),
    'content-range': `bytes ${range.first}-${range.last}/${size}`,
  };
  return { status: 206, headers: described, stream: await startedStream(openBytes(ports, open, range)) };
}
