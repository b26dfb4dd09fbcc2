import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { operations } from '../../src/operations.ts';
import type { Exchange } from '../exchange.ts';
import { type Asked, jsonOf, sendJson, withToken } from '../exchange.ts';
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
  /** A token of the same client, good for `events:read` and nothing else. */
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

/**
 * A request of an operation that is answered with 2xx. One that is not listed here gets what its entry of the register
 * tells: enough for all that is refused before the operation itself is asked.
 */
export function goodRequest(name: string, { token, ids }: Pick<World, 'token' | 'ids'>): Asked {
  const get = (path: string): Asked => ({ path, headers: withToken(token) });
  const grants = `/v1/documents/${ids.document}/grants`;
  switch (name) {
    case 'verifyIdentityByQuery':
      return get(`/v1/identity/verify?${new URLSearchParams(goodClaims)}`);
    case 'verifyIdentity':
      return sendJson(token, '/v1/identity/verify', goodClaims);
    case 'verifyIdentityQuery':
      return { ...sendJson(token, '/v1/identity/verify', goodClaims), method: 'QUERY' };
    case 'readVerification':
      return get(`/v1/identity/verifications/${ids.verification}`);
    case 'sendNotification':
      return sendJson(token, '/v1/notifications/send', goodMessage);
    case 'readNotification':
      return get(`/v1/notifications/${ids.notification}`);
    case 'listNotifications':
      return get('/v1/notifications?limit=5');
    case 'cancelNotification':
      return { method: 'POST', path: `/v1/notifications/${ids.notification}/cancel`, headers: withToken(token) };
    case 'depositDocument':
      return {
        method: 'POST',
        path: '/v1/documents',
        headers: withToken(token, depositHeaders()),
        body: goodDocument,
      };
    case 'retrieveDocument':
      return get(`/v1/documents/${ids.document}`);
    case 'listDocuments':
      return get('/v1/documents?citizenId=demo-mary');
    case 'readReceipt':
      return get(`/v1/receipts/${ids.event}`);
    case 'listEndpoints':
      return get('/v1');
    case 'withdrawDocument':
      return { ...get(`/v1/documents/${ids.document}`), method: 'DELETE' };
    case 'grantDocument':
      return sendJson(token, grants, { clientId: 'another-client', purpose: 'permit' });
    case 'endGrant':
      return { ...get(`${grants}?clientId=another-client&purpose=permit`), method: 'DELETE' };
    default:
      return anyRequest(name, token);
  }
}

function anyRequest(name: string, token: string): Asked {
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined) throw new TypeError(`there is no operation ${name}`);
  const { method } = operation;
  const path = operation.path.replaceAll(/\{\w+\}/g, 'unknown');
  if (operation.request.body !== undefined) return { ...sendJson(token, path, {}), method };
  return { method, path, headers: withToken(token) };
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
  };
}

/** Ids of the right form that nothing has. */
export const noIds: Ids = {
  verification: 'ver_01M7WKVMFEE008WANFAS9XRDZX',
  notification: 'ntf_01M7WKVMFEE008WANFAS9XRDZX',
  document: 'doc_01M7WKVMFEE008WANFAS9XRDZX',
  event: 'evt_01M7WKVMFEE008WANFAS9XRDZX',
};

/** A client of its own beside the demo's, and a token of it. */
export async function anotherToken(home: ServerHome, name: string, ...options: readonly string[]): Promise<string> {
  const scopes = home.demo().clients[0]?.scopes.join(',') ?? '';
  const args = [name, '--scopes', scopes, '--secret', '--json', ...options];
  const { code, stdout, stderr } = await home.run('clients', 'create', ...args);
  if (code !== 0) throw new Error(stderr);
  return await home.token([], JSON.parse(stdout) as { clientId: string; clientSecret: string });
}
