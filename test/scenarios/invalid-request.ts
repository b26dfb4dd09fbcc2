import type { ProblemSlug } from '../../src/kernel/refusal.ts';
import type { HttpRequest } from '../support/http-client.ts';
import type { RequestContext } from '../support/valid-requests.ts';

/** One row of the table: a valid request with one fault, and the exact response. */
export type InvalidRequest = {
  readonly title: string;
  readonly operations: readonly string[];
  /** Creates the invalid request; as bytes if no HTTP client would send it. */
  make(good: HttpRequest, world: RequestContext, operation: string): HttpRequest | Buffer;
  readonly expected: readonly [status: number, slug: ProblemSlug];
  /** Headers of the response; a function if they differ by operation. */
  readonly expectedHeaders?: ExpectedHeaders | ((operation: string) => ExpectedHeaders);
  /** All entries of `issues`, each as location, pointer or name, and code. Without it there must be none. */
  readonly expectedIssues?: readonly string[];
};

export type ExpectedHeaders = Readonly<Record<string, string | RegExp>>;

/** The request with these headers replaced; undefined removes one. */
export function withHeaders(good: HttpRequest, headers: Readonly<Record<string, string | undefined>>): HttpRequest {
  const merged = Object.entries({ ...good.headers, ...headers }).filter(([, value]) => value !== undefined);
  return { ...good, headers: Object.fromEntries(merged) };
}

/** The request with one more query parameter, encoded as in the URL. */
export function withQuery(good: HttpRequest, parameter: string): HttpRequest {
  return { ...good, path: `${good.path}${good.path.includes('?') ? '&' : '?'}${parameter}` };
}

/** The request with another path and the same query. */
export function atPath(good: HttpRequest, change: (path: string) => string): HttpRequest {
  const [path = '', ...query] = good.path.split('?');
  return { ...good, path: [change(path), ...query].join('?') };
}

/** The request with another body, and its Content-Length. */
export function withBody(good: HttpRequest, body: string | Uint8Array): HttpRequest {
  return withHeaders({ ...good, body }, { 'content-length': String(Buffer.byteLength(body)) });
}

/** The JSON body with these members replaced; undefined removes one. */
export function withMembers(good: HttpRequest, members: Readonly<Record<string, unknown>>): HttpRequest {
  return withBody(good, JSON.stringify({ ...(JSON.parse(String(good.body)) as object), ...members }));
}

/** The request as bytes, with these lines after its own headers. */
export function rawRequestWith(good: HttpRequest, lines: readonly string[]): Buffer {
  const body = Buffer.from(good.body ?? '');
  const own = Object.entries({ host: '127.0.0.1', ...good.headers, 'content-length': String(body.length) });
  const head = [
    `${good.method ?? 'GET'} ${good.path} HTTP/1.1`,
    ...own.map(([name, value]) => `${name}: ${value}`),
    ...lines,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}
