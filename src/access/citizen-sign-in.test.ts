import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCitizenSignIn, SignInFault } from './citizen-sign-in.ts';

const issuer = 'https://login.example.gov';

function signInThrough(fetching: (url: string, options: RequestInit) => Promise<Response>) {
  const clock = { at: Date.UTC(2026, 10, 24), now: () => clock.at };
  const signIn = createCitizenSignIn({
    ...{ issuer, clientId: 'pages', credential: () => ({ secret: 'of a test' }), clock, fetching },
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
  assert.equal(await signIn.leaveUrl(), undefined, 'this issuer has no place to sign out');
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
