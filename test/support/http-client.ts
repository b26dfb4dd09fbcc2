import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

/** A request that is sent unchanged: the path is not normalised, and only Host, Connection and a length are added. */
export type HttpRequest = {
  readonly method?: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
};

/** A response with its complete body. */
export type HttpResponse = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** Sends a request to one server. Rejects with the error of the connection if no complete response arrives. */
export type HttpSend = (httpRequest: HttpRequest) => Promise<HttpResponse>;

/** With `connections`, reuses up to that number of connections until `close`; without, opens one for each request. */
export function createHttpClient(url: string, connections?: number): HttpSend & { close(): void } {
  const agent =
    connections === undefined
      ? new Agent({ keepAlive: false })
      : new Agent({ keepAlive: true, maxSockets: connections });
  return Object.assign((httpRequest: HttpRequest) => sendHttpRequest(url, agent, httpRequest), {
    close: () => agent.destroy(),
  });
}

function sendHttpRequest(
  url: string,
  agent: Agent,
  { method = 'GET', path, headers = {}, body }: HttpRequest,
): Promise<HttpResponse> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const clientRequest = request({ agent, hostname, port, method, path, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) });
      });
    });
    clientRequest.on('error', reject);
    clientRequest.end(body);
  });
}

/**
 * Fetches with a connection of its own, and reads the whole body. An idle connection would delay the stop of a server by its
 * keep-alive time. `fetch` of Node.js fails when such a connection ends before a large body was read.
 */
export async function fetchOnce(url: string): Promise<Response> {
  const response = await fetch(url, { headers: { connection: 'close' } });
  const { status, headers } = response;
  return new Response(await response.arrayBuffer(), { status, headers });
}

/** The body of a response as text. */
export const bodyText = ({ body }: Pick<HttpResponse, 'body'>): string => body.toString('utf8');

/** The members of a JSON body; `{}` for an empty body. */
export function parseJsonBody({ body }: Pick<HttpResponse, 'body'>): Readonly<Record<string, unknown>> {
  return body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as Record<string, unknown>);
}

/** The headers of a request with that token, and `more` headers. */
export function bearerHeaders(token: string, more: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  return { authorization: `Bearer ${token}`, ...more };
}

/** A request with a JSON body. */
export function postJson(token: string, path: string, json: unknown, more: OutgoingHttpHeaders = {}): HttpRequest {
  const headers = bearerHeaders(token, { 'content-type': 'application/json', ...more });
  return { method: 'POST', path, headers, body: JSON.stringify(json) };
}

const idleMs = 10_000;

/**
 * Sends bytes unchanged to a server on loopback. Resolves with all that is received until the connection closes, or until
 * ten seconds pass without a byte, which a busy server does not need. For requests that no HTTP client would send.
 */
export function sendRawHttp(port: number, bytes: string | Buffer): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: '127.0.0.1', port });
  const chunks: Uint8Array[] = [];
  const finish = () => {
    socket.destroy();
    resolve(Buffer.concat(chunks).toString('utf8'));
  };
  socket.setTimeout(idleMs, finish);
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', (fault) => (chunks.length > 0 ? finish() : reject(fault)));
  socket.on('close', finish);
  socket.on('connect', () => socket.write(bytes));
  return promise;
}

/** The status codes of all responses in a received text, in order. */
export function statusCodesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}

/** A deposit on a separate connection that has sent only a part of its body. */
export type PartialUpload = {
  /** Sends the rest; resolves with the whole response when the connection closes. */
  finish(): Promise<string>;
  /** Closes the connection before the body is complete. */
  abort(): void;
};

/** Sends the headers and the first half of a document; with `chunked`, without its length. */
export async function startPartialUpload(
  port: number,
  bytes: Buffer,
  headers: OutgoingHttpHeaders,
  chunked = false,
): Promise<PartialUpload> {
  const length = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': bytes.length };
  const { 'content-length': _length, ...others } = headers;
  const lines = Object.entries({ host: '127.0.0.1', connection: 'close', ...others, ...length });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const half = bytes.length >> 1;
  const encodeChunk = (piece: Buffer) =>
    chunked ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]) : piece;

  const socket = connect({ host: '127.0.0.1', port });
  const answer: Buffer[] = [];
  const closed = Promise.withResolvers<void>();
  socket.on('data', (piece: Buffer) => answer.push(piece));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => closed.resolve());
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', resolve);
  });
  await new Promise<void>((resolve) => {
    socket.write(`POST /v1/documents HTTP/1.1\r\n${head}\r\n`);
    socket.write(encodeChunk(bytes.subarray(0, half)), () => resolve());
  });
  return {
    finish: async () => {
      socket.write(encodeChunk(bytes.subarray(half)));
      if (chunked) socket.write('0\r\n\r\n');
      await closed.promise;
      return Buffer.concat(answer).toString('utf8');
    },
    abort: () => socket.destroy(),
  };
}
