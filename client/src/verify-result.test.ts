import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { verifyResult } from './verify-result.ts';

const now = Date.UTC(2026, 10, 20, 9);
const [issuer, clientId] = ['https://api.example.gov', 'tax'];
const payload: JWTPayload = {
  iss: issuer,
  aud: clientId,
  iat: now / 1_000,
  exp: now / 1_000 + 300,
  jti: 'ver_1',
  decision: 'no_match',
  policy: 'standard-2026-1',
  request_hash: 'sha-256:x',
  nonce: 'n-1',
};
const typ = 'identity-verification+jwt';

let privateKey: CryptoKey;
let published: JWK & { readonly citizen_services_use: string };

before(async () => {
  const pair = await generateKeyPair('ES256');
  privateKey = pair.privateKey;
  published = { ...(await exportJWK(pair.publicKey)), kid: 'one', citizen_services_use: 'result' };
});

/** Signs with the published key. */
function sign(members: JWTPayload, type: string = typ): Promise<string> {
  return new SignJWT(members).setProtectedHeader({ alg: 'ES256', typ: type, kid: 'one' }).sign(privateKey);
}

const verify = (token: string, keys: readonly JWK[] = [published]) =>
  verifyResult(token, { issuer, clientId, jwks: { keys: [...keys] }, now });

test('a signed result of another type, without a required member or after its expiry is refused', async () => {
  assert.deepEqual(await verify(await sign(payload)), payload);
  const wrong = { name: 'ResultError', code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' };
  await assert.rejects(verify(await sign(payload, 'at+jwt')), wrong);
  for (const name of ['iss', 'aud', 'iat', 'exp', 'jti', 'decision']) {
    const { [name]: _removed, ...rest } = payload;
    await assert.rejects(verify(await sign(rest)), wrong, name);
  }
  await assert.rejects(verify(await sign({ ...payload, exp: now / 1_000 })), { code: 'ERR_JWT_EXPIRED' });
});

test('a key that is published for another use verifies no result', async () => {
  const token = await sign(payload);
  for (const use of ['token', undefined]) {
    await assert.rejects(verify(token, [{ ...published, citizen_services_use: use } as JWK]), {
      code: 'ERR_JWKS_NO_MATCHING_KEY',
    });
  }
});

test('a result without a signature, or signed with a shared secret, is refused', async () => {
  const encoded = [{ alg: 'none', typ }, payload].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  await assert.rejects(verify(`${encoded.join('.')}.`), { name: 'ResultError' });
  const secret = new TextEncoder().encode(JSON.stringify(published));
  const shared = await new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ, kid: 'one' }).sign(secret);
  await assert.rejects(verify(shared), { name: 'ResultError', code: 'ERR_JOSE_ALG_NOT_ALLOWED' });
  await assert.rejects(verify('no token'), { name: 'ResultError' });
});
