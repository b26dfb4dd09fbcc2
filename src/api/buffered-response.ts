import type { ServerResponse } from 'node:http';

/** A response whose whole body is in memory; header names in lower case. */
export type BufferedResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer;
};

/** Sends the response with its Content-Length, in one write with the head. For HEAD, Node.js leaves out the body. */
export function sendBuffered(response: ServerResponse, { status, headers, body }: BufferedResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
