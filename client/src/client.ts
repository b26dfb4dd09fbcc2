import { createHash, randomUUID } from 'node:crypto';
import { type Credentials, createAccessTokens } from './access-token.ts';
import type { Bytes, Operations } from './api-types.ts';
import { bytesOf, type Call, type CallOptions, createCall, createSend } from './call-operation.ts';
import { createDpop } from './dpop.ts';
import { readText } from './http-request.ts';
import { createPages, type Pages } from './pages.ts';
import { type Clock, defaultClock } from './retry.ts';
import {
  createResultKeys,
  type ExpectedResult,
  ResultError,
  type VerifiedResult,
  verifyResult,
} from './verify-result.ts';

export type { JWK } from 'jose';
export type { Signer } from './access-token.ts';
export type * from './api-types.ts';
export type { Answer, Call, CallOptions, OperationId } from './call-operation.ts';
export { NetworkError, ProblemError, TimeoutError, TokenError, UnreadableError } from './client-errors.ts';
export type { FeedEvent } from './pages.ts';
export type { Clock } from './retry.ts';
export { ResultError, type VerifiedResult, verifyResult } from './verify-result.ts';
export { verifyWebhook, WebhookError, type WebhookEvent } from './verify-webhook.ts';

/** The settings of a client. */
export type ClientSettings = Credentials & {
  /** PUBLIC_URL of the server, such as `https://api.example.gov`. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** Scopes of the token, separated by spaces. By default, all scopes of the client. */
  readonly scope?: string;
  /** `true` binds the tokens to a key that exists only in memory of this client (DPoP). A stolen token is then useless. */
  readonly dpop?: boolean;
  /**
   * Maximum number of retries of safe requests (default 4), within 55 seconds. Retries after a `Retry-After` of the server do not
   * count. 0 turns off all retries.
   */
  readonly retries?: number;
  /** Timeout of one attempt in ms (default 30,000), for documents until the response headers. Ten times as long for deposits. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  /** Returns a number from 0 to 1 for the jitter of retries. */
  readonly random?: () => number;
};

type Claims = Operations['verifyIdentity']['body'];
type Message = Operations['sendNotification']['body'];

/** The metadata of a document to deposit, without percent-encoding. */
export type Deposit = {
  readonly citizenId: string;
  readonly title: string;
  readonly mediaType: string;
  /** Such as `tax-assessment`. */
  readonly kind?: string;
  /** RFC 3339, like all times. */
  readonly issuedAt?: string;
  readonly retainUntil?: string;
  readonly retentionClass?: string;
  readonly purpose?: string;
  readonly legalBasis?: string;
};
type KeyOption = { readonly idempotencyKey?: string };

/** A client of one server. */
export type Client = Pages & {
  readonly call: Call;
  /** The current access token, for requests that you send yourself. Throws a TypeError with `dpop`. */
  accessToken(options?: Pick<CallOptions, 'signal'>): Promise<string>;
  /** Verifies claims against the register. The claims are in the request body, never in the URL. */
  verify(claims: Claims, options?: CallOptions): Promise<Operations['verifyIdentity']['answers'][200]>;
  /** Checks a signed result of `verify` with the published keys of the server. */
  verifyResult(token: string, expected?: ExpectedResult): Promise<VerifiedResult>;
  /** Sends a notification. Retries create no second one. To repeat a call after a crash, pass your own `idempotencyKey`. */
  send(message: Message, options?: CallOptions & KeyOption): Promise<Operations['sendNotification']['answers'][202]>;
  /** Shows what each channel would send. Nothing is sent. */
  preview(message: Message, options?: CallOptions): Promise<Operations['previewNotification']['answers'][200]>;
  /** The status of a notification. */
  notification(id: string, options?: CallOptions): Promise<Operations['readNotification']['answers'][200]>;
  /** Deposits a document. Retries create no second one, and the server checks a digest. A stream has neither retries nor digest. */
  deposit(
    content: Bytes,
    about: Deposit,
    options?: CallOptions & KeyOption,
  ): Promise<Operations['depositDocument']['answers'][201]>;
  /**
   * The response with the document: 200, 206 for a `Range`, 304 for an `If-None-Match`. Read its body or cancel it. The signal
   * also stops the reading. Use one signal per document, because its listener stays until the signal aborts.
   */
  document(
    id: string,
    options?: CallOptions & { readonly headers?: Operations['retrieveDocument']['headers'] },
  ): Promise<Response>;
  /** The record of a document. */
  documentRecord(id: string, options?: CallOptions): Promise<Operations['readDocumentRecord']['answers'][200]>;
  /** Reads the scopes, quotas and credentials of your client, and its requests of the last 7 days. */
  ownClient(options?: CallOptions): Promise<Operations['readClient']['answers'][200]>;
  /** Calls your webhook once with a test event, and returns the outcome of the call. */
  testWebhook(
    id: string,
    body?: Operations['testWebhook']['body'],
    options?: CallOptions,
  ): Promise<Operations['testWebhook']['answers'][200]>;
  /**
   * The proof of a receipt, as the text of a `.tlog-proof` file. `receipt` is the path or URL in a response or its `Link`. A use has its
   * proof about a second after it; until then the request is repeated.
   */
  receiptProof(receipt: string, options?: CallOptions): Promise<string>;
};

/** Creates a client of one server. It keeps its token only in memory, and writes no file and no log. */
export function createClient(settings: ClientSettings): Client {
  const { clientId, scope, retries = 4, timeoutMs = 30_000, clock = defaultClock, random = Math.random } = settings;
  const baseUrl = new URL(settings.baseUrl).href.replace(/\/+$/, '');
  const { clientSecret, privateKey, signer } = settings;
  if ([clientSecret, privateKey, signer].filter((one) => one !== undefined).length !== 1) {
    throw new TypeError('expected one of clientSecret, privateKey and signer');
  }
  // Reads the global `fetch` at each call, because monitoring tools may replace it later.
  const fetchFunction: typeof fetch = settings.fetch ?? ((...request) => fetch(...request));
  const sharedOptions = { baseUrl, fetch: fetchFunction, clock, random, retries, timeoutMs };
  const dpop = settings.dpop === true ? createDpop(clock) : undefined;
  const tokens = createAccessTokens({ ...sharedOptions, clientId, scope, dpop, credentials: settings });
  const send = createSend({ ...sharedOptions, tokens, dpop });
  const call = createCall(send);
  const resultKeys = createResultKeys(sharedOptions);
  return {
    call,
    accessToken: async (options) => {
      if (dpop !== undefined)
        throw new TypeError('a bound token is of no use without the key of this client: use call');
      return await tokens.get(options?.signal);
    },
    ...createPages(call, clock),
    verify: async (claims, options) => (await call('verifyIdentity', { ...options, body: claims })).body,
    verifyResult: async (token, expected = {}) => {
      const check = async (isUnknown: boolean) => {
        const jwks = await resultKeys(isUnknown);
        return await verifyResult(token, { ...expected, issuer: baseUrl, clientId, jwks, now: clock.now() });
      };
      return await check(false).catch((fault) => {
        if (fault instanceof ResultError && fault.code === 'ERR_JWKS_NO_MATCHING_KEY') return check(true);
        throw fault;
      });
    },
    send: async (message, { idempotencyKey = randomUUID(), ...options } = {}) => {
      const headers = { 'Idempotency-Key': idempotencyKey };
      return (await call('sendNotification', { ...options, headers, body: message })).body;
    },
    preview: async (message, options) => (await call('previewNotification', { ...options, body: message })).body,
    notification: async (id, options) => (await call('readNotification', { ...options, params: { id } })).body,
    deposit: async (content, about, { idempotencyKey = randomUUID(), ...options } = {}) => {
      const digest = await reprDigestOf(bytesOf(content));
      const retryHeaders = digest === undefined ? {} : { 'Idempotency-Key': idempotencyKey, 'Repr-Digest': digest };
      const headers = { ...depositHeaders(about), ...retryHeaders };
      const input = { timeoutMs: 10 * timeoutMs, ...options, headers, body: content };
      return (await call('depositDocument', input)).body;
    },
    document: (id, { headers, ...options } = {}) => {
      const allHeaders = { Accept: '*/*', ...headers };
      return send('retrieveDocument', { ...options, params: { id }, headers: allHeaders }, (response) => response);
    },
    documentRecord: async (id, options) => (await call('readDocumentRecord', { ...options, params: { id } })).body,
    ownClient: async (options) => (await call('readClient', { ...options })).body,
    testWebhook: async (id, body = {}, options) =>
      (await call('testWebhook', { ...options, params: { id }, body })).body,
    receiptProof: async (receipt, options) => {
      const eventId = receipt.split('/').at(-1) ?? '';
      const input = { ...options, params: { eventId }, headers: { Accept: 'text/plain' } };
      return await send('readReceiptProof', input, readText);
    },
  };
}

function depositHeaders(deposit: Deposit): Operations['depositDocument']['headers'] {
  const encoded = (text: string | undefined) => (text === undefined ? undefined : encodeURIComponent(text));
  return {
    'Content-Type': deposit.mediaType,
    'Citizen-Id': encodeURIComponent(deposit.citizenId),
    'Document-Title': encodeURIComponent(deposit.title),
    'Document-Kind': deposit.kind,
    'Document-Issued-At': deposit.issuedAt,
    'Document-Retain-Until': deposit.retainUntil,
    'Document-Retention-Class': deposit.retentionClass,
    Purpose: encoded(deposit.purpose),
    'Legal-Basis': encoded(deposit.legalBasis),
  };
}

/** The Repr-Digest of the content (RFC 9530). Undefined for a stream, which can be read only once. */
async function reprDigestOf(content: Bytes): Promise<string | undefined> {
  if (content instanceof ReadableStream) return undefined;
  const hash = createHash('sha256');
  if (content instanceof Uint8Array) hash.update(content);
  else for await (const chunk of content.stream()) hash.update(chunk);
  return `sha-256=:${hash.digest('base64')}:`;
}
