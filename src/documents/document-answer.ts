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

/** A strong entity tag that says nothing of the content: equal only for the same bytes of the same document. */
export function etagOf(
  etagKey: Uint8Array,
  { document, content }: { readonly document: SealedDocument; readonly content: DocumentContent },
): string {
  const named = Buffer.from(`${document.id} ${content.mediaType} `);
  return `"${hmac('sha256', etagKey, Buffer.concat([named, content.sha256])).toString('base64url', 0, 18)}"`;
}

/** What stands on every answer about the document itself, 304 included. */
export function documentHeaders(open: OpenDocument, etag: string, receipt?: EventId): Record<string, string> {
  const { document, content } = open;
  return {
    ...privacyHeaders(document.id, receipt),
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

/**
 * What stands on record and document alike: where the record and the receipt are, and that nobody keeps a copy. A citizen
 * has the access log in place of receipts.
 */
export function privacyHeaders(id: DocumentId, receipt?: EventId): Record<string, string> {
  const toReceipt = receipt === undefined ? '' : `, </v1/receipts/${receipt}>; rel="receipt"`;
  return {
    'cache-control': 'private, no-store',
    link: `</v1/documents/${id}>; rel="describedby"; type="application/json"${toReceipt}`,
    'referrer-policy': 'no-referrer',
    vary: 'accept, authorization',
  };
}

/** What every answer with a document is made from; `wantsDigest`: of its content too (RFC 9530, section 3). */
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

/** The answer to HEAD: what GET would say, without the bytes. */
function headAnswer(answering: DocumentAnswerContext): OperationResponse {
  const { content } = answering.open;
  const described = {
    ...answering.headers,
    'content-type': content.mediaType,
    'content-length': String(content.size),
    ...(answering.wantsDigest ? { 'content-digest': reprDigest(content.sha256) } : {}),
  };
  return { ...signAnswer(answering, 200, described), stream: null };
}

/** The same, where its bytes are there and end as they were stored: what GET could not give is not announced. */
export async function verifiedHeadAnswer(answering: DocumentAnswerContext): Promise<OperationResponse> {
  const { size } = answering.open.content;
  const end = openBytes(answering.ports, answering.open, { first: size, last: size - 1 });
  for await (const piece of end) piece.fill(0);
  return headAnswer(answering);
}

/** The whole document, its first piece verified before there is an answer. */
export async function wholeAnswer(answering: DocumentAnswerContext): Promise<OperationResponse> {
  const { ports, open } = answering;
  const stream = await withFirstPiece(openBytes(ports, open, fullRange(open.content)));
  return { ...headAnswer(answering), stream };
}

/** The content of a longer part is not held to be hashed before it is sent. */
const maxDigestBytes = 1_048_576;

/** Parts of the document: one as it is, several as `multipart/byteranges`. */
export async function partsAnswer(
  answering: DocumentAnswerContext,
  ranges: readonly [ByteRange, ...ByteRange[]],
): Promise<OperationResponse> {
  const { ports, open, headers } = answering;
  const { mediaType, size } = open.content;
  const [range, ...others] = ranges;
  if (others.length > 0) {
    const boundary = Buffer.from(ports.random(18)).toString('hex');
    const multipart = createMultipart(ranges, { mediaType, size, boundary });
    const framed = { ...headers, 'content-type': multipart.contentType, 'content-length': String(multipart.length) };
    const stream = await withFirstPiece(multipart.body((part) => openBytes(ports, open, part)));
    return { ...signAnswer(answering, 206, framed), stream };
  }
  const length = range.last - range.first + 1;
  const described = {
    ...headers,
    'content-type': mediaType,
    'content-length': String(length),
    'content-range': `bytes ${range.first}-${range.last}/${size}`,
  };
  const pieces = openBytes(ports, open, range);
  if (!answering.wantsDigest || length > maxDigestBytes) {
    return { ...signAnswer(answering, 206, described), stream: await withFirstPiece(pieces) };
  }
  const whole = Buffer.concat(await Array.fromAsync(pieces, (piece) => Buffer.from(piece)));
  const digest = reprDigest(createHash('sha256').update(whole).digest());
  return { ...signAnswer(answering, 206, { ...described, 'content-digest': digest }), stream: singlePiece(whole) };
}

async function* singlePiece(piece: Buffer): AsyncGenerator<Buffer> {
  yield piece;
}
