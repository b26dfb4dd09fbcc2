import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { decodeJwt } from 'jose';
import { operations } from '../../src/app/operations.ts';
import type { HttpSend } from './http-client.ts';
import { bearerHeaders, type HttpRequest, parseJsonBody, postJson } from './http-client.ts';
import { runCommandInProcess } from './run-command.ts';
import type { ServerFixture } from './server-process.ts';
import { staffSamples } from './staff-requests.ts';
import { answerWithWallet } from './test-wallet.ts';
import { waitUntil } from './wait-until.ts';

/** Texts that occur only in test requests, so that a test can find where the server writes them. */
export const markers = {
  name: 'Zzyxwname',
  message: 'Zzyxwmessage',
  title: 'Zzyxwtitle',
  document: 'Zzyxwdocument',
  purpose: 'Zzyxwpurpose',
  nonce: 'Zzyxwnonce',
} as const;

/** The tokens and resources of a running server that the requests use. */
export type RequestContext = {
  readonly url: string;
  readonly token: string;
  /** A token of the same client, with a scope that no operation needs. */
  readonly tokenWithoutScope: string;
  readonly expiredToken: string;
  /** A token of a client that may state only one purpose. */
  readonly singlePurposeToken: string;
  /** An idempotency key that this client has used. */
  readonly usedIdempotencyKey: string;
  /** A notification of this client that can no longer be cancelled. */
  readonly sentNotification: string;
  readonly ids: ResourceIds;
  /** Ids of the same kinds that belong to another client. */
  readonly otherClientIds: ResourceIds;
};

/** The id of one resource of each kind. */
export type ResourceIds = {
  readonly verification: string;
  readonly notification: string;
  readonly document: string;
  readonly event: string;
  readonly webhook: string;
  readonly template: string;
  readonly batch: string;
  /** A presentation whose wallet has answered, so that it can be read, completed and cancelled. */
  readonly presentation: string;
};

/** Claims that match a citizen of the demo, with a marker in the member that is not compared. */
export const validClaims = {
  citizenId: 'demo-mary',
  givenName: 'Mary',
  familyName: 'Smith',
  birthDate: '1981-04-25',
  nonce: markers.nonce,
};

/** A message to that citizen. */
export const validMessage = { citizenId: 'demo-mary', message: `${markers.message} for you`, subject: markers.message };

/** A template. It has no data of citizens, so it is not sealed and has no markers. */
export const validTemplate = {
  name: 'Permit ready',
  defaultLanguage: 'en',
  texts: [
    { language: 'en', subject: 'Your permit', message: 'Dear ((name)), your permit is ready.' },
    { language: 'fr', message: 'Bonjour ((name)), le permis est prêt.' },
  ],
};

/** A file of messages, which waits for its start. */
const validBatch = `citizenId,subject,message\r\ndemo-mary,${markers.message},${markers.message} for you\r\n`;

/** The bytes of a deposited document. */
export const validDocument = Buffer.from(`%PDF-1.7\n${markers.document}\n`);

/** The headers of a deposit of these bytes. */
export function validDepositHeaders(bytes: Uint8Array = validDocument): OutgoingHttpHeaders {
  return {
    'content-type': 'application/pdf',
    'content-length': bytes.length,
    'citizen-id': 'demo-mary',
    'document-title': markers.title,
    'repr-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
  };
}

/** The contact preferences of a citizen. */
export const validPreferences = { channels: [], declined: ['sms'], hours: null, language: 'en' };

/** A request to the wallet of a citizen. */
const validPresentation = { purpose: markers.purpose, returnUrl: 'https://permits.example.gov/back' };

/** The response codes of the presentations that `createResources` has answered. */
const responseCodes = new Map<string, string>();

type SampleContext = Pick<RequestContext, 'token' | 'ids'>;

const get = ({ token }: SampleContext, path: string, method = 'GET'): HttpRequest => ({
  method,
  path,
  headers: bearerHeaders(token),
});
const grantsPath = ({ ids }: SampleContext) => `/v1/documents/${ids.document}/grants`;
// Tests with their own authorizer use tokens that are not JWTs; their requests reach no operation.
const clientIdOf = ({ token }: SampleContext) =>
  token.includes('.') ? String(decodeJwt(token)['client_id']) : 'nobody';
// Nothing listens on this port, so the calls of the webhook are retried.
const webhookBody = { url: 'http://127.0.0.1:1/calls' };

/** For each operation of clients and citizens, a request that is answered with 2xx. */
const requestSamples: Readonly<Record<string, (sampling: SampleContext) => HttpRequest>> = {
  verifyIdentityByQuery: (of) => get(of, `/v1/identity/verify?${new URLSearchParams(validClaims)}`),
  verifyIdentity: ({ token }) => postJson(token, '/v1/identity/verify', validClaims),
  verifyIdentityQuery: ({ token }) => ({ ...postJson(token, '/v1/identity/verify', validClaims), method: 'QUERY' }),
  readVerification: (of) => get(of, `/v1/identity/verifications/${of.ids.verification}`),
  sendNotification: ({ token }) => postJson(token, '/v1/notifications/send', validMessage),
  previewNotification: ({ token }) => postJson(token, '/v1/notifications/preview', validMessage),
  readNotification: (of) => get(of, `/v1/notifications/${of.ids.notification}`),
  listNotifications: (of) => get(of, '/v1/notifications?limit=5'),
  cancelNotification: (of) => get(of, `/v1/notifications/${of.ids.notification}/cancel`, 'POST'),
  readEvidence: (of) => get(of, `/v1/notifications/${of.ids.notification}/evidence`),
  depositDocument: ({ token }) => ({
    method: 'POST',
    path: '/v1/documents',
    headers: bearerHeaders(token, validDepositHeaders()),
    body: validDocument,
  }),
  retrieveDocument: (of) => get(of, `/v1/documents/${of.ids.document}`),
  readDocumentRecord: (of) => get(of, `/v1/documents/${of.ids.document}/record`),
  listDocuments: (of) => get(of, '/v1/documents?citizenId=demo-mary'),
  withdrawDocument: (of) => get(of, `/v1/documents/${of.ids.document}`, 'DELETE'),
  grantDocument: (of) => postJson(of.token, grantsPath(of), { clientId: clientIdOf(of), purpose: 'permit' }),
  endGrant: (of) => get(of, `${grantsPath(of)}?clientId=${clientIdOf(of)}&purpose=permit`, 'DELETE'),
  readReceipt: (of) => get(of, `/v1/receipts/${of.ids.event}`),
  readReceiptProof: (of) => get(of, `/v1/receipts/${of.ids.event}/proof`),
  readOwnAccessLog: (of) => get(of, '/v1/access-log'),
  readOwnRecord: (of) => get(of, '/v1/register-record'),
  changeOwnLock: ({ token }) => postJson(token, '/v1/register-lock', { locked: true }),
  removeWalletLinks: (of) => get(of, '/v1/wallet-links', 'DELETE'),
  statePreferences: ({ token }) => postJson(token, '/v1/contact-preferences', validPreferences),
  readPreferences: (of) => get(of, '/v1/contact-preferences'),
  askContactCode: ({ token }) =>
    postJson(token, '/v1/contact-addresses', { channel: 'email', address: 'a@example.org' }),
  confirmContactAddress: ({ token }) =>
    postJson(token, '/v1/contact-addresses/confirm', { channel: 'email', code: '012345' }),
  removeContactAddress: (of) => get(of, '/v1/contact-addresses?channel=email', 'DELETE'),
  listInboxMessages: (of) => get(of, '/v1/inbox?limit=5'),
  openInboxMessage: (of) => get(of, `/v1/inbox/${of.ids.notification}`),
  searchInbox: ({ token }) => postJson(token, '/v1/inbox/search', { text: markers.message }),
  exportInbox: ({ token }) => postJson(token, '/v1/inbox/export', {}),
  archiveInboxMessage: (of) => get(of, `/v1/inbox/${of.ids.notification}/archive`, 'POST'),
  restoreInboxMessage: (of) => get(of, `/v1/inbox/${of.ids.notification}/restore`, 'POST'),
  markInboxMessageUnread: (of) => get(of, `/v1/inbox/${of.ids.notification}/unread`, 'POST'),
  createWebhook: ({ token }) => postJson(token, '/v1/webhooks', webhookBody),
  listWebhooks: (of) => get(of, '/v1/webhooks'),
  removeWebhook: (of) => get(of, `/v1/webhooks/${of.ids.webhook}`, 'DELETE'),
  rotateWebhookSecret: (of) => get(of, `/v1/webhooks/${of.ids.webhook}/rotate-secret`, 'POST'),
  redeliverWebhook: (of) => get(of, `/v1/webhooks/${of.ids.webhook}/redeliver`, 'POST'),
  testWebhook: ({ token, ids }) => postJson(token, `/v1/webhooks/${ids.webhook}/test`, {}),
  listWebhookCalls: (of) => get(of, `/v1/webhooks/${of.ids.webhook}/calls`),
  readClient: (of) => get(of, '/v1/client'),
  readEvents: (of) => get(of, '/v1/events?limit=5'),
  createNotificationBatch: ({ token }) => ({
    method: 'POST',
    path: '/v1/notification-batches?start=manual',
    headers: bearerHeaders(token, { 'content-type': 'text/csv' }),
    body: validBatch,
  }),
  listNotificationBatches: (of) => get(of, '/v1/notification-batches?limit=5'),
  readNotificationBatch: (of) => get(of, `/v1/notification-batches/${of.ids.batch}`),
  listBatchRows: (of) => get(of, `/v1/notification-batches/${of.ids.batch}/rows?limit=5`),
  readBatchResults: (of) => get(of, `/v1/notification-batches/${of.ids.batch}/results`),
  startNotificationBatch: (of) => get(of, `/v1/notification-batches/${of.ids.batch}/start`, 'POST'),
  cancelNotificationBatch: (of) => get(of, `/v1/notification-batches/${of.ids.batch}/cancel`, 'POST'),
  createTemplate: ({ token }) => postJson(token, '/v1/templates', validTemplate),
  listTemplates: (of) => get(of, '/v1/templates'),
  readTemplate: (of) => get(of, `/v1/templates/${of.ids.template}`),
  removeTemplate: (of) => get(of, `/v1/templates/${of.ids.template}`, 'DELETE'),
  askPresentation: ({ token }) => postJson(token, '/v1/identity/presentations', validPresentation),
  readPresentation: (of) => get(of, `/v1/identity/presentations/${of.ids.presentation}`),
  completePresentation: ({ token, ids: { presentation } }) =>
    postJson(token, `/v1/identity/presentations/${presentation}/complete`, {
      responseCode: responseCodes.get(presentation) ?? 'none',
    }),
  cancelPresentation: (of) => get(of, `/v1/identity/presentations/${of.ids.presentation}/cancel`, 'POST'),
  listEndpoints: (of) => get(of, '/v1'),
};

/** The operations that have a sample request here. A test requires a sample for every operation. */
export const sampledOperations: readonly string[] = operations
  .map(({ name }) => name)
  .filter((name) => name in requestSamples || name in staffSamples);

/** A request of that operation that is answered with 2xx; for one of staff, with 2xx if what it names exists. */
export function validRequest(name: string, sampling: SampleContext): HttpRequest {
  const sample = requestSamples[name] ?? staffSamples[name];
  if (sample === undefined) throw new TypeError(`expected a sample request for ${name}: add one to requestSamples`);
  return sample(sampling);
}

/** Creates one resource of each kind with that token. The notification is due a day later, so that it can be cancelled. */
export async function createResources(ask: HttpSend, token: string, citizenId = 'demo-mary'): Promise<ResourceIds> {
  const createOne = async (sample: HttpRequest, member: string) => {
    const answer = await ask(sample);
    const id = parseJsonBody(answer)[member];
    if (typeof id !== 'string') throw new Error(`${sample.path} answered ${answer.status}: ${answer.body}`);
    return id;
  };
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const deposit = validRequest('depositDocument', { token, ids: unknownIds });
  const receipt = await createOne(postJson(token, '/v1/identity/verify', { ...validClaims, citizenId }), 'receipt');
  return {
    verification: await createOne(
      postJson(token, '/v1/identity/verify', { ...validClaims, citizenId }),
      'verificationId',
    ),
    notification: await createOne(
      postJson(token, '/v1/notifications/send', { ...validMessage, citizenId, sendAt: later }),
      'id',
    ),
    document: await createOne({ ...deposit, headers: { ...deposit.headers, 'citizen-id': citizenId } }, 'id'),
    event: receipt.replace('/v1/receipts/', ''),
    webhook: await createOne(validRequest('createWebhook', { token, ids: unknownIds }), 'id'),
    template: await createOne(validRequest('createTemplate', { token, ids: unknownIds }), 'id'),
    batch: await createReadyBatch(ask, token),
    presentation: await createAnsweredPresentation(ask, token),
  };
}

/** A presentation whose wallet has answered. The wallet returns with the code in the fragment. */
async function createAnsweredPresentation(ask: HttpSend, token: string): Promise<string> {
  const asked = parseJsonBody(await ask(validRequest('askPresentation', { token, ids: unknownIds })));
  const { body } = await answerWithWallet(String(asked['walletUrl']));
  const id = String(asked['presentationId']);
  responseCodes.set(id, String(body['redirect_uri']).split('#response_code=')[1] ?? '');
  return id;
}

/** A batch in the state `ready`, in which every operation on it succeeds. */
async function createReadyBatch(ask: HttpSend, token: string): Promise<string> {
  const sampling = { token, ids: unknownIds };
  const created = await ask(validRequest('createNotificationBatch', sampling));
  const id = String(parseJsonBody(created)['id']);
  const read = validRequest('readNotificationBatch', { token, ids: { ...unknownIds, batch: id } });
  await waitUntil(async () => parseJsonBody(await ask(read))['state'] === 'ready');
  return id;
}

/** Valid ids that no resource has. */
export const unknownIds: ResourceIds = {
  verification: 'ver_01M7WKVMFEE008WANFAS9XRDZX',
  notification: 'ntf_01M7WKVMFEE008WANFAS9XRDZX',
  document: 'doc_01M7WKVMFEE008WANFAS9XRDZX',
  event: 'evt_01M7WKVMFEE008WANFAS9XRDZX',
  webhook: 'whk_01M7WKVMFEE008WANFAS9XRDZX',
  template: 'tpl_01M7WKVMFEE008WANFAS9XRDZX',
  batch: 'bat_01M7WKVMFEE008WANFAS9XRDZX',
  presentation: 'prs_01M7WKVMFEE008WANFAS9XRDZX',
};

/** Creates another client with the scopes of the demo's client, and returns a token of it. */
export async function createClientToken(
  home: ServerFixture,
  name: string,
  ...options: readonly string[]
): Promise<string> {
  const scopes = home.readDemoFile().clients[0]?.scopes.join(',') ?? '';
  const args = [name, '--scopes', scopes, '--secret', '--json', ...options];
  const { code, stdout, stderr } = await runCommandInProcess(home, 'clients', 'create', ...args);
  if (code !== 0) throw new Error(stderr);
  return await home.fetchAccessToken([], JSON.parse(stdout) as { clientId: string; clientSecret: string });
}
