import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { decodeJwt } from 'jose';
import { operations } from '../../src/operations.ts';
import type { Exchange } from '../exchange.ts';
import { type Asked, jsonOf, sendJson, withToken } from '../exchange.ts';
import { runHere } from '../run-here.ts';
import type { ServerHome } from '../whole-server.ts';

/** Texts that stand nowhere else: wherever one of them turns up, it came from a request. */
export const marks = {
  name: 'Zzyxwname',
  message: 'Zzyxwmessage',
  title: 'Zzyxwtitle',
  document: 'Zzyxwdocument',
  purpose: 'Zzyxwpurpose',
  nonce: 'Zzyxwnonce',
} as const;

/** What a server has for the requests of a table: tokens, and things that can be asked for. */
export type World = {
  readonly url: string;
  readonly token: string;
  /** A token of the same client, with a scope that no operation needs. */
  readonly narrow: string;
  readonly expired: string;
  /** A token of a client that may state one purpose alone. */
  readonly purposeBound: string;
  /** An idempotency key under which that client sent something. */
  readonly usedKey: string;
  /** A notification of that client that cannot be called back any more. */
  readonly left: string;
  readonly ids: Ids;
  /** Ids of the same kinds, made by another client. */
  readonly foreign: Ids;
};

/** One thing of each kind that has an id. */
export type Ids = {
  readonly verification: string;
  readonly notification: string;
  readonly document: string;
  readonly event: string;
  readonly webhook: string;
  readonly template: string;
};

/** Claims of a citizen of the demo, with marks in all that is not compared. */
export const goodClaims = {
  citizenId: 'demo-mary',
  givenName: 'Mary',
  familyName: 'Smith',
  birthDate: '1981-04-25',
  nonce: marks.nonce,
};

/** A message to her. */
export const goodMessage = { citizenId: 'demo-mary', message: `${marks.message} for you`, subject: marks.message };

/** A template, which is no citizen's data: nothing of it is sealed. */
export const goodTemplate = {
  name: 'Permit ready',
  defaultLanguage: 'en',
  texts: [
    { language: 'en', subject: 'Your permit', message: 'Dear ((name)), your permit is ready.' },
    { language: 'fr', message: 'Bonjour ((name)), le permis est prêt.' },
  ],
};

/** The document that is deposited. */
export const goodDocument = Buffer.from(`%PDF-1.7\n${marks.document}\n`);

/** The headers of its deposit. */
export function depositHeaders(bytes: Uint8Array = goodDocument): OutgoingHttpHeaders {
  return {
    'content-type': 'application/pdf',
    'content-length': bytes.length,
    'citizen-id': 'demo-mary',
    'document-title': marks.title,
    'repr-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
  };
}

type Sampling = Pick<World, 'token' | 'ids'>;

const get = ({ token }: Sampling, path: string, method = 'GET'): Asked => ({ method, path, headers: withToken(token) });
const grantsOf = ({ ids }: Sampling) => `/v1/documents/${ids.document}/grants`;
// A token that is no JWT is of a test that has a gate of its own, and reaches no operation.
const clientOf = ({ token }: Sampling) => (token.includes('.') ? String(decodeJwt(token)['client_id']) : 'nobody');
// Nobody listens there, so that its calls wait and try again.
const hook = { url: 'http://127.0.0.1:1/calls' };

/** A request of each operation that is answered with 2xx. */
const samples: Readonly<Record<string, (sampling: Sampling) => Asked>> = {
  verifyIdentityByQuery: (of) => get(of, `/v1/identity/verify?${new URLSearchParams(goodClaims)}`),
  verifyIdentity: ({ token }) => sendJson(token, '/v1/identity/verify', goodClaims),
  verifyIdentityQuery: ({ token }) => ({ ...sendJson(token, '/v1/identity/verify', goodClaims), method: 'QUERY' }),
  readVerification: (of) => get(of, `/v1/identity/verifications/${of.ids.verification}`),
  sendNotification: ({ token }) => sendJson(token, '/v1/notifications/send', goodMessage),
  readNotification: (of) => get(of, `/v1/notifications/${of.ids.notification}`),
  listNotifications: (of) => get(of, '/v1/notifications?limit=5'),
  cancelNotification: (of) => get(of, `/v1/notifications/${of.ids.notification}/cancel`, 'POST'),
  readEvidence: (of) => get(of, `/v1/notifications/${of.ids.notification}/evidence`),
  depositDocument: ({ token }) => ({
    method: 'POST',
    path: '/v1/documents',
    headers: withToken(token, depositHeaders()),
    body: goodDocument,
  }),
  retrieveDocument: (of) => get(of, `/v1/documents/${of.ids.document}`),
  listDocuments: (of) => get(of, '/v1/documents?citizenId=demo-mary'),
  withdrawDocument: (of) => get(of, `/v1/documents/${of.ids.document}`, 'DELETE'),
  grantDocument: (of) => sendJson(of.token, grantsOf(of), { clientId: clientOf(of), purpose: 'permit' }),
  endGrant: (of) => get(of, `${grantsOf(of)}?clientId=${clientOf(of)}&purpose=permit`, 'DELETE'),
  readReceipt: (of) => get(of, `/v1/receipts/${of.ids.event}`),
  readOwnAccessLog: (of) => get(of, '/v1/access-log'),
  readOwnRecord: (of) => get(of, '/v1/register-record'),
  changeOwnLock: ({ token }) => sendJson(token, '/v1/register-lock', { locked: true }),
  statePreferences: ({ token }) => sendJson(token, '/v1/contact-preferences', { declined: ['sms'], language: 'en' }),
  readPreferences: (of) => get(of, '/v1/contact-preferences'),
  askContactCode: ({ token }) =>
    sendJson(token, '/v1/contact-addresses', { channel: 'email', address: 'a@example.org' }),
  confirmContactAddress: ({ token }) =>
    sendJson(token, '/v1/contact-addresses/confirm', { channel: 'email', code: '012345' }),
  removeContactAddress: (of) => get(of, '/v1/contact-addresses?channel=email', 'DELETE'),
  listInboxMessages: (of) => get(of, '/v1/inbox?limit=5'),
  openInboxMessage: (of) => get(of, `/v1/inbox/${of.ids.notification}`),
  createWebhook: ({ token }) => sendJson(token, '/v1/webhooks', hook),
  listWebhooks: (of) => get(of, '/v1/webhooks'),
  removeWebhook: (of) => get(of, `/v1/webhooks/${of.ids.webhook}`, 'DELETE'),
  rotateWebhookSecret: (of) => get(of, `/v1/webhooks/${of.ids.webhook}/rotate-secret`, 'POST'),
  redeliverWebhook: (of) => get(of, `/v1/webhooks/${of.ids.webhook}/redeliver`, 'POST'),
  readEvents: (of) => get(of, '/v1/events?limit=5'),
  createTemplate: ({ token }) => sendJson(token, '/v1/templates', goodTemplate),
  listTemplates: (of) => get(of, '/v1/templates'),
  readTemplate: (of) => get(of, `/v1/templates/${of.ids.template}`),
  removeTemplate: (of) => get(of, `/v1/templates/${of.ids.template}`, 'DELETE'),
  listEndpoints: (of) => get(of, '/v1'),
};

/** The operations of the register of which there is a good request here; the others have to be added. */
export const sampled: readonly string[] = operations.map(({ name }) => name).filter((name) => name in samples);

/** A good request of that operation. */
export function goodRequest(name: string, sampling: Sampling): Asked {
  const sample = samples[name];
  if (sample === undefined) throw new TypeError(`there is no good request of ${name} here`);
  return sample(sampling);
}

/** Makes one thing of each kind with that token; the notification waits for a later day, so that it can be cancelled. */
export async function makeIds(ask: Exchange, token: string, citizenId = 'demo-mary'): Promise<Ids> {
  const made = async (asked: Asked, member: string) => {
    const answer = await ask(asked);
    const id = jsonOf(answer)[member];
    if (typeof id !== 'string') throw new Error(`${asked.path} answered ${answer.status}: ${answer.body}`);
    return id;
  };
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const deposit = goodRequest('depositDocument', { token, ids: noIds });
  const receipt = await made(sendJson(token, '/v1/identity/verify', { ...goodClaims, citizenId }), 'receipt');
  return {
    verification: await made(sendJson(token, '/v1/identity/verify', { ...goodClaims, citizenId }), 'verificationId'),
    notification: await made(
      sendJson(token, '/v1/notifications/send', { ...goodMessage, citizenId, sendAt: later }),
      'id',
    ),
    document: await made({ ...deposit, headers: { ...deposit.headers, 'citizen-id': citizenId } }, 'id'),
    event: receipt.replace('/v1/receipts/', ''),
    webhook: await made(goodRequest('createWebhook', { token, ids: noIds }), 'id'),
    template: await made(goodRequest('createTemplate', { token, ids: noIds }), 'id'),
  };
}

/** Ids of the right form that nothing has. */
export const noIds: Ids = {
  verification: 'ver_01M7WKVMFEE008WANFAS9XRDZX',
  notification: 'ntf_01M7WKVMFEE008WANFAS9XRDZX',
  document: 'doc_01M7WKVMFEE008WANFAS9XRDZX',
  event: 'evt_01M7WKVMFEE008WANFAS9XRDZX',
  webhook: 'whk_01M7WKVMFEE008WANFAS9XRDZX',
  template: 'tpl_01M7WKVMFEE008WANFAS9XRDZX',
};

/** A client of its own beside the demo's, and a token of it. */
export async function anotherToken(home: ServerHome, name: string, ...options: readonly string[]): Promise<string> {
  const scopes = home.demo().clients[0]?.scopes.join(',') ?? '';
  const args = [name, '--scopes', scopes, '--secret', '--json', ...options];
  const { code, stdout, stderr } = await runHere(home, 'clients', 'create', ...args);
  if (code !== 0) throw new Error(stderr);
  return await home.token([], JSON.parse(stdout) as { clientId: string; clientSecret: string });
}
