import assert from 'node:assert/strict';
import { decodeJwt } from 'jose';
import { type Asked, type Exchange, jsonOf, sendJson, withToken } from '../exchange.ts';
import { goodClaims, goodRequest, makeIds, marks } from './good-requests.ts';

/** What a client has done, as the ledger has to have it: how many events of each kind. */
type Used = { readonly clientId: string; readonly events: Readonly<Record<string, number>> };

/** What two clients did. */
export type Uses = { readonly user: Used; readonly stranger: Used };

/** Uses every operation once at least, and some as they are refused. Both tokens are of clients that did nothing yet. */
export async function useEverything(ask: Exchange, token: string, strange: string): Promise<Uses> {
  const get = (path: string, more = {}): Asked => ({ path, headers: withToken(token, more) });
  const expect = async (status: number, asked: Asked) => {
    const answer = await ask(asked);
    assert.equal(answer.status, status, `${asked.method ?? 'GET'} ${asked.path}: ${answer.body}`);
    return answer;
  };
  // Two verifications, a notification for later, and a deposit.
  const ids = await makeIds(ask, token);
  const good = (name: Parameters<typeof goodRequest>[0]) => goodRequest(name, { token, ids });

  await expect(200, good('verifyIdentityByQuery'));
  await expect(200, good('verifyIdentityQuery'));
  const { citizenId: _id, ...names } = goodClaims;
  const wrong = { ...goodClaims, familyName: marks.name };
  await expect(200, sendJson(token, '/v1/identity/verify', wrong));
  // Without an id: the search is one event, and one more of the person it found.
  await expect(200, sendJson(token, '/v1/identity/verify', { ...names, postalCode: 'BS1 4ST' }));
  await expect(200, good('readVerification'));

  const keyed = sendJson(
    token,
    '/v1/notifications/send',
    { citizenId: 'demo-layla', message: marks.message },
    {
      'idempotency-key': 'keyed',
    },
  );
  await expect(202, keyed);
  assert.equal((await expect(202, keyed)).headers['idempotent-replayed'], 'true');
  await expect(200, good('readNotification'));
  assert.equal((jsonOf(await expect(200, good('listNotifications')))['items'] as unknown[]).length, 2);
  await expect(200, good('cancelNotification'));

  const document = `/v1/documents/${ids.document}`;
  const { headers } = await expect(200, get(document));
  await expect(206, get(document, { range: 'bytes=0-3' }));
  await expect(200, { ...get(document), method: 'HEAD' });
  await expect(304, get(document, { 'if-none-match': headers.etag }));
  await expect(200, get(document, { accept: 'application/json' }));
  await expect(416, get(document, { range: 'bytes=999999-' }));
  await expect(200, get('/v1/documents?citizenId=demo-mary'));

  // No data of a citizen is used by these.
  assert.ok([200, 202].includes((await ask(good('readReceipt'))).status));
  await expect(200, get('/v1'));
  await expect(400, sendJson(token, '/v1/identity/verify', {}));
  await expect(400, sendJson(token, '/v1/notifications/send', { citizenId: 'demo-layla' }));
  await expect(401, { ...get(document), headers: {} });
  for (const path of [
    document,
    `/v1/notifications/${ids.notification}`,
    `/v1/identity/verifications/${ids.verification}`,
  ]) {
    await expect(404, { path, headers: withToken(strange) });
  }
  return {
    user: {
      clientId: String(decodeJwt(token)['client_id']),
      events: {
        'document.deposited': 1,
        'document.listed': 1,
        'document.record-read': 4,
        'document.retrieved': 2,
        'identity.searched': 1,
        'identity.verification-read': 1,
        'identity.verified': 6,
        'notification.accepted': 2,
        'notification.cancelled': 1,
        'notification.status-read': 3,
        'notifications.listed': 1,
      },
    },
    // That a document was asked for by somebody whom it does not concern is for the citizen to know.
    stranger: { clientId: String(decodeJwt(strange)['client_id']), events: { 'document.refused': 1 } },
  };
}
