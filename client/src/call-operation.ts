import type { AccessTokens } from './access-token.ts';
import { operations } from './api-operations.ts';
import type { Bytes, Operations } from './api-types.ts';
import { ProblemError } from './client-errors.ts';
import { type DpopProver, retryWithNonce } from './dpop.ts';
import { readJson, readProblem, sendRequest } from './http-request.ts';
import { type RetryOptions, retry } from './retry.ts';

/** The operationId of an operation in the OpenAPI document. */
export type OperationId = keyof Operations;

/** Options of every call: a signal that ends it, and the timeout of one attempt in milliseconds. */
export type CallOptions = { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined };

/** The input of an operation. Header values are sent unchanged. Percent-encode them if the OpenAPI document says so. */
export type OperationInput<Id extends OperationId> = Omit<Operations[Id], 'answers'> & CallOptions;

/** The JSON response of an operation. */
export type Answer<Id extends OperationId> = {
  [Status in keyof Operations[Id]['answers']]: {
    readonly status: Status;
    readonly headers: Headers;
    readonly body: Operations[Id]['answers'][Status];
  };
}[keyof Operations[Id]['answers']];

/** The input is optional if the operation requires none. */
type InputArguments<Id extends OperationId> =
  Record<never, never> extends OperationInput<Id> ? [input?: OperationInput<Id>] : [input: OperationInput<Id>];

/** The operations whose response is JSON. */
type JsonOperationId = {
  [Id in OperationId]: keyof Operations[Id]['answers'] extends never ? never : Id;
}[OperationId];

/** Calls an operation with a JSON response by its operationId; throws a ProblemError, TokenError, NetworkError or TimeoutError. */
export type Call = <Id extends JsonOperationId>(id: Id, ...rest: InputArguments<Id>) => Promise<Answer<Id>>;

type SendOptions = RetryOptions & {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly tokens: AccessTokens;
  readonly dpop: DpopProver | undefined;
};
/** The input of any operation, without its specific member names. */
type AnyInput = CallOptions & {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
};

/** Sends one request, with retries if that is safe, and returns the result of `read`. */
export type Send = <T>(id: OperationId, input: AnyInput, read: (response: Response) => Promise<T> | T) => Promise<T>;

/** Creates the function that sends all requests of a client, with access tokens, DPoP proofs and retries. */
export function createSend(options: SendOptions): Send {
  return async (id, input, read) => {
    const { signal, timeoutMs = options.timeoutMs } = input;
    const { method, path } = operations[id];
    const url = `${options.baseUrl}${fillPath(path, input.params)}${queryOf(input.query)}`;
    const [headers, body] = contentOf(input);
    const once = async (token: string) => {
      const dpopHeaders = await options.dpop?.headersFor({ method, url, token });
      for (const pair of Object.entries(dpopHeaders ?? { authorization: `Bearer ${token}` })) headers.set(...pair);
      // fetch requires `duplex` for a stream, and ignores it for other bodies.
      const init = { method, headers, body: body ?? null, duplex: 'half' } as RequestInit;
      return await sendRequest({ fetch: options.fetch, url, init }, { timeoutMs, signal }, async (response) => {
        options.dpop?.storeNonce(response);
        // 304 is a success: the caller sent If-None-Match.
        if (response.ok || response.status === 304) return await read(response);
        throw await readProblem(response, options.clock.now());
      });
    };
    const isRepeatable = !(body instanceof ReadableStream);
    const attempt = (token: string) => (isRepeatable ? retryWithNonce(() => once(token)) : once(token));
    const mayRetry = (fault: unknown) => isRepeatable && (isSafeToRetry(id, method, headers) || wasNotProcessed(fault));
    // A stream can be sent only once, so the nonce must be valid: the response with a new token also brings a new nonce.
    if (!isRepeatable && options.dpop?.isNonceExpired() === true)
      options.tokens.invalidate(await options.tokens.get(signal));
    let token = await options.tokens.get(signal);
    return await retry({ ...options, mayRetry }, signal, async () => {
      try {
        return await attempt(token);
      } catch (fault) {
        if (!isInvalidToken(fault)) throw fault;
        options.tokens.invalidate(token);
        if (!isRepeatable) throw fault;
        // One attempt with a new token. Its result is final.
        token = await options.tokens.get(signal);
        return await attempt(token);
      }
    });
  };
}

/** Creates `call`, which requests JSON from an operation. */
export function createCall(send: Send): Call {
  return async (id, ...[input]) => {
    const anyInput: AnyInput = { ...input };
    const headers = { Accept: 'application/json', ...anyInput.headers };
    return await send(id, { ...anyInput, headers }, async (response) => {
      const answer: unknown = { status: response.status, headers: response.headers, body: await readJson(response) };
      // The types come from the OpenAPI document, and the server responds as the document says.
      return answer as Answer<typeof id>;
    });
  };
}

/** Whether a repeat has no effect: reads, and requests with an Idempotency-Key. A repeated verification does not count twice. */
function isSafeToRetry(id: OperationId, method: string, headers: Headers): boolean {
  const isReading = method === 'GET' || method === 'QUERY' || id === 'verifyIdentity' || id === 'previewNotification';
  return isReading || headers.has('idempotency-key');
}

/** Whether the server refused the request before any processing: over quota, or while it sheds load. */
function wasNotProcessed(fault: unknown): boolean {
  return fault instanceof ProblemError && ['quota-exceeded', 'capacity-reduced'].includes(fault.slug);
}

function isInvalidToken(fault: unknown): boolean {
  return fault instanceof ProblemError && fault.status === 401 && /^(invalid|expired)-access-token$/.test(fault.slug);
}

function fillPath(path: string, params: AnyInput['params']): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = params?.[name];
    // An empty segment, `.` or `..` would make the path of another operation.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`params.${name} is missing`);
    return encodeURIComponent(value);
  });
}

function queryOf(query: AnyInput['query'] = {}): string {
  const defined = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = defined.map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** The bytes of a document, in a form that fetch accepts. Throws a TypeError for other values. */
export function bytesOf(content: unknown): Bytes {
  if (content instanceof Uint8Array || content instanceof Blob || content instanceof ReadableStream) return content;
  throw new TypeError('a document has to be a Uint8Array, a Blob or a ReadableStream, as Readable.toWeb makes one');
}

function contentOf({ headers: inputHeaders = {}, body }: AnyInput): [headers: Headers, body: RequestInit['body']] {
  const headers = new Headers();
  for (const [name, value] of Object.entries(inputHeaders)) {
    if (value === undefined) continue;
    // The error of fetch would contain the value, which can be personal data.
    if (!/^[\x20-\x7e]*$/.test(value)) throw new TypeError(`the header ${name} takes ASCII alone: percent-encode it`);
    headers.set(name, value);
  }
  if (body === undefined) return [headers, undefined];
  // Operations with a binary body require Content-Type. Other operations do not have it in their type.
  if (headers.has('content-type')) return [headers, bytesOf(body)];
  headers.set('content-type', 'application/json');
  return [headers, JSON.stringify(body)];
}
