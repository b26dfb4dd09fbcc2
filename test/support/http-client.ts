import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

/** One request, as it stands: the path is not normalised, and no header is added but Host, Connection and a length. */
export type HttpRequest = {
  readonly method?: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
};

/** What came back, the body to its end. */
export type HttpResponse = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** Sends requests to one server. Rejects with the error of the connection where no whole answer came. */
export type HttpSend = (asked: HttpRequest) => Promise<HttpResponse>;

/** Requests over connections that are kept, at most so many at once, until `close`; or over a fresh one each. */
export function createHttpClient(url: string, connections?: number): HttpSend & { close(): void } {
  const agent =
    connections === undefined
      ? new Agent({ keepAlive: false })
      : new Agent({ keepAlive: true, maxSockets: connections });
  return Object.assign((asked: HttpRequest) => sendHttpRequest(url, agent, asked), { close: () => agent.destroy() });
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

/** The members of a JSON body; empty where the body is none. */
export function parseJsonBody({ body }: Pick<HttpResponse, 'body'>): Readonly<Record<string, unknown>> {
  return body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as Record<string, unknown>);
}

/** The headers of a request with that token and, where there is one, a JSON body. */
export function bearerHeaders(token: string, more: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  return { authorization: `Bearer ${token}`, ...more };
}

/** A request with a JSON body. */
export function postJson(token: string, path: string, json: unknown, more: OutgoingHttpHeaders = {}): HttpRequest {
  const headers = bearerHeaders(token, { 'content-type': 'application/json', ...more });
  return { method: 'POST', path, headers, body: JSON.stringify(json) };
}
