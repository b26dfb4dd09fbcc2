import type { AccessTokens } from './access-token.ts';
import { operations } from './api-operations.ts';
import type { Bytes, Operations } from './api-types.ts';
import { ProblemError } from './client-errors.ts';
import { type DpopProver, retryWithNonce } from './dpop.ts';
import { readJson, readProblem, sendRequest } from './http-request.ts';
import { type RetryOptions, retry } from './retry.ts';

export type OperationId = keyof Operations;

/** What any call may be given besides: what ends it, and the time for one attempt. */
export type CallOptions = { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined };

/** What an operation takes. Values of headers are sent as they are: where the document says so, percent-encode them. */
export type OperationInput<Id extends OperationId> = Omit<Operations[Id], 'answers'> & CallOptions;

/** One of the JSON answers of an operation. */
export type Answer<Id extends OperationId> = {
  [Status in keyof Operations[Id]['answers']]: {
    readonly status: Status;
    readonly headers: Headers;
    readonly body: Operations[Id]['answers'][Status];
  };
}[keyof Operations[Id]['answers']];

/** Nothing has to be given where nothing is required. */
type InputArguments<Id extends OperationId> =
  Record<never, never> extends OperationInput<Id> ? [given?: OperationInput<Id>] : [given: OperationInput<Id>];

/** Calls any operation by its operationId; throws a ProblemError, TokenError, NetworkError or TimeoutError. */
export type Call = <Id extends OperationId>(id: Id, ...rest: InputArguments<Id>) => Promise<Answer<Id>>;

type SendOptions = RetryOptions & {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly tokens: AccessTokens;
  readonly dpop: DpopProver | undefined;
};
/** What the types above say, without the names of the one operation. */
type AnyInput = CallOptions & {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
};

/** Sends one operation, again where that is safe, and gives its answer as `read` takes it. */
export type Send = <T>(id: OperationId, given: AnyInput, read: (response: Response) => Promise<T> | T) => Promise<T>;

export function createSend(parts: SendOptions): Send {
  return async (id, given, read) => {
    const { signal, timeoutMs = parts.timeoutMs } = given;
    const { method, path } = operations[id];
    const url = `${parts.baseUrl}${fillPath(path, given.params)}${queryOf(given.query)}`;
    const [headers, body] = contentOf(given);
    const once = async (token: string) => {
      const dpopHeaders = await parts.dpop?.headersFor({ method, url, token });
      for (const pair of Object.entries(dpopHeaders ?? { authorization: `Bearer ${token}` })) headers.set(...pair);
      // `duplex` is what fetch wants for a stream; other bodies do not mind.
      const init = { method, headers, body: body ?? null, duplex: 'half' } as RequestInit;
      return await sendRequest({ fetch: parts.fetch, url, init }, { timeoutMs, signal }, async (response) => {
        parts.dpop?.storeNonce(response);
        // 304 is an answer that was asked for.
        if (response.ok || response.status === 304) return await read(response);
        throw await readProblem(response, parts.clock.now());
      });
    };
    const isRepeatable = !(body instanceof ReadableStream);
    const attempt = (token: string) => (isRepeatable ? retryWithNonce(() => once(token)) : once(token));
    const mayRetry = (fault: unknown) => isRepeatable && (isSafeToRetry(id, method, headers) || wasNotProcessed(fault));
    // A stream goes once: with a new token comes a nonce that is good.
    if (!isRepeatable && parts.dpop?.isNonceExpired() === true) parts.tokens.invalidate(await parts.tokens.get(signal));
    let token = await parts.tokens.get(signal);
    return await retry({ ...parts, mayRetry }, signal, async () => {
      try {
        return await attempt(token);
      } catch (fault) {
        if (!isInvalidToken(fault)) throw fault;
        parts.tokens.invalidate(token);
        if (!isRepeatable) throw fault;
        // Another token, once: whatever this attempt comes to, it is the answer.
        token = await parts.tokens.get(signal);
        return await attempt(token);
      }
    });
  };
}

/** The JSON of an answer, whatever else the operation could answer with. */
export function createCall(send: Send): Call {
  return async (id, ...[given]) => {
    const all: AnyInput = { ...given };
    const headers = { Accept: 'application/json', ...all.headers };
    return await send(id, { ...all, headers }, async (response) => {
      const answer: unknown = { status: response.status, headers: response.headers, body: await readJson(response) };
      // The server keeps its own document, which these types were made from.
      return answer as Answer<typeof id>;
    });
  };
}

/** Asking twice is safe: a question, or what the server does once for its key. Verify asks, and repeats cost no guess. */
function isSafeToRetry(id: OperationId, method: string, headers: Headers): boolean {
  return method === 'GET' || method === 'QUERY' || id === 'verifyIdentity' || headers.has('idempotency-key');
}

/** Refused before anything was done: over quota, or while the server sheds load. */
function wasNotProcessed(fault: unknown): boolean {
  return fault instanceof ProblemError && ['quota-exceeded', 'capacity-reduced'].includes(fault.slug);
}

function isInvalidToken(fault: unknown): boolean {
  return fault instanceof ProblemError && fault.status === 401 && /^(invalid|expired)-access-token$/.test(fault.slug);
}

function fillPath(path: string, params: AnyInput['params']): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = params?.[name];
    // Without a part of its own the path would be that of another operation.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`params.${name} is missing`);
    return encodeURIComponent(value);
  });
}

function queryOf(query: AnyInput['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = given.map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** The bytes of a document, as fetch takes them. */
export function bytesOf(content: unknown): Bytes {
  if (content instanceof Uint8Array || content instanceof Blob || content instanceof ReadableStream) return content;
  throw new TypeError('a document has to be a Uint8Array, a Blob or a ReadableStream, as Readable.toWeb makes one');
}

function contentOf({ headers: given = {}, body }: AnyInput): [headers: Headers, body: RequestInit['body']] {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    // fetch would name the value in its error.
    if (!/^[\x20-\x7e]*$/.test(value)) throw new TypeError(`the header ${name} takes ASCII alone: percent-encode it`);
    headers.set(name, value);
  }
  if (body === undefined) return [headers, undefined];
  // Of operations that take bytes the type of the content has to be stated.
  if (headers.has('content-type')) return [headers, bytesOf(body)];
  headers.set('content-type', 'application/json');
  return [headers, JSON.stringify(body)];
}
