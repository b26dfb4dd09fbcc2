import type { Problem } from './api-types.ts';
import { NetworkError, ProblemError, TimeoutError, TokenError } from './client-errors.ts';

/** The limits of one request. `signal` comes from the caller, and its reason is thrown unchanged. */
export type RequestLimits = { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined };

const responseLimitBytes = 16_777_216;

/**
 * Sends one request. The timeout includes `read`, which reads the response. If `read` leaves the body open, the signal still
 * stops the body later.
 */
export async function sendRequest<T>(
  request: { readonly fetch: typeof fetch; readonly url: string; readonly init: RequestInit },
  { timeoutMs, signal }: RequestLimits,
  read: (response: Response) => Promise<T> | T,
): Promise<T> {
  signal?.throwIfAborted();
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener('abort', stop, { once: true });
  let isOpen = false;
  try {
    // The API has no redirects. A followed redirect could send the token to another server.
    const response = await request.fetch(request.url, { ...request.init, redirect: 'manual', signal: stopping.signal });
    const result = await read(response);
    isOpen = response.body !== null && !response.bodyUsed;
    return result;
  } catch (fault) {
    if (signal?.aborted === true) throw signal.reason;
    if (stopping.signal.aborted) throw new TimeoutError(timeoutMs);
    if (fault instanceof ProblemError || fault instanceof TokenError || fault instanceof NetworkError) throw fault;
    throw new NetworkError(networkErrorCode(fault));
  } finally {
    clearTimeout(timer);
    if (!isOpen) signal?.removeEventListener('abort', stop);
  }
}

function networkErrorCode(fault: unknown): string {
  const { cause, code } = fault as { readonly cause?: { readonly code?: unknown }; readonly code?: unknown };
  return [cause?.code, code].find((one) => typeof one === 'string') ?? 'NETWORK';
}

/** Reads the body of a response as JSON, up to 16 MiB. The caller knows the type from the OpenAPI document. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await readText(response);
  try {
    return JSON.parse(text);
  } catch {
    throw new NetworkError('ANSWER_UNREADABLE');
  }
}

/** Reads the body of a response as text, up to 16 MiB. */
export async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > responseLimitBytes) throw new NetworkError('ANSWER_TOO_LARGE');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The error of an unsuccessful response. If another program responded, such as a proxy, it contains only the status. */
export async function readProblem(response: Response, now: number): Promise<ProblemError> {
  const { status } = response;
  const retryAfterMs = parseRetryAfter(response, now);
  const isProblem = /^application\/problem\+json/.test(response.headers.get('content-type') ?? '');
  if (isProblem) return new ProblemError((await readJson(response)) as Problem, retryAfterMs);
  await response.body?.cancel();
  const foreignProblem = {
    type: 'about:blank',
    title: `HTTP ${status}`,
    status,
    retryable: isTransientStatus(status),
    detail: 'Expected a problem from the server, received a response of another program.',
    fix: 'Check baseUrl and the proxies between this client and the server.',
    instance: response.headers.get('request-id') ?? '',
  };
  return new ProblemError(foreignProblem, retryAfterMs);
}

/** Whether a request with this status can succeed soon. */
export function isTransientStatus(status: number): boolean {
  return status === 429 || (status >= 502 && status <= 504);
}

/** Retry-After in milliseconds. The header has seconds or a date (RFC 9110, section 10.2.3). */
export function parseRetryAfter(response: Response, now: number): number | undefined {
  const text = response.headers.get('retry-after') ?? '';
  const at = Date.parse(text);
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
