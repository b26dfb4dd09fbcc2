import { createHash } from 'node:crypto';
import type { OperationResponse } from '../api/operation.ts';
import { hmac } from '../kernel/hashing.ts';
import type { DocumentId, EventId } from '../kernel/id.ts';
import type { SealedDocument } from './document.ts';
import type { ByteRange } from './http/byte-ranges.ts';
import { attachmentHeader } from './http/content-disposition.ts';
import { createMultipart } from './http/multipart-ranges.ts';
import { reprDigest } from './http/repr-digest.ts';
import { signResponseHeaders } from './http/response-signature.ts';
import { extensionOf } from './media-type.ts';
import { fullRange, type OpenDocument, openBytes, withFirstPiece } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';
import type { DocumentContent } from './sealed-record.ts';

/**
 * A strong entity tag: an HMAC-SHA-256 (144 bits) over id, type and SHA-256. It is equal only for the same bytes of the same
 * document, and reveals nothing about the content.
 */
export function etagOf(
  etagKey: Uint8Array,
  { document, content }: { readonly document: SealedDocument; readonly content: DocumentContent },
): string {
  const named = Buffer.from(`${document.id} ${content.mediaType} `);
  return `"${hmac('sha256', etagKey, Buffer.concat([named, content.sha256])).toString('base64url', 0, 18)}"`;
}

/** The headers of each answer with the document, including 304. */
export function documentHeaders(open: OpenDocument, etag: string, receipt?: EventId): Record<string, string> {
  const { document, content } = open;
  const links = [recordLink(document.id), ...(receipt === undefined ? [] : [receiptLink(receipt)])];
  return {
    ...privacyHeaders,
    link: links.join(', '),
    etag,
    'accept-ranges': 'bytes',
    'content-disposition': attachmentHeader(content.title, extensionOf(content.mediaType)),
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'repr-digest': reprDigest(content.sha256),
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  };
}

/** The headers of every answer with a record or a document: no caching, and no name of the document in other requests. */
export const privacyHeaders = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  vary: 'accept, authorization',
} as const;

/** The `Link` to the receipt of a use, for the client that caused it. */
export function receiptLink(receipt: EventId): string {
  return `</v1/receipts/${receipt}>; rel="receipt"`;
}

function recordLink(id: DocumentId): string {
  return `</v1/documents/${id}/record>; rel="describedby"; type="application/json"`;
}

/** The input of each answer with a document. `wantsDigest`: add Content-Digest (RFC 9530, section 3). */
export type DocumentAnswerContext = {
  readonly ports: Pick<DocumentPorts, 'blobs' | 'alarm' | 'random' | 'signer'>;
  readonly open: OpenDocument;
  readonly headers: Record<string, string>;
  readonly now: number;
  readonly wantsDigest: boolean;
};

function signAnswer({ ports, now }: DocumentAnswerContext, status: number, headers: Record<string, string>) {
  return { status, headers: signResponseHeaders(ports.signer?.(), { status, headers, now }) };
}

/** The answer to HEAD: the headers of GET without the bytes. */
function headAnswer(context: DocumentAnswerContext): OperationResponse {
  const { content } = context.open;
  const described = {
    ...context.headers,
    'content-type': content.mediaType,
    'content-length': String(content.size),
    ...(context.wantsDigest ? { 'content-digest': reprDigest(content.sha256) } : {}),
  };
  return { ...signAnswer(context, 200, described), stream: null };
}

/** The answer to HEAD after its blob was found complete, so that it never announces what GET cannot deliver. */
export async function verifiedHeadAnswer(context: DocumentAnswerContext): Promise<OperationResponse> {
  const { size } = context.open.content;
  const end = openBytes(context.ports, context.open, { first: size, last: size - 1 });
  for await (const piece of end) piece.fill(0);
  return headAnswer(context);
}

/** The whole document. Its first piece is verified before the answer starts. */
export async function wholeAnswer(context: DocumentAnswerContext): Promise<OperationResponse> {
  const { ports, open } = context;
  const stream = await withFirstPiece(openBytes(ports, open, fullRange(open.content)));
  return { ...headAnswer(context), stream };
}

/** Longer parts get no Content-Digest, because they would have to be buffered. */
const maxDigestBytes = 1_048_576;

/** Parts of the document: one as it is, several as `multipart/byteranges`. */
export async function partsAnswer(
  context: DocumentAnswerContext,
  ranges: readonly [ByteRange, ...ByteRange[]],
): Promise<OperationResponse> {
  const { ports, open, headers } = context;
  const { mediaType, size } = open.content;
  const [range, ...others] = ranges;
  if (others.length > 0) {
    const boundary = Buffer.from(ports.random(18)).toString('hex');
    const multipart = createMultipart(ranges, { mediaType, size, boundary });
    const framed = { ...headers, 'content-type': multipart.contentType, 'content-length': String(multipart.length) };
    const stream = await withFirstPiece(multipart.body((part) => openBytes(ports, open, part)));
    return { ...signAnswer(context, 206, framed), stream };
  }
  const length = range.last - range.first + 1;
  const described = {
    ...headers,
    'content-type': mediaType,
    'content-length': String(length),
    'content-range': `bytes ${range.first}-${range.last}/${size}`,
  };
  const pieces = openBytes(ports, open, range);
  if (!context.wantsDigest || length > maxDigestBytes) {
    return { ...signAnswer(context, 206, described), stream: await withFirstPiece(pieces) };
  }
  const whole = Buffer.concat(await Array.fromAsync(pieces, (piece) => Buffer.from(piece)));
  const digest = reprDigest(createHash('sha256').update(whole).digest());
  return { ...signAnswer(context, 206, { ...described, 'content-digest': digest }), stream: singlePiece(whole) };
}

async function* singlePiece(piece: Buffer): AsyncGenerator<Buffer> {
  yield piece;
}
