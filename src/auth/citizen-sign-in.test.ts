import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { systemClock } from '../kernel/system-clock.ts';
import { createCitizenSignIn, type SignInCredential, SignInFault } from './citizen-sign-in.ts';

const issuer = 'https://login.example.gov';

type Fetching = (url: string, options: RequestInit) => Promise<Response>;

function signInThrough(httpFetch: Fetching, credential: SignInCredential = { secret: 'of a test' }) {
  const clock = { at: Date.UTC(2026, 10, 24), now: () => clock.at };
  const signIn = createCitizenSignIn({
    ...{ issuer, clientId: 'pages', credential: () => credential, clock, machineClock: systemClock, httpFetch },
    ...{ returnUrl: 'https://gov.example/me/sign-in/return', homeUrl: 'https://gov.example/me' },
    ...{ resource: 'https://gov.example/v1', scope: 'openid citizen:self' },
  });
  return { clock, signIn };
}

const metadata = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
const answering = (body: string) => async () => new Response(body, { headers: { 'content-type': 'application/json' } });

test('a sign-in goes to the issuer with PKCE, for this interface, and each with secrets of its own', async () => {
  const { signIn } = signInThrough(answering(JSON.stringify(metadata)));
  const [one, other] = [await signIn.begin(), await signIn.begin()];
  const query = Object.fromEntries(new URL(one.url).searchParams);
  assert.equal(new URL(one.url).origin + new URL(one.url).pathname, metadata.authorization_endpoint);
  assert.deepEqual(
    [query['response_type'], query['client_id'], query['resource'], query['scope'], query['code_challenge_method']],
    ['code', 'pages', 'https://gov.example/v1', 'openid citizen:self', 'S256'],
  );
  assert.deepEqual([query['state'], query['nonce']], [one.attempt.state, one.attempt.nonce]);
  assert.ok(!one.url.includes(one.attempt.verifier));
  const secrets = [one, other].flatMap(({ attempt }) => Object.values(attempt));
  assert.equal(new Set(secrets).size, 6);
  assert.equal(await signIn.signOutUrl(), undefined, 'this issuer has no place to sign out');
});

test('an issuer that is away is asked again after a while, however many come, and no sooner', async () => {
  let asked = 0;
  const { clock, signIn } = signInThrough(async () => {
    asked += 1;
    throw new TypeError('fetch failed');
  });
  for (let times = 0; times < 20; times += 1) await assert.rejects(signIn.begin(), SignInFault);
  assert.equal(asked, 1);
  clock.at += 5_001;
  await assert.rejects(signIn.begin(), { message: /^citizens cannot sign in at https:\/\/login\.example\.gov: / });
  assert.equal(asked, 2);
});

test('no more than two hundred wait for a slow issuer, and when it answers all others may', async () => {
  const answer = Promise.withResolvers<void>();
  const { signIn } = signInThrough(async () => {
    await answer.promise;
    return await answering(JSON.stringify(metadata))();
  });
  const first = Array.from({ length: 200 }, () => signIn.begin());
  for (let times = 0; times < 3; times += 1)
    await assert.rejects(signIn.begin(), /200 other requests wait for its responses/);
  answer.resolve();
  assert.equal((await Promise.all(first)).length, 200);
  await signIn.begin();
});

test('metadata of another issuer, without end or behind a redirect are a fault', async () => {
  const fetched: RequestInit[] = [];
  const endless = `${JSON.stringify(metadata)}${' '.repeat(300_000)}`;
  for (const body of [JSON.stringify({ ...metadata, issuer: 'https://evil.example' }), endless, 'no json']) {
    const { signIn } = signInThrough(async (_url, options) => {
      fetched.push(options);
      return await answering(body)();
    });
    await assert.rejects(signIn.begin(), SignInFault);
  }
  assert.deepEqual(
    fetched.map(({ redirect }) => redirect),
    ['error', 'error', 'error'],
  );
});

test('what comes back under another state is no sign-in, and asks the issuer nothing', async () => {
  const { signIn } = signInThrough(() => assert.fail('asked'));
  const attempt = { state: 's', nonce: 'n', verifier: 'v' };
  for (const query of ['', 'code=x', 'code=x&state=', 'code=x&state=t', 'error=access_denied&state=t'])
    assert.equal(await signIn.finish(query, attempt), undefined);
});

const theirs = await generateKeyPair('ES256');
const json = (body: unknown) => answering(JSON.stringify(body))();

/** What an issuer may say of a token, and of the one that tells who signed in. */
type Given = {
  readonly credential?: SignInCredential;
  readonly claims?: (now: number) => Readonly<Record<string, unknown>>;
  readonly signedBy?: CryptoKey;
  readonly answer?: Readonly<Record<string, unknown>>;
};

/** An issuer whose clock shows what that of the installation does; it gives a token that is good for `expires_in`. */
async function issuerThatGives(expires_in: unknown, { credential, claims, signedBy, answer }: Given = {}) {
  const asked: RequestInit[] = [];
  let nonce = '';
  const publicJwk = { ...(await exportJWK(theirs.publicKey)), kid: 'theirs', alg: 'ES256' };
  const httpFetch: Fetching = async (url, options) => {
    if (url.endsWith('/openid-configuration'))
      return await json({
        ...metadata,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['ES256'],
      });
    if (url === `${issuer}/keys`) return await json({ keys: [publicJwk] });
    asked.push(options);
    const now = Math.floor(clock.now() / 1_000);
    const usual = { nonce, iss: issuer, sub: 'x', aud: 'pages', iat: now, exp: now + 300 };
    const idToken = new SignJWT({ ...usual, ...claims?.(now) }).setProtectedHeader({ alg: 'ES256', kid: 'theirs' });
    const id_token = await idToken.sign(signedBy ?? theirs.privateKey);
    return await json({ access_token: 'of a citizen', token_type: 'Bearer', expires_in, id_token, ...answer });
  };
  const { clock, signIn } = signInThrough(httpFetch, credential);
  const finish = async (query = 'code=x') => {
    const { attempt } = await signIn.begin();
    nonce = attempt.nonce;
    return await signIn.finish(`${query}&state=${attempt.state}`, attempt);
  };
  return { asked, clock, finish };
}

test('tokens are looked at, and assertions made, by the clock of the installation, whatever the machine’s shows', async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { asked, clock, finish } = await issuerThatGives(60, { credential: { key: await exportJWK(privateKey) } });
  // Years apart, and then apart otherwise, as behind a clock that was set.
  for (const at of [Date.UTC(2020, 0, 1), Date.UTC(2040, 0, 1), Date.UTC(2039, 0, 1)]) {
    clock.at = at;
    assert.deepEqual(await finish(), { accessToken: 'of a citizen', endsAt: at + 60_000 });
    const form = new URLSearchParams(String(asked.at(-1)?.body));
    const [, claims = ''] = (form.get('client_assertion') ?? '').split('.');
    const { iat } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'));
    assert.ok(Math.abs(iat * 1_000 - at) < 30_000, String(iat));
  }
});

test('a private key may have an id or none', async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const bare = await exportJWK(privateKey);
  const keys: readonly (readonly [JWK, string | undefined])[] = [
    [bare, undefined],
    [{ ...bare, kid: '' }, undefined],
    [{ ...bare, kid: 'pages' }, 'pages'],
  ];
  for (const [key, kid] of keys) {
    const { asked, finish } = await issuerThatGives(60, { credential: { key } });
    assert.equal((await finish())?.accessToken, 'of a citizen');
    const assertion = new URLSearchParams(String(asked[0]?.body)).get('client_assertion') ?? '';
    assert.equal(JSON.parse(Buffer.from(assertion.split('.')[0] ?? '', 'base64url').toString('utf8')).kid, kid);
  }
});

test('what an issuer says of somebody else, for somebody else, of another time or unsigned signs nobody in', async () => {
  const others = await generateKeyPair('ES256');
  const unsigned = (claims: object) =>
    `${[{ alg: 'none' }, claims].map((one) => Buffer.from(JSON.stringify(one)).toString('base64url')).join('.')}.`;
  const wrong: readonly Given[] = [
    { claims: () => ({ nonce: 'of another sign-in' }) },
    { claims: () => ({ nonce: undefined }) },
    { claims: () => ({ aud: 'another client' }) },
    { claims: () => ({ aud: ['pages', 'another client'], azp: 'another client' }) },
    { claims: () => ({ iss: 'https://evil.example' }) },
    { claims: (now) => ({ exp: now - 60 }) },
    { signedBy: others.privateKey },
    { answer: { id_token: unsigned({ iss: issuer, sub: 'x', aud: 'pages', iat: 0, exp: 2 ** 40 }) } },
    { answer: { id_token: undefined } },
  ];
  for (const given of wrong) await assert.rejects((await issuerThatGives(60, given)).finish(), SignInFault);
  assert.equal((await (await issuerThatGives(60)).finish())?.accessToken, 'of a citizen');
});

test('a token that is good for a part of a millisecond ends before it', async () => {
  const { clock, finish } = await issuerThatGives(299.9996);
  assert.equal((await finish())?.endsAt, clock.at + 299_999);
});

test('a fault says what was wrong, and nothing that a browser may have made up or an issuer may have sent', async () => {
  const { finish } = await issuerThatGives(60);
  const at = `citizens cannot sign in at ${issuer}`;
  await assert.rejects(finish('code=x&code=y'), { message: `${at}: ${[invalid, twice].join(': ')}` });
  const refused = 'authorization response from the server is an error';
  await assert.rejects(finish('error=server_error'), { message: `${at}: ${refused} (server_error)` });
  for (const made of ['Mary Murphy', 'a\nb', 'x'.repeat(4_000), '<b>'])
    await assert.rejects(finish(`error=${encodeURIComponent(made)}`), { message: `${at}: ${refused}` });
  const refusing = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
  const away = signInThrough(() => Promise.reject(new TypeError('fetch failed', { cause: refusing })));
  await assert.rejects(away.signIn.begin(), { message: `${at}: fetch failed: ECONNREFUSED` });
  const { signIn } = signInThrough(answering('{"sub":"Mary Murphy'));
  await assert.rejects(
    signIn.begin(),
    (fault: Error) => !fault.message.includes('Mary') && fault.message !== `${at}: `,
  );
});

const invalid = 'invalid response encountered';
const twice = '"code" parameter must be provided only once';
