import assert from 'node:assert/strict';
import { constants, createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { test } from 'node:test';
import { missingScope } from '../../src/auth/challenge.ts';
import type { PresentedProof } from '../../src/auth/check-binding.ts';
import type { Refusal } from '../../src/kernel/refusal.ts';
import { engines } from '../support/database-engines.ts';
import {
  addKeyClient,
  assertionForm,
  makeJws,
  openTokenApp,
  publicUrl,
  signClientAssertion,
  signWithServerKey,
  startTokenServer,
  type TokenApp,
  validTokenClaims,
} from '../support/token-app.ts';

type Pair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
const holder: Pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other: Pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const path = '/v1/documents/doc_1';

const publicJwk = ({ publicKey }: Pair) => {
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  return { kty, crv, x, y };
};
/** RFC 7638: the members in the order of their names. */
const thumbprint = (pair: Pair) => {
  const { crv, kty, x, y } = publicJwk(pair);
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
};
const signedBy =
  ({ privateKey }: Pair) =>
  (input: Buffer) =>
    sign('sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' });

let serial = 0;
/** A valid proof for that token, with these changes. */
function proof(
  app: Pick<TokenApp, 'clock'>,
  token: string | undefined,
  changes: { header?: object; claims?: object; pair?: Pair } = {},
): string {
  const { header = {}, claims = {}, pair = holder } = changes;
  serial += 1;
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
  const said = { htm: 'GET', htu: `${publicUrl}${path}`, iat: app.clock.at / 1_000, jti: `proof-${serial}`, ...ath };
  const head = { typ: 'dpop+jwt', alg: 'ES256', jwk: publicJwk(pair), ...header };
  return makeJws(head, { ...said, ...claims }, signedBy(pair));
}

const shown = (dpop: string | undefined, changes: Partial<PresentedProof> = {}): PresentedProof => ({
  method: 'GET',
  path,
  headers: { dpop },
  ...changes,
});
const boundToken = (app: TokenApp, cnf: object = { jkt: thumbprint(holder) }) => {
  const header = { alg: 'ES256', typ: 'at+jwt', kid: app.keys.current('access-token').kid };
  return makeJws(header, { ...validTokenClaims(app), cnf }, signWithServerKey(app));
};
const slugOf = (answer: object) => ('slug' in answer ? answer.slug : 'accepted');

for (const engine of engines) {
  test(`[R51] ${engine.name}: a proof is accepted once, and a copy of the request is refused, also concurrently`, async (t) => {
    const app = await openTokenApp(t, { engine });
    const token = boundToken(app);
    const request = () => proof(app, token);
    const first = shown(request());
    const answers = await Promise.all([1, 2, 3].map(() => app.checker.authenticate(`DPoP ${token}`, 's', first)));
    assert.deepEqual(answers.map(slugOf).sort(), ['accepted', 'invalid-dpop-proof', 'invalid-dpop-proof']);
    assert.equal(slugOf(await app.checker.authenticate(`DPoP ${token}`, 's', shown(request()))), 'accepted');
    app.clock.at += 61_000;
    assert.equal(slugOf(await app.checker.authenticate(`DPoP ${token}`, 's', shown(request()))), 'accepted');
    assert.equal(slugOf(await app.checker.authenticate(`DPoP ${token}`, 's', first)), 'invalid-dpop-proof');
    for (const later of ['one', 'another']) {
      app.clock.at += 6 * 60_000;
      const fresh = boundToken(app);
      const used = shown(proof(app, fresh));
      assert.equal(slugOf(await app.checker.authenticate(`DPoP ${fresh}`, 's', used)), 'accepted', later);
    }
    assert.equal((await app.db.read('select id from oauth_record')).length, 2, 'ended proofs are deleted');
  });
}

const invalidProofs: Record<string, (app: TokenApp, token: string) => string | undefined> = {
  'no proof': () => undefined,
  'an empty proof': () => '',
  'another method': (app, token) => proof(app, token, { claims: { htm: 'POST' } }),
  'a method in small letters': (app, token) => proof(app, token, { claims: { htm: 'get' } }),
  'another path': (app, token) => proof(app, token, { claims: { htu: `${publicUrl}/v1/documents/doc_2` } }),
  'a path in capitals': (app, token) =>
    proof(app, token, { claims: { htu: `${publicUrl}${path}`.replace('doc_1', 'DOC_1') } }),
  'another port': (app, token) => proof(app, token, { claims: { htu: `${publicUrl}:8443${path}` } }),
  'another host': (app, token) => proof(app, token, { claims: { htu: `https://api.example.org${path}` } }),
  'plain http': (app, token) => proof(app, token, { claims: { htu: `http://api.example.gov${path}` } }),
  'htu that is no address': (app, token) => proof(app, token, { claims: { htu: 'nowhere' } }),
  'htu as a list': (app, token) => proof(app, token, { claims: { htu: [`${publicUrl}${path}`] } }),
  'no ath': (app) => proof(app, undefined),
  'the ath of another token': (app) => proof(app, 'another'),
  'iat 92 s ago': (app, token) => proof(app, token, { claims: { iat: app.clock.at / 1_000 - 92 } }),
  'iat 31 s ahead': (app, token) => proof(app, token, { claims: { iat: app.clock.at / 1_000 + 31 } }),
  'iat as text': (app, token) => proof(app, token, { claims: { iat: String(app.clock.at / 1_000) } }),
  'no jti': (app, token) => proof(app, token, { claims: { jti: undefined } }),
  'a jti of 300 characters': (app, token) => proof(app, token, { claims: { jti: 'x'.repeat(300) } }),
  'another key': (app, token) => proof(app, token, { pair: other }),
  'the key of the holder, signed by another key': (app, token) =>
    proof(app, token, { pair: other, header: { jwk: publicJwk(holder) } }),
  'the private key in jwk': (app, token) =>
    proof(app, token, { header: { jwk: holder.privateKey.export({ format: 'jwk' }) } }),
  'no jwk': (app, token) => proof(app, token, { header: { jwk: undefined } }),
  'typ JWT': (app, token) => proof(app, token, { header: { typ: 'JWT' } }),
  'alg none': (app, token) => proof(app, token, { header: { alg: 'none' } }),
  'alg HS256': (app, token) => proof(app, token, { header: { alg: 'HS256' } }),
  'alg PS256 over a key of P-256': (app, token) => proof(app, token, { header: { alg: 'PS256' } }),
  'an unknown crit': (app, token) => proof(app, token, { header: { crit: ['x'], x: 1 } }),
  'jku beside it': (app, token) => proof(app, token, { header: { jku: 'http://127.0.0.1:1/' } }),
  'two proofs in one header': (app, token) => `${proof(app, token)}, ${proof(app, token)}`,
  '9 KB': (app, token) => proof(app, token, { claims: { padding: 'x'.repeat(9_000) } }),
};

test('[R51] a bound token without the scope, or from a clock that is ahead, gets a challenge of the scheme DPoP', async (t) => {
  const app = await openTokenApp(t);
  const token = boundToken(app);
  const caller = await app.checker.authenticate(`DPoP ${token}`, 's', shown(proof(app, token)));
  assert.ok('clientId' in caller);
  const challengeOf = ({ headers }: Refusal) => String(headers?.['www-authenticate']).split(' ')[0];
  assert.equal(challengeOf(missingScope('documents:write', caller)), 'DPoP');
  app.clock.at -= 600_000;
  app.checker.invalidate();
  const early = await app.checker.authenticate(`DPoP ${token}`, 's', shown(proof(app, token)));
  assert.ok('slug' in early);
  assert.match(String(early.detail), /ahead of this server/);
  assert.equal(challengeOf(early), 'DPoP');
});

test('[R51] each invalid proof gets invalid-dpop-proof with a challenge, and nothing is stored', async (t) => {
  const app = await openTokenApp(t);
  const token = boundToken(app);
  for (const [name, invalidProof] of Object.entries(invalidProofs)) {
    const answer = await app.checker.authenticate(`DPoP ${token}`, 's', shown(invalidProof(app, token)));
    assert.equal(slugOf(answer), 'invalid-dpop-proof', name);
    assert.match(
      String('headers' in answer && answer.headers?.['www-authenticate']),
      /^DPoP realm="citizen-services", algs="ES256 PS256 EdDSA Ed25519", error="invalid_dpop_proof", error_description="[^"\\]+"$/,
    );
  }
  assert.deepEqual(await app.db.read('select id from oauth_record'), []);
  const query = proof(app, token, { claims: { htu: `${publicUrl}:443/v1/./documents/doc_1?a=1#b` } });
  assert.equal(slugOf(await app.checker.authenticate(`DPoP ${token}`, 's', shown(query))), 'accepted');
});

test('[R51] a proof with a key that takes fifty times as long to verify is refused', async (t) => {
  const app = await openTokenApp(t);
  const {
    d,
    e,
    p = '',
    q = '',
    ...rest
  } = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({
    format: 'jwk',
  });
  // The exponents are swapped: signing is fast, and verifying takes as long as signing usually does.
  const own = { ...rest, d: e ?? '', e: d ?? '', p, q, dp: e ?? '', dq: e ?? '' };
  const privateKey = createPrivateKey({ key: own, format: 'jwk' });
  const jwk = { kty: own.kty, n: own.n, e: own.e };
  const jkt = createHash('sha256')
    .update(JSON.stringify({ e: jwk.e, kty: jwk.kty, n: jwk.n }))
    .digest('base64url');
  const token = boundToken(app, { jkt });
  const ath = createHash('sha256').update(token).digest('base64url');
  const claims = { htm: 'GET', htu: `${publicUrl}${path}`, iat: app.clock.at / 1_000, jti: 'slow', ath };
  const options = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const slow = makeJws({ typ: 'dpop+jwt', alg: 'PS256', jwk }, claims, (input) =>
    sign('sha256', input, { key: privateKey, ...options }),
  );
  const answer = await app.checker.authenticate(`DPoP ${token}`, 's', shown(slow));
  assert.match(
    String('headers' in answer && answer.headers?.['www-authenticate']),
    /the jwk of the proof is not a public key/,
  );
});

test('[R51] a bound token is refused as Bearer, and an unbound token as DPoP or for a client that must bind', async (t) => {
  const app = await openTokenApp(t);
  const bound = boundToken(app);
  const header = { alg: 'ES256', typ: 'at+jwt', kid: app.keys.current('access-token').kid };
  const plain = makeJws(header, validTokenClaims(app), signWithServerKey(app));
  const refused = async (authorization: string, token: string) =>
    await app.checker.authenticate(authorization, 's', shown(proof(app, token)));
  assert.equal(slugOf(await refused(`Bearer ${bound}`, bound)), 'invalid-access-token');
  assert.equal(slugOf(await refused(`DPoP ${plain}`, plain)), 'invalid-access-token');
  assert.equal(slugOf(await refused(`Bearer ${plain}`, plain)), 'accepted');
  for (const binding of ['dpop', 'mtls']) {
    await app.db.write([{ sql: 'update client set binding = $1', args: [binding] }]);
    app.checker.invalidate();
    const answer = await refused(`Bearer ${plain}`, plain);
    assert.equal(slugOf(answer), 'invalid-access-token', binding);
    const challenge = 'headers' in answer ? answer.headers?.['www-authenticate'] : undefined;
    assert.match(String(challenge), binding === 'dpop' ? /^DPoP / : /^Bearer /);
    assert.equal(slugOf(await refused(`DPoP ${plain}`, plain)), 'invalid-access-token', binding);
  }
});

test('[R52] a certificate-bound token is accepted over that certificate only', async (t) => {
  const app = await openTokenApp(t);
  const x5t = createHash('sha256').update('certificate').digest('base64url');
  const token = boundToken(app, { 'x5t#S256': x5t });
  const over = async (certificate: string | undefined) =>
    slugOf(
      await app.checker.authenticate(`Bearer ${token}`, 's', shown(undefined, { certificate: () => certificate })),
    );
  assert.equal(await over(x5t), 'accepted');
  assert.equal(await over(undefined), 'invalid-access-token');
  assert.equal(await over(x5t.toLowerCase()), 'invalid-access-token');
  const both = boundToken(app, { 'x5t#S256': x5t, jkt: thumbprint(holder) });
  const asBearer = shown(undefined, { certificate: () => x5t });
  assert.equal(slugOf(await app.checker.authenticate(`Bearer ${both}`, 's', asBearer)), 'invalid-access-token');
});

test('[R51] where nonces are required, a proof without one or with an old one gets a new nonce', async (t) => {
  const app = await openTokenApp(t, { withNonces: true });
  app.clock.at -= app.clock.at % 60_000;
  const token = boundToken(app);
  const ask = (claims: object) => app.checker.authenticate(`DPoP ${token}`, 's', shown(proof(app, token, { claims })));
  const answer = await ask({});
  assert.ok('slug' in answer);
  const nonce = String(answer.headers?.['dpop-nonce']);
  assert.deepEqual([answer.slug, nonce], ['dpop-nonce-needed', app.nonces?.current()]);
  assert.equal(slugOf(await ask({ nonce: `${nonce}x` })), 'dpop-nonce-needed');
  assert.equal(slugOf(await ask({ nonce })), 'accepted');
  app.clock.at += 60_000;
  const ahead = app.nonces?.current();
  app.clock.at -= 60_000;
  assert.equal(slugOf(await ask({ nonce: ahead })), 'accepted', 'a nonce of a process whose clock is a minute ahead');
  app.clock.at += 120_000;
  assert.equal(slugOf(await ask({ nonce })), 'accepted');
  app.clock.at += 60_000;
  assert.equal(slugOf(await ask({ nonce })), 'dpop-nonce-needed');
});

test('[R51] the token endpoint binds a token to the key of an unused proof, and refuses a client that must bind without one', async (t) => {
  const served = await startTokenServer(t);
  const { clientId, privateKey } = await addKeyClient(served);
  const claims = { htm: 'POST', htu: `${publicUrl}/oauth2/token` };
  const ask = async (dpop?: string) =>
    await served.ask(
      assertionForm(await signClientAssertion(served, clientId, privateKey)),
      dpop === undefined ? {} : { dpop },
    );
  const dpop = proof(served, undefined, { claims });
  const { status, body, headers } = await ask(dpop);
  assert.deepEqual([status, body['token_type'], headers.get('dpop-nonce')], [200, 'DPoP', null]);
  const token = String(body['access_token']);
  assert.equal(
    slugOf(await served.checker.authenticate(`DPoP ${token}`, 's', shown(proof(served, token)))),
    'accepted',
  );
  assert.equal(
    slugOf(await served.checker.authenticate(`Bearer ${token}`, 's', shown(undefined))),
    'invalid-access-token',
  );
  assert.deepEqual((await ask(dpop)).body, {
    error: 'invalid_dpop_proof',
    error_description: 'this proof was used before; create a new one for each request',
  });
  const late = await ask(proof(served, undefined, { claims: { ...claims, iat: served.clock.at / 1_000 - 120 } }));
  assert.deepEqual([late.status, late.body['error']], [400, 'invalid_dpop_proof']);
  assert.equal(late.body['error_description'], 'iat is 120 s in the past by the clock of this server');
  await served.db.write([{ sql: "update client set binding = 'dpop'" }]);
  assert.equal((await ask()).status, 400);
  assert.equal((await ask(proof(served, undefined, { claims }))).status, 200);
  assert.deepEqual(served.reportedErrors, []);
});

test('[R51] where nonces are required, the token endpoint returns one and refuses a proof without it', async (t) => {
  const served = await startTokenServer(t, undefined, { withNonces: true });
  const { clientId, privateKey } = await addKeyClient(served);
  const ask = async (nonce?: string) => {
    const claims = { htm: 'POST', htu: `${publicUrl}/oauth2/token`, nonce };
    const form = assertionForm(await signClientAssertion(served, clientId, privateKey));
    const { status, body, headers } = await served.ask(form, { dpop: proof(served, undefined, { claims }) });
    return [status, body['error'] ?? body['token_type'], headers.get('dpop-nonce')];
  };
  const current = served.nonces?.current() ?? assert.fail();
  assert.deepEqual(await ask(), [400, 'use_dpop_nonce', current]);
  assert.deepEqual(await ask('another'), [400, 'use_dpop_nonce', current]);
  assert.deepEqual((await ask(current)).slice(0, 2), [200, 'DPoP']);
});
