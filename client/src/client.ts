import { createHash, randomUUID } from 'node:crypto';
import { type Credentials, createAccessTokens } from './access-token.ts';
import type { Bytes, Operations } from './api-types.ts';
import { bytesOf, type Call, type CallOptions, createCall, createSend } from './call-operation.ts';
import { createDpop } from './dpop.ts';
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
export type * from './api-types.ts';
export type { Answer, Call, CallOptions, OperationId } from './call-operation.ts';
export { NetworkError, ProblemError, TimeoutError, TokenError, UnreadableError } from './client-errors.ts';
export type { FeedEvent } from './pages.ts';
export type { Clock } from './retry.ts';
export { ResultError, type VerifiedResult, verifyResult } from './verify-result.ts';
export { verifyWebhook, WebhookError, type WebhookEvent } from './verify-webhook.ts';

export type ClientSettings = Credentials & {
  /** PUBLIC_URL of the server, as `https://api.example.gov`. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** Scopes of the token, with blanks between; all of the client where it is absent. */
  readonly scope?: string;
  /** `true` binds the tokens to a key that this client makes and keeps in memory (DPoP): a stolen one is worth nothing. */
  readonly dpop?: boolean;
  /** How often what is safe is sent again (4), within 55 seconds. */
  readonly retries?: number;
  /** For one attempt, of documents until their first byte (30,000); a deposit has ten times that. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  /** From 0 to 1, for the jitter of pauses. */
  readonly random?: () => number;
};

type Claims = Operations['verifyIdentity']['body'];
type Message = Omit<Operations['sendNotification']['body'], 'dryRun'>;

/** What is known of a document that is deposited, in plain text. */
export type Deposit = {
  readonly citizenId: string;
  readonly title: string;
  readonly mediaType: string;
  /** As `tax-assessment`. */
  readonly kind?: string;
  /** RFC 3339, as all instants. */
  readonly issuedAt?: string;
  readonly retainUntil?: string;
  readonly retentionClass?: string;
  readonly purpose?: string;
  readonly legalBasis?: string;
};
type KeyOption = { readonly idempotencyKey?: string };

export type Client = Pages & {
  readonly call: Call;
  /** The present access token, for a program that makes a request by itself; not of a client with `dpop`. */
  accessToken(options?: Pick<CallOptions, 'signal'>): Promise<string>;
  /** Claims against the register, in a body: never in a URL. */
  verify(claims: Claims, options?: CallOptions): Promise<Operations['verifyIdentity']['answers'][200]>;
  /** The signed result of `verify`, by the published keys of the server. */
  verifyResult(token: string, question?: ExpectedResult): Promise<VerifiedResult>;
  /** Accepted once however often it is sent: with a key of its own, unless you keep one to go on with after a crash. */
  send(message: Message, options?: CallOptions & KeyOption): Promise<Operations['sendNotification']['answers'][202]>;
  notification(id: string, options?: CallOptions): Promise<Operations['readNotification']['answers'][200]>;
  /** Bytes are proved by their digest and deposited once; a stream is sent once and not again. */
  deposit(
    content: Bytes,
    about: Deposit,
    options?: CallOptions & KeyOption,
  ): Promise<Operations['depositDocument']['answers'][201]>;
  /** The document as it comes: 200, 206 for a `Range`, 304 for an `If-None-Match`. Read its body, or cancel it. A signal
   * ends the reading too, and is best of its own for each: it stays bound to the document. */
  document(
    id: string,
    options?: CallOptions & { readonly headers?: Operations['retrieveDocument']['headers'] },
  ): Promise<Response>;
  /** What is on record about a document. */
  documentRecord(id: string, options?: CallOptions): Promise<Operations['retrieveDocument']['answers'][200]>;
};

/** A client of one server. It holds its token in memory alone, and writes nothing anywhere. */
export function createClient(settings: ClientSettings): Client {
  const { clientId, scope, retries = 4, timeoutMs = 30_000, clock = defaultClock, random = Math.random } = settings;
  const baseUrl = new URL(settings.baseUrl).href.replace(/\/+$/, '');
  const { clientSecret, privateKey } = settings;
  if ((clientSecret === undefined) === (privateKey === undefined)) {
    throw new TypeError('give either clientSecret or privateKey');
  }
  // Taken when it is called, as what watches a process puts its own in this place.
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
    verifyResult: async (token, question = {}) => {
      const check = async (isUnknown: boolean) => {
        const jwks = await resultKeys(isUnknown);
        return await verifyResult(token, { ...question, issuer: baseUrl, clientId, jwks, now: clock.now() });
      };
      return await check(false).catch((fault) => {
        if (fault instanceof ResultError && fault.code === 'ERR_JWKS_NO_MATCHING_KEY') return check(true);
        throw fault;
      });
    },
    send: async (message, { idempotencyKey = randomUUID(), ...options } = {}) => {
      const headers = { 'Idempotency-Key': idempotencyKey };
      const answer = await call('sendNotification', { ...options, headers, body: message });
      // 200 answers dry runs alone, and `dryRun` is no member of a message here.
      return answer.body as Operations['sendNotification']['answers'][202];
    },
    notification: async (id, options) => (await call('readNotification', { ...options, params: { id } })).body,
    deposit: async (content, about, { idempotencyKey = randomUUID(), ...options } = {}) => {
      const digest = await reprDigestOf(bytesOf(content));
      const once = digest === undefined ? {} : { 'Idempotency-Key': idempotencyKey, 'Repr-Digest': digest };
      const headers = { ...depositHeaders(about), ...once };
      const given = { timeoutMs: 10 * timeoutMs, ...options, headers, body: content };
      return (await call('depositDocument', given)).body;
    },
    document: (id, { headers, ...options } = {}) => {
      const all = { Accept: '*/*', ...headers };
      return send('retrieveDocument', { ...options, params: { id }, headers: all }, (response) => response);
    },
    documentRecord: async (id, options) => (await call('retrieveDocument', { ...options, params: { id } })).body,
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

/** Repr-Digest of the whole (RFC 9530), of what can be read twice. A Blob is read piece by piece. */
async function reprDigestOf(content: Bytes): Promise<string | undefined> {
  if (content instanceof ReadableStream) return undefined;
  const hash = createHash('sha256');
  if (content instanceof Uint8Array) hash.update(content);
  else for await (const piece of content.stream()) hash.update(piece);
  return `sha-256=:${hash.digest('base64')}:`;
}
