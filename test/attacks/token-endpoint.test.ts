import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { parseClientKeys } from '../../src/auth/client-keys.ts';
import { setClientBinding, setClientDisabled } from '../../src/auth/client-store.ts';
import {
  addKeyClient,
  assertionForm,
  basicAuthHeader,
  publicUrl,
  signClientAssertion,
  startTokenServer,
} from '../support/token-app.ts';

test('a client assertion is accepted without a type, as JWT or as client-authentication+jwt, and refused with another type', async (t) => {
  const served = await startTokenServer(t);
  const { clientId, privateKey } = await addKeyClient(served);
  const statusFor = async (typ: string | undefined) => {
    const header = typ === undefined ? {} : { typ };
    const assertion = await signClientAssertion(served, clientId, privateKey, { header });
    return (await served.ask(assertionForm(assertion))).status;
  };
  for (const typ of [undefined, 'JWT', 'jwt', 'client-authentication+jwt', 'application/client-authentication+jwt'])
    assert.equal(await statusFor(typ), 200, typ);
  for (const typ of ['at+jwt', 'dpop+jwt', 'application/at+jwt', 'identity-verification+jwt', ''])
    assert.equal(await statusFor(typ), 401, typ);
  assert.deepEqual(new Set(served.refusals.map(({ reason }) => reason)), new Set(['assertion-typ']));
});

test('the log names the client and the failed check of every refused request, and no text of the request', async (t) => {
  const served = await startTokenServer(t);
  const { clientId, privateKey } = await addKeyClient(served);
  const otherKey = generateKeyPairSync('ed25519').privateKey;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const signed = (changes: Record<string, unknown>) => signClientAssertion(served, clientId, privateKey, changes);
  const now = served.clock.at / 1_000;
  const claims = { iss: clientId, sub: clientId, aud: publicUrl, exp: now + 60, jti: 'x' };
  const rs256 = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(rsa);
  const secretClient = served.client.client.clientId;
  const cases: ReadonlyArray<readonly [string, Record<string, string>, string | undefined, Record<string, string>?]> = [
    ['algorithm', assertionForm(rs256), undefined],
    ['audience', assertionForm(await signed({ aud: `${publicUrl}/oauth2/token` })), clientId],
    ['jti', assertionForm(await signed({ jti: undefined })), clientId],
    ['issuer', assertionForm(await signed({ iss: 'another' })), clientId],
    ['times', assertionForm(await signed({ exp: now - 3_600 })), clientId],
    ['unknown-key', assertionForm(await signed({ header: { kid: 'another' } })), clientId],
    ['signature', assertionForm(await signClientAssertion(served, clientId, otherKey)), clientId],
    [
      'unknown-client',
      assertionForm(await signClientAssertion(served, 'nobody-abcdefgh', otherKey)),
      'nobody-abcdefgh',
    ],
    ['unknown-client', { client_id: 'mary.smith@example.org', client_secret: 'x' }, undefined],
    ['assertion-form', assertionForm('x.y.z'), undefined],
    ['certificate-missing', { client_id: clientId }, clientId],
    ['wrong-method', { client_id: clientId, client_secret: 'x' }, clientId],
    ['secret', { client_id: secretClient, client_secret: 'x' }, secretClient],
    ['scope', { scope: 'made:up' }, secretClient, basicAuthHeader(served)],
    ['resource', { resource: 'https://other.example' }, secretClient, basicAuthHeader(served)],
    ['grant-type', { grant_type: 'password' }, secretClient, basicAuthHeader(served)],
    ['origin', {}, secretClient, { ...basicAuthHeader(served), origin: 'https://page.example' }],
    ['no-credential', {}, undefined],
    ['dpop-proof', { client_id: secretClient, client_secret: 'x' }, secretClient, { dpop: 'x' }],
  ];
  for (const [reason, form, loggedClient, headers] of cases) {
    served.refusals.length = 0;
    const { body } = await served.ask(form, headers);
    const { error } = body;
    const expected = loggedClient === undefined ? { error, reason } : { clientId: loggedClient, error, reason };
    assert.deepEqual(served.refusals, [expected]);
  }
});

test('an unknown client, a disabled one, another method and a wrong credential get the same response', async (t) => {
  const served = await startTokenServer(t);
  const { clientId, privateKey } = await addKeyClient(served);
  const disabled = await addKeyClient(served);
  await served.db.write([setClientDisabled(disabled.clientId, served.clock.at)]);
  const otherKey = generateKeyPairSync('ed25519').privateKey;
  const secretClient = served.client.client.clientId;
  const assertions = [
    await signClientAssertion(served, 'nobody', privateKey),
    await signClientAssertion(served, disabled.clientId, disabled.privateKey),
    await signClientAssertion(served, secretClient, privateKey),
    await signClientAssertion(served, clientId, otherKey),
    await signClientAssertion(served, clientId, privateKey, { header: { kid: 'another' } }),
  ];
  const answers = await Promise.all(assertions.map((assertion) => served.ask(assertionForm(assertion))));
  const secrets = ['nobody', disabled.clientId, clientId, secretClient].map((id) =>
    served.ask({ client_id: id, client_secret: 'x' }),
  );
  const seen = (all: typeof answers) => new Set(all.map(({ status, body }) => JSON.stringify([status, body])));
  assert.equal(seen(answers).size, 1, [...seen(answers)].join('\n'));
  assert.equal(seen(await Promise.all(secrets)).size, 1);
});

test('a client whose tokens are bound to a key gets invalid_dpop_proof when the DPoP proof is missing', async (t) => {
  const served = await startTokenServer(t);
  const { clientId, privateKey } = await addKeyClient(served);
  await served.db.write([setClientBinding(clientId, 'dpop')]);
  const { status, body } = await served.ask(assertionForm(await signClientAssertion(served, clientId, privateKey)));
  assert.deepEqual(
    [status, body],
    [
      400,
      {
        error: 'invalid_dpop_proof',
        error_description:
          'the tokens of this client are bound to a key; send a proof of this key in the DPoP header (RFC 9449)',
      },
    ],
  );
  await served.db.write([setClientBinding(clientId, 'mtls')]);
  const bound = await served.ask(assertionForm(await signClientAssertion(served, clientId, privateKey)));
  assert.deepEqual([bound.status, bound.body['error']], [400, 'invalid_request']);
  assert.deepEqual(
    served.refusals.map(({ reason }) => reason),
    ['dpop-proof-missing', 'certificate-missing'],
  );
});

test('a client over its token quota gets 429 with Retry-After and stores nothing, and other clients are not delayed', async (t) => {
  const served = await startTokenServer(t);
  const { clientId, privateKey } = await addKeyClient(served);
  const ask = async () => served.ask(assertionForm(await signClientAssertion(served, clientId, privateKey)));
  const rows = async () => (await served.db.read('select count(*) as n from oauth_record'))[0]?.['n'];
  // A wrong signature takes nothing from the quota of the client, which anybody can name.
  const otherKey = generateKeyPairSync('ed25519').privateKey;
  for (let calls = 0; calls < 120; calls += 1)
    assert.equal((await served.ask(assertionForm(await signClientAssertion(served, clientId, otherKey)))).status, 401);
  for (let calls = 0; calls < 100; calls += 1) assert.equal((await ask()).status, 200);
  const before = await rows();
  const over = await ask();
  assert.deepEqual([over.status, over.body['error']], [429, 'temporarily_unavailable']);
  assert.match(over.headers.get('retry-after') ?? '', /^[1-3]$/);
  assert.deepEqual(served.refusals.at(-1), { clientId, error: 'temporarily_unavailable', reason: 'quota' });
  assert.equal(await rows(), before);
  assert.equal((await served.ask({}, basicAuthHeader(served))).status, 200);
  served.clock.at += 1_000;
  assert.equal((await ask()).status, 200);
});

test('a key whose key_ops or use does not allow verifying signatures is refused', () => {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const parsed = (members: object) => parseClientKeys(JSON.stringify({ keys: [{ ...jwk, ...members }] }));
  for (const operations of [['verify'], ['sign', 'verify']]) assert.ok('keys' in parsed({ key_ops: operations }));
  for (const operations of [['encrypt'], ['sign'], [], 'verify', null]) {
    const result = parsed({ key_ops: operations });
    assert.match('fault' in result ? result.fault : '', /^key 1: is not for verifying signatures: its "key_ops"/);
  }
});
