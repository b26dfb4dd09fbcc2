import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

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
