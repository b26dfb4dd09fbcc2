import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';

/** Fetches a URL; `globalThis.fetch` in the running server. */
export type HttpFetch = (url: string, options: RequestInit) => Promise<Response>;

/** An issuer answered with a document that is not accepted. */
export class IssuerDocumentInvalid extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IssuerDocumentInvalid';
  }
}

const maxDocumentBytes = 262_144;

/** Fetches a small document of an issuer without following redirects. The whole body is read here, so that its size is limited. */
export async function fetchDocument(httpFetch: HttpFetch, url: string, options: RequestInit): Promise<Response> {
  const response = await httpFetch(url, { ...options, redirect: 'error' });
  const bytes = await readBytesUpTo(response.body, maxDocumentBytes);
  if (bytes === undefined) throw new IssuerDocumentInvalid(`${url} has more than ${maxDocumentBytes} bytes`);
  return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
    status: response.status,
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
  });
}
