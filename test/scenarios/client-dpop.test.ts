import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { decodeJwt, decodeProtectedHeader, type JWK } from 'jose';
import { type ClientSettings, createClient, ProblemError } from '../../client/src/client.ts';
import { type Clock, defaultClock } from '../../client/src/retry.ts';
import { engines } from '../support/database-engines.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { type CleanupScope, makeServerFixture } from '../support/server-process.ts';

// The client with tokens that are bound to its key, with a server that requires them.
const mary = { citizenId: 'demo-mary', familyName: 'Smith', birthDate: '1981-04-25' };
const about = { citizenId: 'demo-mary', title: 'Permit', mediaType: 'text/plain' };
const scopes = 'identity:verify,notifications:send,notifications:read,documents:write,documents:read';

type Sent = { readonly path: string; readonly status: number; readonly headers: Headers };

/** Starts a demo with a client that must bind its tokens. `clientWith` creates this client, and `sent` records its requests. */
async function startDemo(t: CleanupScope, settings: Record<string, string>, engine: 'sqlite' | 'postgres' = 'sqlite') {
  const home = await makeServerFixture(t, { engine, settings });
  await home.start();
  await home.fetchAccessToken();
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwks = join(home.dataDir, 'jwks.json');
  writeFileSync(jwks, JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
  const order = ['clients', 'create', 'Tax', '--kind', 'live', '--scopes', scopes, '--binding', 'dpop', '--json'];
  const made = await runCommandInProcess(home, ...order, '--jwks', jwks);
  assert.equal(made.code, 0, made.stderr);
  const { clientId } = JSON.parse(made.stdout) as { clientId: string };
  const sent: Sent[] = [];
  /** `change` can replace the responses before the client reads them. */
  const clientWith = (given: Partial<ClientSettings>, change: (path: string, answer: Response) => Response = asItIs) =>
    createClient({
      baseUrl: home.url,
      clientId,
      privateKey: privateKey.export({ format: 'jwk' }),
      dpop: true,
      fetch: async (address, init) => {
        const answer = await fetch(address, init);
        const { pathname: path } = new URL(String(address));
        sent.push({ path, status: answer.status, headers: new Headers(init?.headers) });
        return change(path, answer);
      },
      ...given,
    } as ClientSettings);
  return { home, sent, clientWith };
}

const asItIs = (_path: string, answer: Response) => answer;

for (const { name: engine } of engines) {
  test(`[R51] ${engine}: a client that must bind its tokens uses DPoP with the server's nonces in every call`, async (t) => {
    const { sent, clientWith } = await startDemo(t, { DPOP_NONCES: 'true' }, engine);
    await assert.rejects(clientWith({ dpop: false }).verify(mary), { name: 'TokenError', error: 'invalid_dpop_proof' });
    sent.length = 0;
    const client = clientWith({});
    assert.equal((await client.verify(mary)).decision, 'match');
    assert.equal((await client.call('verifyIdentityByQuery', { query: mary })).body.decision, 'match');
    assert.equal((await client.send({ citizenId: 'demo-mary', message: 'Hello' })).status, 'accepted');
    const { id } = await client.deposit(new Blob(['PERMIT']).stream(), about);
    assert.equal(await (await client.document(id)).text(), 'PERMIT');
    const statuses = sent.map(({ path, status }) => [path, status]);
    assert.deepEqual(statuses.slice(0, 3), [
      ['/oauth2/token', 400],
      ['/oauth2/token', 200],
      ['/v1/identity/verify', 200],
    ]);
    assert.equal(sent.length, 7, 'one request for each call, once the nonce is known');
    const proofs = sent.map(({ headers }) => headers.get('dpop') ?? '');
    assert.equal(new Set(proofs.map((proof) => decodeJwt(proof).jti)).size, 7);
    const { jwk } = decodeProtectedHeader(proofs[0] ?? '') as { jwk: JWK };
    assert.deepEqual(Object.keys(jwk).sort(), ['crv', 'kty', 'x', 'y']);
    const token =
      sent
        .at(-1)
        ?.headers.get('authorization')
        ?.replace(/^DPoP /, '') ?? '';
    const shown = inspect(client, { depth: 9, showHidden: true });
    assert.equal(shown.includes(token), false);
    await assert.rejects(client.accessToken(), /use call/);
  });
}

test('an expired nonce costs one more request, and a streamed document is still deposited', async (t) => {
  const { sent, clientWith } = await startDemo(t, { DPOP_NONCES: 'true' });
  const time = { aheadMs: -70_000 };
  const clock: Clock = { ...defaultClock, now: () => Date.now() + time.aheadMs };
  // Simulates a nonce that is too old when the token is used.
  const old = { is: true };
  const client = clientWith({ clock }, (path, answer) => {
    const headers = new Headers(answer.headers);
    if (old.is && path === '/oauth2/token' && answer.ok) headers.set('dpop-nonce', 'expired nonce');
    return new Response(answer.body, { status: answer.status, headers });
  });
  assert.equal((await client.send({ citizenId: 'demo-mary', message: 'Hello' })).status, 'accepted');
  const ofSend = sent.filter(({ path }) => path === '/v1/notifications/send');
  assert.deepEqual(
    ofSend.map(({ status }) => status),
    [401, 202],
  );
  assert.equal(new Set(ofSend.map(({ headers }) => headers.get('idempotency-key'))).size, 1);
  old.is = false;
  sent.length = 0;
  time.aheadMs += 65_000;
  await client.deposit(new Blob(['PERMIT']).stream(), about);
  assert.deepEqual(
    sent.map(({ path, status }) => [path, status]),
    [
      ['/oauth2/token', 200],
      ['/v1/documents', 201],
    ],
  );
});

test("a wrong clock is reported with the server's message, and a token without a binding is not used", async (t) => {
  const { sent, clientWith } = await startDemo(t, {});
  const late: Clock = { ...defaultClock, now: () => Date.now() - 45_000 };
  assert.equal((await clientWith({ clock: late }).verify(mary)).decision, 'match');
  const tooLate: Clock = { ...defaultClock, now: () => Date.now() - 120_000 };
  await assert.rejects(clientWith({ clock: tooLate }).verify(mary), {
    name: 'TokenError',
    message: /the clock of this server/,
  });
  sent.length = 0;
  const bearer = clientWith({}, () => Response.json({ access_token: 'x', token_type: 'Bearer', expires_in: 600 }));
  await assert.rejects(bearer.verify(mary), { name: 'TokenError', error: 'wrong token_type' });
  assert.deepEqual(
    sent.map(({ path }) => path),
    ['/oauth2/token'],
  );
});

test('a refused proof is not repeated', async (t) => {
  const { home, sent, clientWith } = await startDemo(t, {});
  // The client uses another host name than the server, so its proofs have the wrong address.
  const client = clientWith({
    fetch: async (address, init) => {
      const url = String(address).replace('localhost', '127.0.0.1');
      const answer = await fetch(url, init);
      sent.push({ path: new URL(url).pathname, status: answer.status, headers: new Headers(init?.headers) });
      return answer;
    },
    baseUrl: home.url.replace('127.0.0.1', 'localhost'),
  });
  const fault = await client.verify(mary).catch((error: unknown) => error);
  assert.ok(fault instanceof Error && !(fault instanceof ProblemError));
  assert.match(fault.message, /invalid_dpop_proof.*htu/);
  assert.equal(sent.length, 1);
});
