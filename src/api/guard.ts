import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { bodyLimits, createBodyTimeouts } from './body-timeouts.ts';
import { sendBuffered } from './buffered-response.ts';
import { problemResponse, type RefusedPage, refusalResponse } from './problem-response.ts';
import { markExpectsContinue } from './read-body.ts';
import { endSlowReaders } from './slow-readers.ts';
import { createTlsServer, type TlsOptions } from './tls-server.ts';

/** Limits of the HTTP parser and of one request. The problem of each refusal names the limit. */
export const httpLimits = {
  uriBytes: 8_192,
  headerBytes: 16_384,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: bodyLimits.wholeMs,
  keepAliveTimeoutMs: 5_000,
  connections: 10_000,
  connectionsPerAddress: 2_500,
} as const;

/** The methods that reach a route. */
export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];
/** Headers that a request may have once. */
const singleHeaders = new Set([
  'host',
  'authorization',
  'content-type',
  'content-length',
  'dpop',
  'idempotency-key',
  'transfer-encoding',
]);
const hostPattern = /^(?:[A-Za-z0-9._~-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** Refuses requests that the parser accepts and that no handler may receive (docs/reference/requirements.md, rows 18, 32 and 66). */
function refusalOfRequest(request: IncomingMessage): Refusal | undefined {
  const close = { headers: { connection: 'close' } };
  const repeated = findRepeatedHeader(request.rawHeaders);
  if (repeated !== undefined) return refuse('malformed-http', `The header ${repeated} occurs more than once.`, close);
  const url = request.url ?? '';
  if (url.length > httpLimits.uriBytes) {
    return refuse('uri-too-long', undefined, { members: { limit: httpLimits.uriBytes }, ...close });
  }
  if (!url.startsWith('/') && !isServerWide(request))
    return refuse('malformed-http', 'The request target must be a path.', close);
  if (!hostPattern.test(request.headers.host ?? '')) {
    return refuse('malformed-http', 'The request must have one Host header with a host name.', close);
  }
  const encoding = request.headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return refuse('malformed-http', 'The only supported transfer coding is chunked.', close);
  }
  if (!httpMethods.includes(request.method ?? '')) {
    return refuse('method-not-allowed', undefined, { headers: { allow: httpMethods.join(', '), connection: 'close' } });
  }
  return undefined;
}

/** Refuses the requests of a web page that points a name of its own at this server (DNS rebinding). */
function refusalOfHost({ headers }: IncomingMessage, { isOwnHost }: GuardOptions): Refusal | undefined {
  if (isOwnHost === undefined || isOwnHost(headers.host)) return undefined;
  const detail = 'The Host header must be an address or a name of this machine, such as 127.0.0.1 or localhost.';
  return refuse('malformed-http', detail, { headers: { connection: 'close' } });
}

/** `OPTIONS *` is about the server as a whole (RFC 9110, section 9.3.7). */
function isServerWide({ method, url }: IncomingMessage): boolean {
  return method === 'OPTIONS' && url === '*';
}

/** Returns the first single header that occurs twice. `rawHeaders` alternates names and values. */
function findRepeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return names.find((name, at) => singleHeaders.has(name) && names.indexOf(name) < at);
}

type GuardOptions = {
  readonly publicUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly newRequestId: () => string;
  /** Returns the refusal of a request with this target while the server has too much work. */
  readonly shed: (url: string | undefined) => Refusal | undefined;
  /** `headers` are absent if the request could not be parsed. */
  readonly onRefused: (refusal: Refusal, instance: string, headers?: IncomingHttpHeaders) => void;
  readonly refusedPage?: RefusedPage | undefined;
  /** Removes headers that only a trusted proxy may set. */
  readonly strip?: ((request: IncomingMessage) => void) | undefined;
  readonly tls?: TlsOptions | undefined;
  /** While the server stops, each connection is closed after the response to its next request. */
  readonly isStopping?: (() => boolean) | undefined;
  /** Whether this server answers requests for that Host header. By default, it answers every valid one. */
  readonly isOwnHost?: ((host: string | undefined) => boolean) | undefined;
};

/**
 * Creates an HTTP server with strict limits, in front of any handler. Its refusals are `application/problem+json`, or the page of
 * `refusedPage`. A refusal by the parser is always a problem, because there is no request whose headers could ask for a page.
 */
export function createGuardedServer(options: GuardOptions, handler: RequestListener): Server {
  // After a refused request, no later request of its connection is served, because an attacker could have smuggled it into the body
  // (test/attacks/request-smuggling.test.ts).
  const closingSockets = new WeakSet<Socket>();
  // The last response of each connection. A refusal by the parser may replace this response, but never an earlier one
  // (test/attacks/keep-alive-connections.test.ts).
  const lastResponses = new WeakMap<Socket, ServerResponse>();
  const refuseUnparsed = ({ code, rawPacket }: ParserFault, socket: Socket) => {
    const last = lastResponses.get(socket);
    if (code === 'ECONNRESET' || !socket.writable || !canSendRefusal(socket, last)) {
      socket.destroy();
      return;
    }
    const isInBody = last !== undefined && !last.req.complete;
    const mayBeHead = isInBody ? last.req.method === 'HEAD' : mayContainHead(rawPacket);
    refuseSocket(options, { refusal: refusalOfParser(code), mayBeHead }, socket);
  };
  const bodies = createBodyTimeouts(({ socket }) => {
    refuseUnparsed({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket);
    socket.destroySoon();
  });
  const handleGuarded: RequestListener = (request, response) => {
    if (closingSockets.has(request.socket)) return;
    lastResponses.set(request.socket, response);
    if (options.isStopping?.() === true) {
      closingSockets.add(request.socket);
      response.shouldKeepAlive = false;
    }
    options.strip?.(request);
    const refusal = refusalOfRequest(request) ?? refusalOfHost(request, options) ?? options.shed(request.url);
    if (refusal === undefined && isServerWide(request)) {
      const headers = { ...options.headers, 'request-id': options.newRequestId(), allow: httpMethods.join(', ') };
      response.writeHead(204, headers).end();
    } else if (refusal === undefined) {
      bodies.begin(request);
      handler(request, response);
    } else {
      if (refusal.headers?.['connection'] === 'close') closingSockets.add(request.socket);
      sendGuardRefusal(options, refusal, response);
    }
  };
  const server = createHttpServer(options.tls, handleGuarded);
  server.once('close', bodies.stop);
  server.maxConnections = httpLimits.connections;
  endSlowReaders(server);
  limitConnectionsPerAddress(server, httpLimits.connectionsPerAddress);
  server.on('checkContinue', (request, response) => {
    markExpectsContinue(request);
    handleGuarded(request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (closingSockets.has(request.socket)) return;
    closingSockets.add(request.socket);
    lastResponses.set(request.socket, response);
    sendGuardRefusal(options, refuse('expectation-failed', undefined, { headers: { connection: 'close' } }), response);
  });
  server.on('clientError', refuseUnparsed);
  return server;
}

/** Closes new connections of an address that already has `most` of them, so that one machine cannot take all. */
export function limitConnectionsPerAddress(server: Server, most: number): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket;
    if (address === undefined) return;
    const count = open.get(address) ?? 0;
    if (count >= most) {
      socket.destroy();
      return;
    }
    open.set(address, count + 1);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

function createHttpServer(tls: TlsOptions | undefined, handler: RequestListener): Server {
  const limits = {
    requireHostHeader: false,
    headersTimeout: httpLimits.headersTimeoutMs,
    // Node.js would also end uploads of large documents. body-timeouts.ts limits each body instead.
    requestTimeout: 0,
    keepAliveTimeout: httpLimits.keepAliveTimeoutMs,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: httpLimits.headerBytes,
  };
  return tls === undefined ? createServer(limits, handler) : createTlsServer(tls, limits, handler);
}

function sendGuardRefusal(options: GuardOptions, refusal: Refusal, response: ServerResponse): void {
  const instance = options.newRequestId();
  options.onRefused(refusal, instance, response.req.headers);
  const { status, headers, body } = refusalResponse(response.req, { refusal, instance }, options);
  sendBuffered(response, { status, headers: { ...options.headers, 'request-id': instance, ...headers }, body });
}

/**
 * Whether a refusal that is written now reaches the client as the response to the bytes that the parser could not read. If the last
 * request is incomplete, the bytes are part of it: its response must be the next one on the connection, and must not have begun. If it
 * is complete, the bytes follow it, and its response must be finished.
 */
function canSendRefusal(socket: Socket, response: ServerResponse | undefined): boolean {
  if (response === undefined || response.writableFinished) return true;
  return !response.req.complete && response.socket === socket && !response.headersSent;
}

/** The error of a request that the parser could not read, with the bytes that it read last. */
type ParserFault = Pick<NodeJS.ErrnoException, 'code'> & { readonly rawPacket?: Uint8Array | undefined };

/**
 * Whether these bytes may contain a HEAD request, whose response must not have a body (RFC 9110, section 9.3.2). If they do not begin
 * with a request line, the line was in an earlier packet. One packet may contain several requests.
 */
function mayContainHead(packet: Uint8Array | undefined): boolean {
  const text =
    packet === undefined ? '' : Buffer.from(packet.buffer, packet.byteOffset, packet.length).toString('latin1');
  return !/^[\r\n]*\S+ [^\r\n]* HTTP\//.test(text) || /(?:^|\n)HEAD /.test(text);
}

type UnparsedRefusal = { readonly refusal: Refusal; readonly mayBeHead: boolean };

function refuseSocket(options: GuardOptions, { refusal, mayBeHead }: UnparsedRefusal, socket: Socket): void {
  const instance = options.newRequestId();
  const problem = problemResponse(refusal, options.publicUrl, instance);
  options.onRefused(refusal, instance);
  const headers = { ...options.headers, 'request-id': instance, ...problem.headers, connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const body = Buffer.from(mayBeHead ? '' : problem.body);
  const head = `HTTP/1.1 ${problem.status} Refused\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n`;
  socket.end(Buffer.concat([Buffer.from(head, 'latin1'), body]));
}

function refusalOfParser(code: string | undefined): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refuse('headers-too-large', undefined, { members: { limit: httpLimits.headerBytes } });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('request-timeout');
    default:
      return refuse('malformed-http', 'The server could not parse the request as HTTP/1.1.');
  }
}
