import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { parseClientKeys } from '../../src/auth/client-keys.ts';
import { engines } from '../support/database-engines.ts';
import { addKeyClient, assertionForm, publicUrl, signClientAssertion, startTokenServer } from '../support/token-app.ts';

const foreignAudience = `aud of the client_assertion must be the issuer ${publicUrl}, as a string`;
const notSigned =
  'no registered key of the client in sub signed the client_assertion; check sub, kid and the registered keys';

for (const engine of engines) {
  test(`[R44] ${engine.name}: an assertion gets one token, and is refused when it is used again or concurrently`, async (t) => {
    const served = await startTokenServer(t, engine);
    const { clientId, privateKey } = await addKeyClient(served);
    const assertion = await signClientAssertion(served, clientId, privateKey);
    const answers = await Promise.all([1, 2, 3].map(() => served.ask(assertionForm(assertion))));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
    const again = await served.ask(assertionForm(assertion));
    assert.deepEqual(again.body, {
      error: 'invalid_client',
      error_description: 'this client_assertion was used before; create a new one for each request',
    });
    assert.equal(
      (await served.ask(assertionForm(await signClientAssertion(served, clientId, privateKey)))).status,
      200,
    );
    assert.deepEqual(served.reportedErrors, []);
  });
}

test('[R44] [R48] an assertion with another audience, a long life or a wrong clock is refused with the reason', async (t) => {
  const served = await startTokenServer(t);
  const { clientId, privateKey } = await addKeyClient(served);
  const now = served.clock.at / 1_000;
  const cases: ReadonlyArray<readonly [Record<string, unknown>, string]> = [
    [{ aud: `${publicUrl}/oauth2/token` }, foreignAudience],
    [{ aud: `${publicUrl}/` }, foreignAudience],
    [{ aud: [publicUrl] }, foreignAudience],
    [{ exp: now + 86_400 }, 'a client_assertion may be valid for at most 300 s'],
    [{ exp: now - 3_600, iat: now - 3_660 }, 'the client_assertion expired 3600 s ago by the clock of this server'],
    [{ iat: now + 61 }, 'iat of the client_assertion is 61 s ahead of the clock of this server'],
    [{ nbf: now + 61 }, 'nbf of the client_assertion is 61 s ahead of the clock of this server'],
    [{ exp: now + 60.5 }, 'exp of the client_assertion must be a whole number of seconds'],
    [{ aud: 'https://other.example.org' }, foreignAudience],
    [{ iss: 'somebody' }, 'iss of the client_assertion must be the client_id, like sub'],
    [{ jti: undefined }, 'jti is missing; send a new jti in each client_assertion'],
    [{ exp: undefined }, 'exp of the client_assertion must be a whole number of seconds'],
    [{ sub: '' }, 'sub of the client_assertion must be the client_id'],
    [{ sub: served.client.client.clientId }, notSigned],
    [{ sub: 'nobody', iss: 'nobody' }, notSigned],
  ];
  for (const [changes, description] of cases) {
    const answer = await served.ask(assertionForm(await signClientAssertion(served, clientId, privateKey, changes)));
    assert.deepEqual([answer.status, answer.body], [401, { error: 'invalid_client', error_description: description }]);
  }
  const good = await signClientAssertion(served, clientId, privateKey, { iat: now + 10, nbf: now + 10 });
  assert.equal((await served.ask(assertionForm(good))).status, 200);
});

for (const [span, apart] of [
  ['an hour', 3_600_000],
  ['a year', 365 * 86_400_000],
] as const) {
  test(`[R48] an assertion is checked by the clock of the installation while the machine clock is ${span} off`, async (t) => {
    for (const by of [apart, -apart]) {
      const served = await startTokenServer(t);
      served.clock.at += by;
      const { clientId, privateKey } = await addKeyClient(served);
      const assertion = await signClientAssertion(served, clientId, privateKey);
      assert.equal((await served.ask(assertionForm(assertion))).status, 200, `${by} ms`);
      assert.equal((await served.ask(assertionForm(assertion))).status, 401, 'used before');
      const late = await signClientAssertion(served, clientId, privateKey);
      served.clock.at += 91_000;
      assert.equal((await served.ask(assertionForm(late))).status, 401, 'expired');
    }
  });

  test(`a used assertion stays refused when the clock goes ${span} ahead or back and is corrected`, async (t) => {
    const served = await startTokenServer(t);
    const { clientId, privateKey } = await addKeyClient(served);
    const used = await signClientAssertion(served, clientId, privateKey);
    assert.equal((await served.ask(assertionForm(used))).status, 200);
    for (const by of [apart, -apart]) {
      served.clock.at += by;
      assert.equal((await served.ask(assertionForm(used))).status, 401);
      const other = await signClientAssertion(served, clientId, privateKey);
      assert.equal((await served.ask(assertionForm(other))).status, 200);
      served.clock.at -= by;
      assert.equal((await served.ask(assertionForm(used))).status, 401, `${by} ms`);
      assert.equal((await served.ask(assertionForm(other))).status, 401, 'not valid at this time');
    }
  });
}

test('[R43] [R46] assertions of each accepted key type are accepted, Ed25519 with both of its algorithm names', async (t) => {
  const served = await startTokenServer(t);
  const pairs = {
    ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    PS256: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
    EdDSA: generateKeyPairSync('ed25519'),
    Ed25519: generateKeyPairSync('ed25519'),
  };
  for (const [alg, pair] of Object.entries(pairs)) {
    const jwks = parseClientKeys(JSON.stringify({ keys: [{ ...pair.publicKey.export({ format: 'jwk' }), alg }] }));
    assert.ok('keys' in jwks);
    const credential = { by: 'keys', jwks } as const;
    const { client } = await served.addClient({ name: alg, kind: 'live', scopes: ['documents:read'], credential });
    const claims = {
      iss: client.clientId,
      sub: client.clientId,
      aud: publicUrl,
      exp: served.clock.at / 1_000 + 60,
      jti: alg,
    };
    const assertion = await new SignJWT(claims).setProtectedHeader({ alg }).sign(pair.privateKey);
    assert.equal((await served.ask(assertionForm(assertion))).status, 200, alg);
  }
});

test('an assertion signed by another key, with a shared secret or not at all is refused', async (t) => {
  const served = await startTokenServer(t);
  const { clientId } = await addKeyClient(served);
  const otherKey = generateKeyPairSync('ed25519').privateKey;
  const now = served.clock.at / 1_000;
  const claims = { iss: clientId, sub: clientId, aud: publicUrl, exp: now + 60, jti: 'x' };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const assertions = [
    await signClientAssertion(served, clientId, otherKey),
    await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32)),
    `${encode({ alg: 'none' })}.${encode(claims)}.`,
  ];
  for (const assertion of assertions) {
    const { status, body } = await served.ask(assertionForm(assertion));
    assert.deepEqual([status, body['error']], [401, 'invalid_client']);
  }
});
