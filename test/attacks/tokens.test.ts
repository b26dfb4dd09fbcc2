import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { invalidAccessToken } from '../../src/access/challenge.ts';
import { createTrustedIssuer } from '../../src/access/trusted-issuer.ts';
import { signBytes } from '../../src/keys/signing-key.ts';
import { craft, goodClaims, openTokenHouse, publicUrl, signedByUs, type TokenHouse } from './tokens-house.ts';

type Attack = (house: TokenHouse) => string;

const header = ({ keys }: TokenHouse) => ({ alg: 'ES256', typ: 'at+jwt', kid: keys.current('access-token').kid });
const withHeader =
  (members: Record<string, unknown>): Attack =>
  (house) =>
    craft({ ...header(house), ...members }, goodClaims(house), signedByUs(house));
const withClaims =
  (members: Record<string, unknown>): Attack =>
  (house) =>
    craft(header(house), { ...goodClaims(house), ...members }, signedByUs(house));
const without =
  (name: string): Attack =>
  (house) => {
    const { [name]: _gone, ...rest } = goodClaims(house);
    return craft(header(house), rest, signedByUs(house));
  };
const seconds = (house: TokenHouse, offset: number) => Math.floor(house.clock.at / 1_000) + offset;
const good: Attack = (house) => craft(header(house), goodClaims(house), signedByUs(house));
const signature = (token: string) => token.split('.')[2] ?? '';
const hmacWith =
  (form: 'pem' | 'der' | 'jwk'): Attack =>
  (house) => {
    const { publicKey, publicJwk } = house.keys.current('access-token');
    const secret =
      form === 'jwk'
        ? JSON.stringify(publicJwk)
        : form === 'pem'
          ? publicKey.export({ type: 'spki', format: 'pem' })
          : publicKey.export({ type: 'spki', format: 'der' });
    return craft({ ...header(house), alg: 'HS256' }, goodClaims(house), (input) =>
      createHmac('sha256', secret).update(input).digest(),
    );
  };
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const strangerOf384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const strangerRsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const p1363 =
  (key: typeof stranger.privateKey, hash = 'sha256') =>
  (input: Buffer) =>
    sign(hash, input, { key, dsaEncoding: 'ieee-p1363' });

const algorithms: Record<string, Attack> = {
  none: (house) => craft({ ...header(house), alg: 'none' }, goodClaims(house), () => Buffer.alloc(0)),
  'none with a signature': withHeader({ alg: 'none' }),
  'nOnE with a signature': withHeader({ alg: 'nOnE' }),
  'HS256 keyed with the public key as PEM': hmacWith('pem'),
  'HS256 keyed with the public key as DER': hmacWith('der'),
  'HS256 keyed with the public key as JWK': hmacWith('jwk'),
  'RS256 by a stranger': (house) =>
    craft({ ...header(house), alg: 'RS256' }, goodClaims(house), (input) =>
      sign('sha256', input, strangerRsa.privateKey),
    ),
  'PS256 by a stranger under our kid': (house) =>
    craft({ ...header(house), alg: 'PS256' }, goodClaims(house), (input) =>
      sign('sha256', input, strangerRsa.privateKey),
    ),
  'EdDSA named over our signature': withHeader({ alg: 'EdDSA' }),
  'ES384 named over our signature': withHeader({ alg: 'ES384' }),
  'alg as a list': withHeader({ alg: ['ES256'] }),
  'no alg': withHeader({ alg: undefined }),
  'r = s = 0': (house) => craft(header(house), goodClaims(house), () => Buffer.alloc(64)),
  'a signature in DER': (house) =>
    craft(header(house), goodClaims(house), (input) =>
      sign('sha256', input, house.keys.current('access-token').privateKey),
    ),
  'a key of P-384': (house) => craft(header(house), goodClaims(house), p1363(strangerOf384.privateKey, 'sha384')),
  'a stranger of P-256': (house) => craft(header(house), goodClaims(house), p1363(stranger.privateKey)),
  'no signature': (house) => good(house).slice(0, -signature(good(house)).length),
  'half a signature': (house) => good(house).slice(0, -43),
  'a changed claim under the old signature': (house) => {
    const [first, , last] = good(house).split('.');
    const claims = { ...goodClaims(house), scope: 'documents:read documents:write' };
    return `${first}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${last}`;
  },
};

const keyLookup: Record<string, Attack> = {
  'its own key in jwk': (house) =>
    craft(
      { ...header(house), jwk: stranger.publicKey.export({ format: 'jwk' }) },
      goodClaims(house),
      p1363(stranger.privateKey),
    ),
  'our key in jwk': (house) => withHeader({ jwk: house.keys.current('access-token').publicJwk })(house),
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
  'the kid of our key for results': (house) => withHeader({ kid: house.keys.current('result').kid })(house),
  'signed by our key for results': (house) => {
    const key = house.keys.current('result');
    return craft({ ...header(house), kid: key.kid }, goodClaims(house), (input) => signBytes(key, input));
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
  'alg twice': (house) =>
    craft(JSON.stringify(header(house)).replace('{', '{"alg":"none",'), goodClaims(house), signedByUs(house)),
  'scope twice': (house) =>
    craft(header(house), JSON.stringify(goodClaims(house)).replace('{', '{"scope":"x",'), signedByUs(house)),
  'client_id twice, once escaped': (house) =>
    craft(header(house), JSON.stringify(goodClaims(house)).replace('{', '{"client\\u005fid":"x",'), signedByUs(house)),
  'a name twice deep inside': (house) =>
    craft(header(house), JSON.stringify(goodClaims(house)).replace('{', '{"a":[{"b":1,"b":2}],'), signedByUs(house)),
  'a header that is a list': (house) => craft('[]', goodClaims(house), signedByUs(house)),
  'a header that is no JSON': (house) => craft('{', goodClaims(house), signedByUs(house)),
  'claims that are a text': (house) => craft(header(house), '"claims"', signedByUs(house)),
  'claims that are null': (house) => craft(header(house), 'null', signedByUs(house)),
  'claims that are not UTF-8': (house) => {
    const [first, , last] = good(house).split('.');
    return `${first}.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.${last}`;
  },
};

const forms: Record<string, Attack> = {
  'an empty token': () => '',
  'one word': () => 'abc',
  'two segments': (house) => good(house).split('.').slice(0, 2).join('.'),
  'four segments': (house) => `${good(house)}.${signature(good(house))}`,
  'a JWE of five segments': (house) => `${good(house)}.AA.AA`,
  'JSON serialisation': (house) => {
    const [first, payload, last] = good(house).split('.');
    return JSON.stringify({ payload, protected: first, signature: last });
  },
  padding: (house) => `${good(house)}==`,
  'base64 that is not base64url': (house) => good(house).replace('.', '.+/'),
  'a blank within': (house) => good(house).replace('.', '. '),
  'two tokens': (house) => `${good(house)} ${good(house)}`,
  '16 KB': (house) => withClaims({ padding: 'x'.repeat(16_384) })(house),
  '16 KB of dots': () => '.'.repeat(16_384),
  '8 KB of brackets': (house) => craft('['.repeat(2_000), '['.repeat(2_000), signedByUs(house)),
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
  'exp as text': (house) => withClaims({ exp: String(seconds(house, 600)) })(house),
  'exp with a fraction': (house) => withClaims({ exp: seconds(house, 599) + 0.5 })(house),
  'exp of 1e400': (house) =>
    craft(header(house), JSON.stringify(goodClaims(house)).replace(/"exp":\d+/, '"exp":1e400'), signedByUs(house)),
  'exp in milliseconds': (house) => withClaims({ exp: house.clock.at + 600_000 })(house),
  'a life of a day': (house) => withClaims({ exp: seconds(house, 86_400) })(house),
  'exp before iat': (house) => withClaims({ iat: seconds(house, 10), exp: seconds(house, 5) })(house),
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
  'a client assertion': (house) => {
    const { clientId } = house.client.client;
    const assertion = { iss: clientId, sub: clientId, aud: publicUrl, exp: seconds(house, 60), jti: 'a' };
    return craft({ ...header(house), typ: 'JWT' }, assertion, signedByUs(house));
  },
};
for (const name of ['iss', 'aud', 'exp', 'iat', 'sub', 'client_id', 'jti']) claims[`no ${name}`] = without(name);

const attacks = { algorithms, keyLookup, headers, forms, claims };

for (const [set, cases] of Object.entries(attacks)) {
  test(`[R45] [R46] [R47] tokens, ${set}: each is answered with the one generic refusal, and nothing is fetched`, async (t) => {
    const fetched: string[] = [];
    const fetching = (url: string) => {
      fetched.push(url);
      return Promise.reject(new Error('nothing may be fetched'));
    };
    const clock = { now: () => 0 };
    const trusted = [createTrustedIssuer('https://trusted.example.org', fetching, clock, assert.fail)];
    const house = await openTokenHouse(t, { trusted });
    // All that a binding asks for is there, so that nothing is refused for want of it.
    const shown = { method: 'GET', path: '/v1', headers: {} };
    const ask = (token: string) => house.checker.authenticate(`Bearer ${token}`, 'documents:read', shown);
    const welcome = await ask(good(house));
    assert.ok('clientId' in welcome, 'the token that the attacks change is good');
    for (const [name, attack] of Object.entries(cases)) {
      const answer = await ask(attack(house));
      assert.deepEqual(answer, invalidAccessToken(), name);
    }
    assert.deepEqual(fetched, []);
  });
}

test('[R48] a token that is ahead of our clock is told so once its signature holds, and not before', async (t) => {
  const house = await openTokenHouse(t);
  const detailOf = async (token: string) => {
    const answer = await house.checker.authenticate(`Bearer ${token}`);
    return 'slug' in answer ? [answer.slug, answer.detail, answer.members] : 'welcome';
  };
  const ahead = { iat: seconds(house, 61), exp: seconds(house, 300) };
  const told = [
    'invalid-access-token',
    "The token is 61 s ahead of this server's clock. Compare the clock of its issuer with serverTime.",
    { serverTime: new Date(house.clock.at).toISOString() },
  ];
  assert.deepEqual(await detailOf(withClaims(ahead)(house)), told);
  assert.deepEqual(await detailOf(withClaims({ nbf: seconds(house, 61) })(house)), told);
  const { detail } = invalidAccessToken();
  const unsigned = craft(header(house), { ...goodClaims(house), ...ahead }, () => Buffer.alloc(64, 1));
  assert.deepEqual(await detailOf(unsigned), ['invalid-access-token', detail, undefined]);
  assert.equal(await detailOf(withClaims({ iat: seconds(house, 10), exp: seconds(house, 300) })(house)), 'welcome');
});

test('[R56] a flood of unknown key ids makes the keys be read once', async (t) => {
  const house = await openTokenHouse(t);
  await house.checker.authenticate(`Bearer ${good(house)}`);
  house.clock.at += 6_000;
  house.reads.count = 0;
  for (let count = 0; count < 50; count += 1) {
    await house.checker.authenticate(`Bearer ${withHeader({ kid: `unknown-${count}` })(house)}`);
  }
  assert.equal(house.reads.count, 1);
});

test('the generic refusal says nothing about the token, and its challenge says invalid_token', () => {
  assert.deepEqual(invalidAccessToken(), {
    slug: 'invalid-access-token',
    detail:
      'The token is not one that this server accepts: wrong form, signature, issuer or audience, revoked, or bound to a key or certificate that was not shown.',
    headers: {
      'www-authenticate':
        'Bearer realm="citizen-services", error="invalid_token", error_description="The access token is not valid"',
    },
  });
});

test('the public key that is published is the one that signs', async (t) => {
  const { keys } = await openTokenHouse(t);
  const { publicJwk, publicKey } = keys.current('access-token');
  const imported = createPublicKey({ key: { ...publicJwk }, format: 'jwk' });
  assert.equal(imported.equals(publicKey), true);
});
