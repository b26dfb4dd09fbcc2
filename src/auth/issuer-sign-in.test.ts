import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { systemClock } from '../kernel/system-clock.ts';
import { createIssuerSignIn, type SignInCredential, SignInFault } from './issuer-sign-in.ts';

const issuer = 'https://login.example.gov';

type Fetching = (url: string, options: RequestInit) => Promise<Response>;

function signInThrough(httpFetch: Fetching, credential: SignInCredential = { secret: 'of a test' }) {
  const clock = { at: Date.UTC(2026, 10, 24), now: () => clock.at };
  const signIn = createIssuerSignIn({
    people: 'citizens',
    issuer,
    clientId: 'pages',
    credential: () => credential,
    clock,
    machineClock: systemClock,
    httpFetch,
    returnUrl: 'https://gov.example/me/sign-in/return',
    homeUrl: 'https://gov.example/me',
    resource: 'https://gov.example/v1',
    scope: 'openid citizen:self',
  });
  return { clock, signIn };
}

const metadata = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
const answering = (body: string) => async () => new Response(body, { headers: { 'content-type': 'application/json' } });

test('each sign-in sends its own PKCE challenge, state and nonce, for this interface', async () => {
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
  assert.equal(await signIn.signOutUrl(), undefined, 'this issuer has no end_session_endpoint');
});

test('an unreachable issuer is requested again after five seconds, and not before', async () => {
  let requests = 0;
  const { clock, signIn } = signInThrough(async () => {
    requests += 1;
    throw new TypeError('fetch failed');
  });
  for (let times = 0; times < 20; times += 1) await assert.rejects(signIn.begin(), SignInFault);
  assert.equal(requests, 1);
  clock.at += 5_001;
  await assert.rejects(signIn.begin(), { message: /^citizens cannot sign in at https:\/\/login\.example\.gov: / });
  assert.equal(requests, 2);
});

test('at most two hundred requests wait for a slow issuer, and all succeed after its response', async () => {
  const answer = Promise.withResolvers<void>();
  const { signIn } = signInThrough(async () => {
    await answer.promise;
    return await answering(JSON.stringify(metadata))();
  });
  const first = Array.from({ length: 200 }, () => signIn.begin());
  for (let times = 0; times < 3; times += 1)
    await assert.rejects(signIn.begin(), /200 other requests are waiting for its responses/);
  answer.resolve();
  assert.equal((await Promise.all(first)).length, 200);
  await signIn.begin();
});

test('metadata that is from another issuer, too large or not JSON is a fault', async () => {
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

test('a redirect with another state signs in nobody and sends no request to the issuer', async () => {
  const { signIn } = signInThrough(() => assert.fail('a request was sent'));
  const attempt = { state: 's', nonce: 'n', verifier: 'v' };
  for (const query of ['', 'code=x', 'code=x&state=', 'code=x&state=t', 'error=access_denied&state=t'])
    assert.equal(await signIn.finish(query, attempt), undefined);
});

const theirs = await generateKeyPair('ES256');
const json = (body: unknown) => answering(JSON.stringify(body))();

/** Changes of the token response and of the ID token. */
type IssuerChanges = {
  readonly credential?: SignInCredential;
  readonly claims?: (now: number) => Readonly<Record<string, unknown>>;
  readonly signedBy?: CryptoKey;
  readonly answer?: Readonly<Record<string, unknown>>;
};

/** An issuer with the clock of the installation, whose tokens are valid for `expires_in`. */
async function issuerWith(expires_in: unknown, { credential, claims, signedBy, answer }: IssuerChanges = {}) {
  const requests: RequestInit[] = [];
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
    requests.push(options);
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
  return { requests, clock, finish, signIn };
}

const formOf = ({ body }: RequestInit) => new URLSearchParams(String(body));

test('a refresh token is exchanged for this interface, and an issuer that does not accept it any more is no fault', async () => {
  const first = await issuerWith(60, { answer: { refresh_token: 'next' } });
  assert.equal((await first.finish())?.refreshToken, 'next');
  const later = await issuerWith(60, { answer: { id_token: undefined, refresh_token: 'third' } });
  assert.deepEqual(await later.signIn.refresh('next'), {
    accessToken: 'of a citizen',
    endsAt: later.clock.at + 60_000,
    refreshToken: 'third',
  });
  const form = formOf(later.requests[0] ?? assert.fail());
  assert.deepEqual(
    [form.get('grant_type'), form.get('refresh_token'), form.get('resource')],
    ['refresh_token', 'next', 'https://gov.example/v1'],
  );
  const { signIn: declining } = signInThrough(async (url) =>
    url.endsWith('/openid-configuration')
      ? await json(metadata)
      : new Response('{"error":"invalid_grant"}', { status: 400, headers: { 'content-type': 'application/json' } }),
  );
  assert.equal(await declining.refresh('of before'), undefined);
  const away = signInThrough(() => Promise.reject(new TypeError('fetch failed')));
  await assert.rejects(away.signIn.refresh('next'), SignInFault);
});

test('a refresh token is revoked at an issuer that offers it, and no other request is sent', async () => {
  const revoked: string[] = [];
  const offering = (offered: object) =>
    signInThrough(async (url, options) => {
      if (url.endsWith('/openid-configuration')) return await json({ ...metadata, ...offered });
      revoked.push(`${url} ${formOf(options).get('token')}`);
      return new Response('');
    }).signIn;
  await offering({}).revoke('one');
  await offering({ revocation_endpoint: `${issuer}/revoke` }).revoke('two');
  assert.deepEqual(revoked, [`${issuer}/revoke two`]);
});

test('ID tokens and client assertions use the clock of the installation, not the clock of the machine', async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { requests, clock, finish } = await issuerWith(60, { credential: { key: await exportJWK(privateKey) } });
  // Years off, and then off by another amount, as after a clock was set.
  for (const at of [Date.UTC(2020, 0, 1), Date.UTC(2040, 0, 1), Date.UTC(2039, 0, 1)]) {
    clock.at = at;
    assert.deepEqual(await finish(), { accessToken: 'of a citizen', endsAt: at + 60_000, refreshToken: undefined });
    const form = new URLSearchParams(String(requests.at(-1)?.body));
    const [, claims = ''] = (form.get('client_assertion') ?? '').split('.');
    const { iat } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'));
    assert.ok(Math.abs(iat * 1_000 - at) < 30_000, String(iat));
  }
});

test('an assertion has the kid of the private key, or none', async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const bare = await exportJWK(privateKey);
  const keys: readonly (readonly [JWK, string | undefined])[] = [
    [bare, undefined],
    [{ ...bare, kid: '' }, undefined],
    [{ ...bare, kid: 'pages' }, 'pages'],
  ];
  for (const [key, kid] of keys) {
    const { requests, finish } = await issuerWith(60, { credential: { key } });
    assert.equal((await finish())?.accessToken, 'of a citizen');
    const assertion = new URLSearchParams(String(requests[0]?.body)).get('client_assertion') ?? '';
    assert.equal(JSON.parse(Buffer.from(assertion.split('.')[0] ?? '', 'base64url').toString('utf8')).kid, kid);
  }
});

test('an ID token of another issuer, audience, nonce, time or key, or without a signature, is a fault', async () => {
  const others = await generateKeyPair('ES256');
  const unsigned = (claims: object) =>
    `${[{ alg: 'none' }, claims].map((one) => Buffer.from(JSON.stringify(one)).toString('base64url')).join('.')}.`;
  const wrong: readonly IssuerChanges[] = [
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
  for (const changes of wrong) await assert.rejects((await issuerWith(60, changes)).finish(), SignInFault);
  assert.equal((await (await issuerWith(60)).finish())?.accessToken, 'of a citizen');
});

test('a token life with a fraction of a millisecond is rounded down', async () => {
  const { clock, finish } = await issuerWith(299.9996);
  assert.equal((await finish())?.endsAt, clock.at + 299_999);
});

test('a fault names its cause, and quotes nothing from the browser or a document of the issuer', async () => {
  const { finish } = await issuerWith(60);
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
