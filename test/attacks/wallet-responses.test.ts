import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { CompactEncrypt, importJWK } from 'jose';
import { fileCleanupScope } from '../support/server-process.ts';
import {
  answerWithWallet,
  encryptResponse,
  fetchRequest,
  postResponse,
  presentCredential,
  type RequestObject,
  requestUriOf,
  type WalletChanges,
} from '../support/test-wallet.ts';
import { openWalletServer } from '../support/wallet-server.ts';

const site = await openWalletServer(fileCleanupScope());
const refused = { status: 400, body: { error: 'invalid_request' } };

/** A new presentation, and the request object that a wallet fetched. */
async function askAndFetch(): Promise<{
  readonly id: string;
  readonly walletUrl: string;
  readonly request: RequestObject;
}> {
  const { id, walletUrl } = await site.start({ purpose: 'permit' });
  return { id, walletUrl, request: await fetchRequest(walletUrl) };
}

async function reasonOf(id: string): Promise<unknown> {
  const { body } = await site.read(id);
  assert.equal(body['status'], 'failed', JSON.stringify(body));
  return (body['reason'] as { readonly code: unknown }).code;
}

const now = Math.floor(Date.now() / 1_000);
const { privateKey: foreignKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const dishonestWallets: Readonly<Record<string, WalletChanges & { readonly reason: string }>> = {
  'a presentation for another verifier': { proof: { aud: 'x509_hash:other' }, reason: 'audience-mismatch' },
  'a presentation with the nonce of another request': { proof: { nonce: 'other' }, reason: 'nonce-mismatch' },
  'a response with the state of another request': { state: 'other', reason: 'state-unknown' },
  'a presentation of an hour ago': { proof: { iat: now - 3_600 }, reason: 'holder-binding-time' },
  'a presentation of the future': { proof: { iat: now + 3_600 }, reason: 'holder-binding-time' },
  'a presentation with a changed disclosure hash': { proof: { sd_hash: 'AAAA' }, reason: 'digest-mismatch' },
  'a credential with the signature of somebody else': { issuerKey: foreignKey, reason: 'credential-signature' },
  'a credential of another country than the certificate of its issuer': {
    claims: { issuing_country: 'DE' },
    reason: 'issuer-not-trusted',
  },
  'an expired credential': { payload: { exp: now - 3_600 }, reason: 'credential-expired' },
  'a credential of another type': { payload: { vct: 'urn:example:library-card' }, reason: 'type-not-asked' },
  'a credential without an asked claim': { claims: { family_name: undefined }, reason: 'query-not-satisfied' },
  'the answer to another query': { queryId: 'unknown', reason: 'type-not-asked' },
};

for (const [what, { reason, ...changes }] of Object.entries(dishonestWallets)) {
  test(`${what} fails with ${reason}, and the wallet learns no detail`, async () => {
    const { id, request } = await askAndFetch();
    const response = await encryptResponse(request, changes);
    assert.deepEqual(await postResponse(request.response_uri, { response }), refused);
    assert.equal(await reasonOf(id), reason);
  });
}

test('a replayed response is refused, and the result stays', async () => {
  const { id, request } = await askAndFetch();
  const response = await encryptResponse(request);
  assert.equal((await postResponse(request.response_uri, { response })).status, 200);
  const { body } = await site.read(id);
  assert.deepEqual(await postResponse(request.response_uri, { response }), refused);
  assert.deepEqual((await site.read(id)).body, body);
});

test('a response that is sent to another presentation cannot be decrypted', async () => {
  const [own, other] = [await askAndFetch(), await askAndFetch()];
  const response = await encryptResponse(own.request);
  assert.deepEqual(await postResponse(other.request.response_uri, { response }), refused);
  assert.equal(await reasonOf(other.id), 'response-undecryptable');
  assert.equal((await site.read(own.id)).body['status'], 'fetched');
});

test('a presentation of another session in a fresh response has the wrong nonce', async () => {
  const [own, other] = [await askAndFetch(), await askAndFetch()];
  const [key] = other.request.client_metadata.jwks.keys;
  const [query] = other.request.dcql_query.credentials;
  const content = { vp_token: { [query?.id ?? '']: [presentCredential(own.request)] }, state: other.request.state };
  const response = await new CompactEncrypt(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: key.kid ?? '' })
    .encrypt(await importJWK(key, 'ECDH-ES'));
  assert.deepEqual(await postResponse(other.request.response_uri, { response }), refused);
  assert.equal(await reasonOf(other.id), 'nonce-mismatch');
});

test('a request can be fetched twice until it is answered, and never after', async () => {
  const { walletUrl, request } = await askAndFetch();
  const again = await fetchRequest(walletUrl);
  assert.deepEqual({ ...again, wallet_nonce: '' }, { ...request, wallet_nonce: '' });
  const byGet = await fetch(requestUriOf(walletUrl));
  assert.equal(byGet.headers.get('content-type'), 'application/oauth-authz-req+jwt');
  assert.equal(byGet.headers.get('cache-control'), 'no-store');
  await byGet.text();
  assert.equal((await answerWithWallet(walletUrl)).status, 200);
  const late = await fetch(requestUriOf(walletUrl));
  assert.deepEqual([late.status, await late.json()], [400, refused.body]);
});

test('the server accepts one of many responses at the same time, and there is one result', async () => {
  const { id, request } = await askAndFetch();
  const responses = await Promise.all(Array.from({ length: 8 }, () => encryptResponse(request)));
  const answers = await Promise.all(responses.map((response) => postResponse(request.response_uri, { response })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 400)]);
  assert.equal((await site.read(id)).body['status'], 'completed');
});

const malformedForms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'an unencrypted presentation': { vp_token: '{}', state: 'x' },
  'an empty form': {},
  'a form over the limit': { response: 'x'.repeat(200_000) },
};

for (const [what, form] of Object.entries(malformedForms)) {
  test(`${what} fails with response-malformed`, async () => {
    const { id, request } = await askAndFetch();
    assert.deepEqual(await postResponse(request.response_uri, form), refused);
    assert.equal(await reasonOf(id), 'response-malformed');
  });
}

test('the error of a wallet is reported by its code, and its description is not stored', async () => {
  const { id, request } = await askAndFetch();
  const form = { error: 'access_denied', error_description: 'Mary Smith declined', state: request.state };
  assert.deepEqual(await postResponse(request.response_uri, form), { status: 200, body: {} });
  const { body } = await site.read(id);
  assert.equal(body['status'], 'refused');
  assert.deepEqual(body['reason'], {
    code: 'wallet-error',
    error: 'access_denied',
    page: `${site.server.url}/problems/presentation/wallet-error`,
  });
});

test('an error with a wrong state fails, so that nobody else can decline', async () => {
  const { id, request } = await askAndFetch();
  const form = { error: 'access_denied', state: 'guessed' };
  assert.deepEqual(await postResponse(request.response_uri, form), refused);
  assert.equal(await reasonOf(id), 'state-unknown');
});

test('a cancelled presentation refuses the request and the response like an unknown one', async () => {
  const { id, walletUrl, request } = await askAndFetch();
  const response = await encryptResponse(request);
  assert.equal((await site.cancel(id)).body['status'], 'cancelled');
  assert.deepEqual(await postResponse(request.response_uri, { response }), refused);
  for (const address of [requestUriOf(walletUrl), `${site.server.url}/wallet/requests/unknown`]) {
    const answer = await fetch(address);
    assert.deepEqual([answer.status, await answer.json()], [400, refused.body]);
  }
  assert.equal((await site.cancel(id)).body['status'], 409);
});
