import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import type { OperationResponse } from '../api/operation.ts';
import { pipeToResponse } from '../api/pipe-to-response.ts';

/** A page, or the bytes of an operation as a download. */
export type PageOutcome = BufferedResponse | { readonly stream: Extract<OperationResponse, { stream: unknown }> };

const commonHeaders = { 'x-robots-tag': 'noindex', vary: 'accept-language, cookie' };

/** Sends a page or a download of a signed-in person. No cache of others may keep it, and no search engine lists it. */
export async function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  given: PageOutcome,
  pageHeaders: Readonly<Record<string, string>>,
): Promise<void> {
  if ('body' in given) {
    sendBuffered(response, { ...given, headers: { ...given.headers, ...commonHeaders, ...pageHeaders } });
    return;
  }
  const { status, headers, stream } = given.stream;
  // The link to receipts and records is for clients of the API.
  const { link: _link, ...shown } = headers;
  response.writeHead(status, { ...shown, ...commonHeaders });
  if (stream === null || request.method === 'HEAD') {
    response.end();
    return;
  }
  const length = headers['content-length'];
  await pipeToResponse(stream, response, length === undefined ? undefined : Number(length));
}
