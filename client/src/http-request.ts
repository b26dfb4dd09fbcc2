import type { Problem } from './api-types.ts';
import { NetworkError, ProblemError, TimeoutError, TokenError } from './client-errors.ts';

/** What bounds one request: `signal` is the caller's, and its reason is thrown as it is. */
export type RequestLimits = { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined };

const answerLimitBytes = 16_777_216;

/**
 * One request. `read` takes the answer, within the time of the request; what it returns with a body still open goes on to be
 * stopped by the signal.
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
    // A redirect is no answer of this interface, and would carry the token elsewhere.
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

/** The body of an answer as JSON; the caller knows its shape from the interface. */
export async function readJson(response: Response): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > answerLimitBytes) throw new NetworkError('ANSWER_TOO_LARGE');
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    throw new NetworkError('ANSWER_UNREADABLE');
  }
}

/** What an answer that is no success says. Of another program, as a proxy, it says no more than its status. */
export async function readProblem(response: Response, now: number): Promise<ProblemError> {
  const { status } = response;
  const retryAfterMs = parseRetryAfter(response, now);
  const isProblem = /^application\/problem\+json/.test(response.headers.get('content-type') ?? '');
  if (isProblem) return new ProblemError((await readJson(response)) as Problem, retryAfterMs);
  await response.body?.cancel();
  const foreignProblem = {
    ...{ type: 'about:blank', title: `HTTP ${status}`, status, retryable: isTransientStatus(status) },
    detail: 'This is no answer of the interface.',
    fix: 'Look at baseUrl, and at what stands between here and the server.',
    instance: response.headers.get('request-id') ?? '',
  };
  return new ProblemError(foreignProblem, retryAfterMs);
}

/** Whether a status says that it may be otherwise in a moment. */
export function isTransientStatus(status: number): boolean {
  return status === 429 || (status >= 502 && status <= 504);
}

/** Retry-After in milliseconds: it holds seconds or a date (RFC 9110, section 10.2.3). */
export function parseRetryAfter(response: Response, now: number): number | undefined {
  const text = response.headers.get('retry-after') ?? '';
  const at = Date.parse(text);
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
