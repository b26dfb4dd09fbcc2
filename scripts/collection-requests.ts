import { createHash } from 'node:crypto';

/**
 * One request of the API collections. `{{name}}` in a text is the variable `name`. Members of an answer are written as in
 * JavaScript, such as `items[0].id`.
 */
export type CollectionRequest = {
  readonly name: string;
  readonly about: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** Milliseconds to wait before the request. */
  readonly waitMs?: number;
  /** The status of the response. */
  readonly status: number;
  /** The values of some members of the JSON body. */
  readonly members?: Readonly<Record<string, string | number | boolean>>;
  /** The values of some headers of the response. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** The whole body, if it is text. */
  readonly text?: string;
  /** The variables for later requests, each with the member of the JSON body that it takes. */
  readonly variables?: Readonly<Record<string, string>>;
};

type RequestBody =
  | { readonly json: Readonly<Record<string, string>> }
  | { readonly text: string }
  | { readonly form: Readonly<Record<string, string>> };

/** Claims of a person of the sandbox (docs/integrate/sandbox.md), which the demo also has. */
const nora = { givenName: 'Nora', familyName: 'Lindqvist', birthDate: '1975-08-14' };
const message = {
  citizenId: 'sim-delivered',
  subject: 'Parking permit',
  message: 'Your permit is ready.',
  reference: 'permit-120',
};
const permit = 'PARKING PERMIT 2026/120';
const permitDigest = `sha-256=:${createHash('sha256').update(permit).digest('base64')}:`;
const idempotencyKey = { 'Idempotency-Key': '{{$guid}}' };

const identityRequests: readonly CollectionRequest[] = [
  {
    name: 'Get a token',
    about: 'Run this request first, and again when the token has expired. The client authenticates with its secret.',
    method: 'POST',
    path: '/oauth2/token',
    body: { form: { grant_type: 'client_credentials' } },
    status: 200,
    members: { token_type: 'Bearer' },
    variables: { accessToken: 'access_token' },
  },
  {
    name: 'Verify claims that match',
    about: 'The register has a citizen with this id, and all claims match.',
    method: 'POST',
    path: '/v1/identity/verify',
    body: { json: { citizenId: 'try-nora', ...nora } },
    status: 200,
    members: { decision: 'match', verified: true },
    variables: { verificationId: 'verificationId' },
  },
  {
    name: 'Verify claims that do not match',
    about: 'The birth date has a wrong digit. The response does not say which claim is wrong.',
    method: 'POST',
    path: '/v1/identity/verify',
    body: { json: { citizenId: 'try-nora', ...nora, birthDate: '1975-08-15' } },
    status: 200,
    members: { decision: 'no_match', verified: false },
  },
  {
    name: 'Verify without an id',
    about: 'A search without an id needs both names, the birth date, and an address or document number.',
    method: 'POST',
    path: '/v1/identity/verify',
    body: { json: { ...nora, postalCode: '41102' } },
    status: 200,
    members: { decision: 'match', verified: true },
  },
  {
    name: 'Read an earlier result',
    about: 'Reads the result of the first verification again.',
    method: 'GET',
    path: '/v1/identity/verifications/{{verificationId}}',
    status: 200,
    members: { decision: 'match' },
  },
  {
    name: 'Receive a problem',
    about: 'An id alone is not enough. Every error has a type, a detail and a fix.',
    method: 'POST',
    path: '/v1/identity/verify',
    body: { json: { citizenId: 'try-nora' } },
    status: 400,
    members: { title: 'Too few claims', 'issues[0].pointer': '/familyName', retryable: false },
    responseHeaders: { 'content-type': 'application/problem+json' },
  },
];

const notificationRequests: readonly CollectionRequest[] = [
  {
    name: 'Preview a notification',
    about: 'Shows the text of each channel, and sends nothing.',
    method: 'POST',
    path: '/v1/notifications/preview',
    body: { json: { ...message, citizenId: 'try-nora' } },
    status: 200,
    members: { citizenKnown: true, 'channels[0].subject': message.subject },
  },
  {
    name: 'Send a notification',
    about: 'The idempotency key is new for each run. If you repeat a request after a lost response, repeat its key.',
    method: 'POST',
    path: '/v1/notifications/send',
    headers: idempotencyKey,
    body: { json: message },
    status: 202,
    members: { status: 'accepted', reference: message.reference },
    variables: { notificationId: 'id', receipt: 'receipt' },
  },
  {
    name: 'Read the status of a notification',
    about: 'The status changes until it is final. The response also has the timeline of each channel.',
    method: 'GET',
    path: '/v1/notifications/{{notificationId}}',
    status: 200,
    members: { id: '{{notificationId}}', 'timeline[0].event': 'accepted' },
  },
  {
    name: 'List notifications',
    about: 'Lists the notifications with this reference of your service.',
    method: 'GET',
    path: `/v1/notifications?reference=${message.reference}&limit=10`,
    status: 200,
    members: { 'items[0].reference': message.reference },
  },
];

const documentRequests: readonly CollectionRequest[] = [
  {
    name: 'Deposit a document',
    about: 'The body is the document. With an idempotency key, its digest is required.',
    method: 'POST',
    path: '/v1/documents',
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Citizen-Id': 'try-nora',
      'Document-Title': 'Parking permit 2026/120',
      'Document-Kind': 'permit',
      'Repr-Digest': permitDigest,
      ...idempotencyKey,
    },
    body: { text: permit },
    status: 201,
    members: { size: permit.length, status: 'available', digest: permitDigest },
    variables: { documentId: 'id' },
  },
  {
    name: 'Retrieve a document',
    about: 'The response has the deposited bytes and their digest.',
    method: 'GET',
    path: '/v1/documents/{{documentId}}',
    status: 200,
    responseHeaders: { 'repr-digest': permitDigest },
    text: permit,
  },
  {
    name: 'Retrieve a range of a document',
    about: 'Use ranges to continue an interrupted download.',
    method: 'GET',
    path: '/v1/documents/{{documentId}}',
    headers: { Range: 'bytes=0-13' },
    status: 206,
    responseHeaders: { 'content-range': `bytes 0-13/${permit.length}` },
    text: permit.slice(0, 14),
  },
  {
    name: 'Read the record of a document',
    about: 'The record has the title, kind, size and access of the document, without its content.',
    method: 'GET',
    path: '/v1/documents/{{documentId}}/record',
    status: 200,
    members: { id: '{{documentId}}', kind: 'permit' },
  },
];

const ledgerRequests: readonly CollectionRequest[] = [
  {
    name: 'Read a receipt',
    about: 'The receipt proves that the ledger has the event of the notification. It is ready after about a second.',
    method: 'GET',
    path: '{{receipt}}',
    waitMs: 3_000,
    status: 200,
    members: { type: 'notification.accepted' },
  },
  {
    name: 'Read the events feed',
    about:
      'The feed has the events of your notifications in order. Continue with the value of `after` in the response.',
    method: 'GET',
    path: '/v1/events?limit=10',
    status: 200,
    members: { 'items[0].type': 'notification.delivery-ended' },
  },
];

/** The requests of both collections, in the order in which a runner sends them. */
export const collectionRequests: readonly CollectionRequest[] = [
  ...identityRequests,
  ...notificationRequests,
  ...documentRequests,
  ...ledgerRequests,
];
