import type { ProblemSlug } from '../../src/kernel/problem.ts';
import type { Asked } from '../exchange.ts';
import type { World } from './good-requests.ts';

/** One line of the table: a good request made wrong in one way, and the exact answer. */
export type WrongInput = {
  readonly what: string;
  readonly on: readonly string[];
  /** The wrong request; as bytes where no HTTP client would send it. */
  make(good: Asked, world: World, operation: string): Asked | Buffer;
  readonly is: readonly [status: number, slug: ProblemSlug];
  /** Headers of the answer; a function where they differ by operation. */
  readonly headers?: Expected | ((operation: string) => Expected);
  /** All entries of `issues`, each as its place, pointer or name, and code; without it there must be none. */
  readonly issues?: readonly string[];
};

export type Expected = Readonly<Record<string, string | RegExp>>;

/** The same request with these headers over its own; undefined takes one away. */
export function withHeaders(good: Asked, headers: Readonly<Record<string, string | undefined>>): Asked {
  const merged = Object.entries({ ...good.headers, ...headers }).filter(([, value]) => value !== undefined);
  return { ...good, headers: Object.fromEntries(merged) };
}

/** The same request with one more query parameter, given as it stands in the URL. */
export function withQuery(good: Asked, parameter: string): Asked {
  return { ...good, path: `${good.path}${good.path.includes('?') ? '&' : '?'}${parameter}` };
}

/** The same request at another path; its query stays. */
export function atPath(good: Asked, change: (path: string) => string): Asked {
  const [path = '', ...query] = good.path.split('?');
  return { ...good, path: [change(path), ...query].join('?') };
}

/** The same request with another body, its length announced. */
export function withBody(good: Asked, body: string | Uint8Array): Asked {
  return withHeaders({ ...good, body }, { 'content-length': String(Buffer.byteLength(body)) });
}

/** The same JSON body with these members over its own; undefined takes one away. */
export function withMembers(good: Asked, members: Readonly<Record<string, unknown>>): Asked {
  return withBody(good, JSON.stringify({ ...(JSON.parse(String(good.body)) as object), ...members }));
}

/** The request as bytes, with these lines behind its own headers. */
export function rawWith(good: Asked, lines: readonly string[]): Buffer {
  const body = Buffer.from(good.body ?? '');
  const own = Object.entries({ host: '127.0.0.1', ...good.headers, 'content-length': String(body.length) });
  const head = [
    `${good.method ?? 'GET'} ${good.path} HTTP/1.1`,
    ...own.map(([name, value]) => `${name}: ${value}`),
    ...lines,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}
