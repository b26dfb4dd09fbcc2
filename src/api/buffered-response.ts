import type { ServerResponse } from 'node:http';

/** An answer that is there whole before it goes out; header names in lower case. */
export type BufferedResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer;
};

/** Sends it with its length, in one write with its head. To HEAD Node sends the head alone. */
export function sendBuffered(response: ServerResponse, { status, headers, body }: BufferedResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
