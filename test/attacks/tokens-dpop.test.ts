import assert from 'node:assert/strict';
import { constants, createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { test } from 'node:test';
import type { Shown } from '../../src/access/check-binding.ts';
import type { Refusal } from '../../src/kernel/problem.ts';
import { engines } from '../engines.ts';
import { craft, goodClaims, openTokenHouse, publicUrl, signedByUs, type TokenHouse } from './tokens-house.ts';
import { assertionOf, clientWithKeys, formOf, serve } from './tokens-server.ts';

type Pair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
const holder: Pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const thief: Pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
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
/** A good proof for that token, but for the changes. */
function proof(
  house: Pick<TokenHouse, 'clock'>,
  token: string | undefined,
  changes: { header?: object; claims?: object; pair?: Pair } = {},
): string {
  const { header = {}, claims = {}, pair = holder } = changes;
  serial += 1;
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
  const said = { htm: 'GET', htu: `${publicUrl}${path}`, iat: house.clock.at / 1_000, jti: `proof-${serial}`, ...ath };
  const head = { typ: 'dpop+jwt', alg: 'ES256', jwk: publicJwk(pair), ...header };
  return craft(head, { ...said, ...claims }, signedBy(pair));
}

const shown = (dpop: string | undefined, changes: Partial<Shown> = {}): Shown => ({
  ...{ method: 'GET', path, headers: { dpop } },
  ...changes,
});
const boundToken = (house: TokenHouse, cnf: object = { jkt: thumbprint(holder) }) => {
  const header = { alg: 'ES256', typ: 'at+jwt', kid: house.keys.current('access-token').kid };
  return craft(header, { ...goodClaims(house), cnf }, signedByUs(house));
};
const slugOf = (answer: object) => ('slug' in answer ? answer.slug : 'welcome');

for (const engine of engines) {
  test(`[R51] ${engine.name}: a proof opens the interface once, and a copy of the request opens nothing, at the same time neither`, async (t) => {
    const house = await openTokenHouse(t, { engine });
    const token = boundToken(house);
    const request = () => proof(house, token);
    const first = shown(request());
    const answers = await Promise.all([1, 2, 3].map(() => house.checker.authenticate(`DPoP ${token}`, 's', first)));
    assert.deepEqual(answers.map(slugOf).sort(), ['invalid-dpop-proof', 'invalid-dpop-proof', 'welcome']);
    assert.equal(slugOf(await house.checker.authenticate(`DPoP ${token}`, 's', shown(request()))), 'welcome');
    house.clock.at += 61_000;
    assert.equal(slugOf(await house.checker.authenticate(`DPoP ${token}`, 's', shown(request()))), 'welcome');
    assert.equal(slugOf(await house.checker.authenticate(`DPoP ${token}`, 's', first)), 'invalid-dpop-proof');
    for (const later of ['one', 'another']) {
      house.clock.at += 6 * 60_000;
      const fresh = boundToken(house);
      const used = shown(proof(house, fresh));
      assert.equal(slugOf(await house.checker.authenticate(`DPoP ${fresh}`, 's', used)), 'welcome', later);
    }
    assert.equal((await house.db.read('select id from oauth_record')).length, 2, 'what nobody could use again is gone');
  });
}

const games: Record<string, (house: TokenHouse, token: string) => string | undefined> = {
  'no proof': () => undefined,
  'an empty proof': () => '',
  'another method': (house, token) => proof(house, token, { claims: { htm: 'POST' } }),
  'a method in small letters': (house, token) => proof(house, token, { claims: { htm: 'get' } }),
  'another path': (house, token) => proof(house, token, { claims: { htu: `${publicUrl}/v1/documents/doc_2` } }),
  'a path in capitals': (house, token) =>
    proof(house, token, { claims: { htu: `${publicUrl}${path}`.replace('doc_1', 'DOC_1') } }),
  'another port': (house, token) => proof(house, token, { claims: { htu: `${publicUrl}:8443${path}` } }),
  'another host': (house, token) => proof(house, token, { claims: { htu: `https://api.example.org${path}` } }),
  'plain http': (house, token) => proof(house, token, { claims: { htu: `http://api.example.gov${path}` } }),
  'htu that is no address': (house, token) => proof(house, token, { claims: { htu: 'nowhere' } }),
  'htu as a list': (house, token) => proof(house, token, { claims: { htu: [`${publicUrl}${path}`] } }),
  'no ath': (house) => proof(house, undefined),
  'the ath of another token': (house) => proof(house, 'another'),
  'iat 92 s ago': (house, token) => proof(house, token, { claims: { iat: house.clock.at / 1_000 - 92 } }),
  'iat 31 s ahead': (house, token) => proof(house, token, { claims: { iat: house.clock.at / 1_000 + 31 } }),
  'iat as text': (house, token) => proof(house, token, { claims: { iat: String(house.clock.at / 1_000) } }),
  'no jti': (house, token) => proof(house, token, { claims: { jti: undefined } }),
  'a jti of 300 characters': (house, token) => proof(house, token, { claims: { jti: 'x'.repeat(300) } }),
  'the key of a thief': (house, token) => proof(house, token, { pair: thief }),
  'the holder named, signed by a thief': (house, token) =>
    proof(house, token, { pair: thief, header: { jwk: publicJwk(holder) } }),
  'the private key in jwk': (house, token) =>
    proof(house, token, { header: { jwk: holder.privateKey.export({ format: 'jwk' }) } }),
  'no jwk': (house, token) => proof(house, token, { header: { jwk: undefined } }),
  'typ JWT': (house, token) => proof(house, token, { header: { typ: 'JWT' } }),
  'alg none': (house, token) => proof(house, token, { header: { alg: 'none' } }),
  'alg HS256': (house, token) => proof(house, token, { header: { alg: 'HS256' } }),
  'alg PS256 over a key of P-256': (house, token) => proof(house, token, { header: { alg: 'PS256' } }),
  'an unknown crit': (house, token) => proof(house, token, { header: { crit: ['x'], x: 1 } }),
  'jku beside it': (house, token) => proof(house, token, { header: { jku: 'http://127.0.0.1:1/' } }),
  'two proofs in one header': (house, token) => `${proof(house, token)}, ${proof(house, token)}`,
  '9 KB': (house, token) => proof(house, token, { claims: { padding: 'x'.repeat(9_000) } }),
};

test('[R51] a bound token that lacks a scope, or is ahead of our clock, is challenged in its scheme', async (t) => {
  const house = await openTokenHouse(t);
  const token = boundToken(house);
  const caller = await house.checker.authenticate(`DPoP ${token}`, 's', shown(proof(house, token)));
  assert.ok('clientId' in caller);
  const challengeOf = ({ headers }: Refusal) => String(headers?.['www-authenticate']).split(' ')[0];
  assert.equal(challengeOf(house.checker.missingScope('documents:write', caller)), 'DPoP');
  house.clock.at -= 600_000;
  house.checker.forget();
  const early = await house.checker.authenticate(`DPoP ${token}`, 's', shown(proof(house, token)));
  assert.ok('slug' in early);
  assert.match(String(early.detail), /ahead of this server/);
  assert.equal(challengeOf(early), 'DPoP');
});

test('[R51] each game with a proof is answered invalid-dpop-proof with a challenge, and stores nothing', async (t) => {
  const house = await openTokenHouse(t);
  const token = boundToken(house);
  for (const [name, game] of Object.entries(games)) {
    const answer = await house.checker.authenticate(`DPoP ${token}`, 's', shown(game(house, token)));
    assert.equal(slugOf(answer), 'invalid-dpop-proof', name);
    assert.match(
      String('headers' in answer && answer.headers?.['www-authenticate']),
      /^DPoP realm="citizen-services", algs="ES256 PS256 EdDSA Ed25519", error="invalid_dpop_proof", error_description="[^"\\]+"$/,
    );
  }
  assert.deepEqual(await house.db.read('select id from oauth_record'), []);
  const query = proof(house, token, { claims: { htu: `${publicUrl}:443/v1/./documents/doc_1?a=1#b` } });
  assert.equal(slugOf(await house.checker.authenticate(`DPoP ${token}`, 's', shown(query))), 'welcome');
});

test('[R51] a proof by a key that takes fifty times as long to check is refused for its key', async (t) => {
  const house = await openTokenHouse(t);
  const {
    d,
    e,
    p = '',
    q = '',
    ...rest
  } = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({
    format: 'jwk',
  });
  // The exponents have changed places: who has such a key signs fast, and checking takes as long as signing does else.
  const own = { ...rest, d: e ?? '', e: d ?? '', p, q, dp: e ?? '', dq: e ?? '' };
  const privateKey = createPrivateKey({ key: own, format: 'jwk' });
  const jwk = { kty: own.kty, n: own.n, e: own.e };
  const jkt = createHash('sha256')
    .update(JSON.stringify({ e: jwk.e, kty: jwk.kty, n: jwk.n }))
    .digest('base64url');
  const token = boundToken(house, { jkt });
  const ath = createHash('sha256').update(token).digest('base64url');
  const claims = { htm: 'GET', htu: `${publicUrl}${path}`, iat: house.clock.at / 1_000, jti: 'slow', ath };
  const options = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const slow = craft({ typ: 'dpop+jwt', alg: 'PS256', jwk }, claims, (input) =>
    sign('sha256', input, { key: privateKey, ...options }),
  );
  const answer = await house.checker.authenticate(`DPoP ${token}`, 's', shown(slow));
  assert.match(
    String('headers' in answer && answer.headers?.['www-authenticate']),
    /the jwk of the proof is no public key/,
  );
});

test('[R51] a bound token is refused as Bearer, an unbound one as DPoP, and where its client has to bind', async (t) => {
  const house = await openTokenHouse(t);
  const bound = boundToken(house);
  const header = { alg: 'ES256', typ: 'at+jwt', kid: house.keys.current('access-token').kid };
  const plain = craft(header, goodClaims(house), signedByUs(house));
  const refused = async (authorization: string, token: string) =>
    await house.checker.authenticate(authorization, 's', shown(proof(house, token)));
  assert.equal(slugOf(await refused(`Bearer ${bound}`, bound)), 'invalid-access-token');
  assert.equal(slugOf(await refused(`DPoP ${plain}`, plain)), 'invalid-access-token');
  assert.equal(slugOf(await refused(`Bearer ${plain}`, plain)), 'welcome');
  for (const binding of ['dpop', 'mtls']) {
    await house.db.write([{ sql: 'update client set binding = $1', args: [binding] }]);
    house.checker.forget();
    const answer = await refused(`Bearer ${plain}`, plain);
    assert.equal(slugOf(answer), 'invalid-access-token', binding);
    const challenge = 'headers' in answer ? answer.headers?.['www-authenticate'] : undefined;
    assert.match(String(challenge), binding === 'dpop' ? /^DPoP / : /^Bearer /);
    assert.equal(slugOf(await refused(`DPoP ${plain}`, plain)), 'invalid-access-token', binding);
  }
});

test('[R52] a token bound to a certificate opens the interface over that certificate and over no other', async (t) => {
  const house = await openTokenHouse(t);
  const x5t = createHash('sha256').update('certificate').digest('base64url');
  const token = boundToken(house, { 'x5t#S256': x5t });
  const over = async (certificate: string | undefined) =>
    slugOf(
      await house.checker.authenticate(`Bearer ${token}`, 's', shown(undefined, { certificate: () => certificate })),
    );
  assert.equal(await over(x5t), 'welcome');
  assert.equal(await over(undefined), 'invalid-access-token');
  assert.equal(await over(x5t.toLowerCase()), 'invalid-access-token');
  const both = boundToken(house, { 'x5t#S256': x5t, jkt: thumbprint(holder) });
  const asBearer = shown(undefined, { certificate: () => x5t });
  assert.equal(slugOf(await house.checker.authenticate(`Bearer ${both}`, 's', asBearer)), 'invalid-access-token');
});

test('[R51] where nonces are wanted, a proof without one or with an old one is answered with a fresh one', async (t) => {
  const house = await openTokenHouse(t, { withNonces: true });
  house.clock.at -= house.clock.at % 60_000;
  const token = boundToken(house);
  const ask = (claims: object) =>
    house.checker.authenticate(`DPoP ${token}`, 's', shown(proof(house, token, { claims })));
  const answer = await ask({});
  assert.ok('slug' in answer);
  const nonce = String(answer.headers?.['dpop-nonce']);
  assert.deepEqual([answer.slug, nonce], ['dpop-nonce-needed', house.nonces?.current()]);
  assert.equal(slugOf(await ask({ nonce: `${nonce}x` })), 'dpop-nonce-needed');
  assert.equal(slugOf(await ask({ nonce })), 'welcome');
  house.clock.at += 60_000;
  const ahead = house.nonces?.current();
  house.clock.at -= 60_000;
  assert.equal(slugOf(await ask({ nonce: ahead })), 'welcome', 'of a process whose clock is a minute ahead');
  house.clock.at += 120_000;
  assert.equal(slugOf(await ask({ nonce })), 'welcome');
  house.clock.at += 60_000;
  assert.equal(slugOf(await ask({ nonce })), 'dpop-nonce-needed');
});

test('[R51] the token endpoint binds to the key of the proof, once, and a client that has to bind gets nothing without', async (t) => {
  const served = await serve(t);
  const { clientId, privateKey } = await clientWithKeys(served);
  const claims = { htm: 'POST', htu: `${publicUrl}/oauth2/token` };
  const ask = async (dpop?: string) =>
    await served.ask(formOf(await assertionOf(served, clientId, privateKey)), dpop === undefined ? {} : { dpop });
  const dpop = proof(served, undefined, { claims });
  const { status, body, headers } = await ask(dpop);
  assert.deepEqual([status, body['token_type'], headers.get('dpop-nonce')], [200, 'DPoP', null]);
  const token = String(body['access_token']);
  assert.equal(slugOf(await served.checker.authenticate(`DPoP ${token}`, 's', shown(proof(served, token)))), 'welcome');
  assert.equal(
    slugOf(await served.checker.authenticate(`Bearer ${token}`, 's', shown(undefined))),
    'invalid-access-token',
  );
  assert.deepEqual((await ask(dpop)).body, {
    error: 'invalid_dpop_proof',
    error_description: 'this proof was used before; make a new one for every request',
  });
  const late = await ask(proof(served, undefined, { claims: { ...claims, iat: served.clock.at / 1_000 - 120 } }));
  assert.deepEqual([late.status, late.body['error']], [400, 'invalid_dpop_proof']);
  assert.equal(late.body['error_description'], 'iat is 120 s behind the clock of this server');
  await served.db.write([{ sql: "update client set binding = 'dpop'" }]);
  assert.equal((await ask()).status, 400);
  assert.equal((await ask(proof(served, undefined, { claims }))).status, 200);
  assert.deepEqual(served.faults, []);
});

test('[R51] where nonces are wanted, the token endpoint gives one and takes no proof without it', async (t) => {
  const served = await serve(t, undefined, { withNonces: true });
  const { clientId, privateKey } = await clientWithKeys(served);
  const ask = async (nonce?: string) => {
    const claims = { htm: 'POST', htu: `${publicUrl}/oauth2/token`, nonce };
    const form = formOf(await assertionOf(served, clientId, privateKey));
    const { status, body, headers } = await served.ask(form, { dpop: proof(served, undefined, { claims }) });
    return [status, body['error'] ?? body['token_type'], headers.get('dpop-nonce')];
  };
  const current = served.nonces?.current() ?? assert.fail();
  assert.deepEqual(await ask(), [400, 'use_dpop_nonce', current]);
  assert.deepEqual(await ask('another'), [400, 'use_dpop_nonce', current]);
  assert.deepEqual((await ask(current)).slice(0, 2), [200, 'DPoP']);
});
