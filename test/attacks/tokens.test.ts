import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { invalidAccessToken } from '../../src/auth/challenge.ts';
import { createTrustedIssuer } from '../../src/auth/trusted-issuer.ts';
import { signBytes } from '../../src/crypto/signing-key.ts';
import {
  makeJws,
  openTokenApp,
  publicUrl,
  signWithServerKey,
  type TokenApp,
  validTokenClaims,
} from '../support/token-app.ts';

type Attack = (app: TokenApp) => string;

const header = ({ keys }: TokenApp) => ({ alg: 'ES256', typ: 'at+jwt', kid: keys.current('access-token').kid });
const withHeader =
  (members: Record<string, unknown>): Attack =>
  (app) =>
    makeJws({ ...header(app), ...members }, validTokenClaims(app), signWithServerKey(app));
const withClaims =
  (members: Record<string, unknown>): Attack =>
  (app) =>
    makeJws(header(app), { ...validTokenClaims(app), ...members }, signWithServerKey(app));
const without =
  (name: string): Attack =>
  (app) => {
    const { [name]: _gone, ...rest } = validTokenClaims(app);
    return makeJws(header(app), rest, signWithServerKey(app));
  };
const seconds = (app: TokenApp, offset: number) => Math.floor(app.clock.at / 1_000) + offset;
const good: Attack = (app) => makeJws(header(app), validTokenClaims(app), signWithServerKey(app));
const signature = (token: string) => token.split('.')[2] ?? '';
const hmacWith =
  (form: 'pem' | 'der' | 'jwk'): Attack =>
  (app) => {
    const { publicKey, publicJwk } = app.keys.current('access-token');
    const secret =
      form === 'jwk'
        ? JSON.stringify(publicJwk)
        : form === 'pem'
          ? publicKey.export({ type: 'spki', format: 'pem' })
          : publicKey.export({ type: 'spki', format: 'der' });
    return makeJws({ ...header(app), alg: 'HS256' }, validTokenClaims(app), (input) =>
      createHmac('sha256', secret).update(input).digest(),
    );
  };
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherP384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const p1363 =
  (key: typeof otherKey.privateKey, hash = 'sha256') =>
  (input: Buffer) =>
    sign(hash, input, { key, dsaEncoding: 'ieee-p1363' });

const algorithms: Record<string, Attack> = {
  none: (app) => makeJws({ ...header(app), alg: 'none' }, validTokenClaims(app), () => Buffer.alloc(0)),
  'none with a signature': withHeader({ alg: 'none' }),
  'nOnE with a signature': withHeader({ alg: 'nOnE' }),
  'HS256 keyed with the public key as PEM': hmacWith('pem'),
  'HS256 keyed with the public key as DER': hmacWith('der'),
  'HS256 keyed with the public key as JWK': hmacWith('jwk'),
  'RS256 by another key': (app) =>
    makeJws({ ...header(app), alg: 'RS256' }, validTokenClaims(app), (input) =>
      sign('sha256', input, otherRsa.privateKey),
    ),
  'PS256 by another key under our kid': (app) =>
    makeJws({ ...header(app), alg: 'PS256' }, validTokenClaims(app), (input) =>
      sign('sha256', input, otherRsa.privateKey),
    ),
  'EdDSA named over our signature': withHeader({ alg: 'EdDSA' }),
  'ES384 named over our signature': withHeader({ alg: 'ES384' }),
  'alg as a list': withHeader({ alg: ['ES256'] }),
  'no alg': withHeader({ alg: undefined }),
  'r = s = 0': (app) => makeJws(header(app), validTokenClaims(app), () => Buffer.alloc(64)),
  'a signature in DER': (app) =>
    makeJws(header(app), validTokenClaims(app), (input) =>
      sign('sha256', input, app.keys.current('access-token').privateKey),
    ),
  'a key of P-384': (app) => makeJws(header(app), validTokenClaims(app), p1363(otherP384.privateKey, 'sha384')),
  'another key of P-256': (app) => makeJws(header(app), validTokenClaims(app), p1363(otherKey.privateKey)),
  'no signature': (app) => good(app).slice(0, -signature(good(app)).length),
  'half a signature': (app) => good(app).slice(0, -43),
  'a changed claim under the old signature': (app) => {
    const [first, , last] = good(app).split('.');
    const claims = { ...validTokenClaims(app), scope: 'documents:read documents:write' };
    return `${first}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${last}`;
  },
};

const keyLookup: Record<string, Attack> = {
  'its own key in jwk': (app) =>
    makeJws(
      { ...header(app), jwk: otherKey.publicKey.export({ format: 'jwk' }) },
      validTokenClaims(app),
      p1363(otherKey.privateKey),
    ),
  'our key in jwk': (app) => withHeader({ jwk: app.keys.current('access-token').publicJwk })(app),
  'jku to a listener': withHeader({ jku: 'http://127.0.0.1:1/jwks' }),
  'x5u to a listener': withHeader({ x5u: 'http://127.0.0.1:1/cert' }),
  x5c: withHeader({ x5c: ['MIIB'] }),
  'kid as a path': withHeader({ kid: '../../../../dev/null' }),
  'kid as SQL': withHeader({ kid: "' or '1'='1" }),
  'kid with NUL': withHeader({ kid: 'a\0b' }),
  'kid of 10 KB': withHeader({ kid: 'k'.repeat(10_240) }),
  'kid as a number': withHeader({ kid: 1 }),
  'kid of __proto__': withHeader({ kid: '__proto__' }),
  'no kid': withHeader({ kid: undefined }),
  'the kid of our key for results': (app) => withHeader({ kid: app.keys.current('result').kid })(app),
  'signed by our key for results': (app) => {
    const key = app.keys.current('result');
    return makeJws({ ...header(app), kid: key.kid }, validTokenClaims(app), (input) => signBytes(key, input));
  },
};

const headers: Record<string, Attack> = {
  'typ JWT': withHeader({ typ: 'JWT' }),
  'typ of a DPoP proof': withHeader({ typ: 'dpop+jwt' }),
  'typ of a verification result': withHeader({ typ: 'identity-verification+jwt' }),
  'no typ': withHeader({ typ: undefined }),
  'an unknown crit': withHeader({ crit: ['made-up'], 'made-up': 1 }),
  'an empty crit': withHeader({ crit: [] }),
  'b64 false': withHeader({ b64: false, crit: ['b64'] }),
  'b64 true': withHeader({ b64: true }),
  'alg twice': (app) =>
    makeJws(JSON.stringify(header(app)).replace('{', '{"alg":"none",'), validTokenClaims(app), signWithServerKey(app)),
  'scope twice': (app) =>
    makeJws(header(app), JSON.stringify(validTokenClaims(app)).replace('{', '{"scope":"x",'), signWithServerKey(app)),
  'client_id twice, once escaped': (app) =>
    makeJws(
      header(app),
      JSON.stringify(validTokenClaims(app)).replace('{', '{"client\\u005fid":"x",'),
      signWithServerKey(app),
    ),
  'a name twice deep inside': (app) =>
    makeJws(
      header(app),
      JSON.stringify(validTokenClaims(app)).replace('{', '{"a":[{"b":1,"b":2}],'),
      signWithServerKey(app),
    ),
  'a header that is a list': (app) => makeJws('[]', validTokenClaims(app), signWithServerKey(app)),
  'a header that is no JSON': (app) => makeJws('{', validTokenClaims(app), signWithServerKey(app)),
  'claims that are a text': (app) => makeJws(header(app), '"claims"', signWithServerKey(app)),
  'claims that are null': (app) => makeJws(header(app), 'null', signWithServerKey(app)),
  'claims that are not UTF-8': (app) => {
    const [first, , last] = good(app).split('.');
    return `${first}.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.${last}`;
  },
};

const forms: Record<string, Attack> = {
  'an empty token': () => '',
  'one word': () => 'abc',
  'two segments': (app) => good(app).split('.').slice(0, 2).join('.'),
  'four segments': (app) => `${good(app)}.${signature(good(app))}`,
  'a JWE of five segments': (app) => `${good(app)}.AA.AA`,
  'JSON serialisation': (app) => {
    const [first, payload, last] = good(app).split('.');
    return JSON.stringify({ payload, protected: first, signature: last });
  },
  padding: (app) => `${good(app)}==`,
  'base64 that is not base64url': (app) => good(app).replace('.', '.+/'),
  'a blank within': (app) => good(app).replace('.', '. '),
  'two tokens': (app) => `${good(app)} ${good(app)}`,
  '16 KB': (app) => withClaims({ padding: 'x'.repeat(16_384) })(app),
  '16 KB of dots': () => '.'.repeat(16_384),
  '8 KB of brackets': (app) => makeJws('['.repeat(2_000), '['.repeat(2_000), signWithServerKey(app)),
};

const claims: Record<string, Attack> = {
  'another audience': withClaims({ aud: 'https://other.example.gov/v1' }),
  'a list of audiences without us': withClaims({ aud: ['https://other.example.gov/v1', publicUrl] }),
  'an audience that ours begins with': withClaims({ aud: publicUrl }),
  'an audience that begins with ours': withClaims({ aud: `${publicUrl}/v1/identity` }),
  'another issuer': withClaims({ iss: 'https://issuer.example.org' }),
  'our issuer in capitals': withClaims({ iss: publicUrl.toUpperCase() }),
  'our issuer with a slash': withClaims({ iss: `${publicUrl}/` }),
  'the issuer as a list': withClaims({ iss: [publicUrl] }),
  'exp as text': (app) => withClaims({ exp: String(seconds(app, 600)) })(app),
  'exp with a fraction': (app) => withClaims({ exp: seconds(app, 599) + 0.5 })(app),
  'exp of 1e400': (app) =>
    makeJws(
      header(app),
      JSON.stringify(validTokenClaims(app)).replace(/"exp":\d+/, '"exp":1e400'),
      signWithServerKey(app),
    ),
  'exp in milliseconds': (app) => withClaims({ exp: app.clock.at + 600_000 })(app),
  'a life of a day': (app) => withClaims({ exp: seconds(app, 86_400) })(app),
  'exp before iat': (app) => withClaims({ iat: seconds(app, 10), exp: seconds(app, 5) })(app),
  'nbf as text': withClaims({ nbf: '0' }),
  'iat as null': withClaims({ iat: null }),
  'scope as a list': withClaims({ scope: ['documents:read'] }),
  'scope with a quote': withClaims({ scope: 'a"b' }),
  'another client as sub': withClaims({ sub: 'somebody' }),
  'an empty jti': withClaims({ jti: '' }),
  'jti as a number': withClaims({ jti: 7 }),
  'a client that does not exist': withClaims({ client_id: 'nobody', sub: 'nobody' }),
  'bound to what is no thumbprint': withClaims({ cnf: { jkt: 'x' } }),
  'a citizen as a number': withClaims({ citizen_id: 7 }),
  'a citizen without a name': withClaims({ citizen_id: '' }),
  'bound to nothing': withClaims({ cnf: {} }),
  'bound to null': withClaims({ cnf: null }),
  'bound to a text': withClaims({ cnf: 'x'.repeat(43) }),
  'bound to a list': withClaims({ cnf: ['x'.repeat(43)] }),
  'bound to a list of thumbprints': withClaims({ cnf: { jkt: ['x'.repeat(43)] } }),
  'bound by a way that we cannot check': withClaims({ cnf: { jwk: {}, 'x5t#S256': 'x'.repeat(43) } }),
  'bound by a name that we do not know': withClaims({ cnf: { kid: 'x'.repeat(43) } }),
  'bound to a certificate, over none': withClaims({ cnf: { 'x5t#S256': 'x'.repeat(43) } }),
  'a client assertion': (app) => {
    const { clientId } = app.client.client;
    const assertion = { iss: clientId, sub: clientId, aud: publicUrl, exp: seconds(app, 60), jti: 'a' };
    return makeJws({ ...header(app), typ: 'JWT' }, assertion, signWithServerKey(app));
  },
};
for (const name of ['iss', 'aud', 'exp', 'iat', 'sub', 'client_id', 'jti']) claims[`no ${name}`] = without(name);

const attacks = { algorithms, keyLookup, headers, forms, claims };

for (const [set, cases] of Object.entries(attacks)) {
  test(`[R45] [R46] [R47] tokens with an attack of the set ${set} get the generic refusal, and nothing is fetched`, async (t) => {
    const fetched: string[] = [];
    const fetching = (url: string) => {
      fetched.push(url);
      return Promise.reject(new Error('nothing may be fetched'));
    };
    const clock = { now: () => 0 };
    const trustedIssuers = [createTrustedIssuer('https://trusted.example.org', fetching, clock, assert.fail)];
    const app = await openTokenApp(t, { trustedIssuers });
    // The parts that a binding needs are present, so that no token is refused without them.
    const shown = { method: 'GET', path: '/v1', headers: {} };
    const ask = (token: string) => app.checker.authenticate(`Bearer ${token}`, 'documents:read', shown);
    const welcome = await ask(good(app));
    assert.ok('clientId' in welcome, 'the unchanged token is accepted');
    for (const [name, attack] of Object.entries(cases)) {
      const answer = await ask(attack(app));
      assert.deepEqual(answer, invalidAccessToken(), name);
    }
    assert.deepEqual(fetched, []);
  });
}

test('[R48] a token from a clock that is ahead is reported as such only if its signature is valid', async (t) => {
  const app = await openTokenApp(t);
  const detailOf = async (token: string) => {
    const answer = await app.checker.authenticate(`Bearer ${token}`);
    return 'slug' in answer ? [answer.slug, answer.detail, answer.members] : 'accepted';
  };
  const ahead = { iat: seconds(app, 61), exp: seconds(app, 300) };
  const expected = [
    'invalid-access-token',
    "The token is 61 s ahead of this server's clock. Compare the clock of its issuer with serverTime.",
    { serverTime: new Date(app.clock.at).toISOString() },
  ];
  assert.deepEqual(await detailOf(withClaims(ahead)(app)), expected);
  assert.deepEqual(await detailOf(withClaims({ nbf: seconds(app, 61) })(app)), expected);
  const { detail } = invalidAccessToken();
  const unsigned = makeJws(header(app), { ...validTokenClaims(app), ...ahead }, () => Buffer.alloc(64, 1));
  assert.deepEqual(await detailOf(unsigned), ['invalid-access-token', detail, undefined]);
  assert.equal(await detailOf(withClaims({ iat: seconds(app, 10), exp: seconds(app, 300) })(app)), 'accepted');
});

test('[R56] many unknown key ids cause one read of the keys', async (t) => {
  const app = await openTokenApp(t);
  await app.checker.authenticate(`Bearer ${good(app)}`);
  app.clock.at += 6_000;
  app.queryCounter.count = 0;
  for (let count = 0; count < 50; count += 1) {
    await app.checker.authenticate(`Bearer ${withHeader({ kid: `unknown-${count}` })(app)}`);
  }
  assert.equal(app.queryCounter.count, 1);
});

test('the generic refusal has no details of the token, and a challenge with invalid_token', () => {
  assert.deepEqual(invalidAccessToken(), {
    slug: 'invalid-access-token',
    detail:
      'The token is malformed or revoked, has a wrong signature, issuer or audience, or is bound to a key or certificate that the request lacks.',
    headers: {
      'www-authenticate':
        'Bearer realm="citizen-services", error="invalid_token", error_description="The access token is not valid"',
    },
  });
});

test('the published public key is that of the signing key', async (t) => {
  const { keys } = await openTokenApp(t);
  const { publicJwk, publicKey } = keys.current('access-token');
  const imported = createPublicKey({ key: { ...publicJwk }, format: 'jwk' });
  assert.equal(imported.equals(publicKey), true);
});
