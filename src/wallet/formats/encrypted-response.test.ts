import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CompactEncrypt, importJWK, type JWK } from 'jose';
import { testDataPath, testDataSkipReason } from '../../../test/support/test-data.ts';
import { createResponseKey, decryptResponse, publicResponseKey, thumbprintOf } from './encrypted-response.ts';

test('the encrypted response of OpenID4VP decrypts, and the thumbprint of its key is the printed one', async (context) => {
  const path = testDataPath('vectors/wallet/openid4vp.json');
  if (path === undefined) return context.skip(testDataSkipReason);
  const { handover, encryptedResponse } = JSON.parse(readFileSync(path, 'utf8'));
  const { jwe, privateJwk, payload } = encryptedResponse;
  assert.deepEqual(await decryptResponse(jwe, privateJwk), {
    presentations: new Map(Object.entries(payload.vp_token)),
  });
  const thumbprint = Buffer.from(await thumbprintOf(handover.jwk)).toString('hex');
  assert.ok(handover.handoverInfoHex.includes(`5820${thumbprint}`));
});

type Encryption = { readonly enc?: string; readonly alg?: string; readonly text?: string; readonly zip?: string };

async function encryptResponse(
  publicJwk: JWK,
  payload: unknown,
  { enc = 'A256GCM', alg = 'ECDH-ES', text, ...compression }: Encryption = {},
) {
  const plaintext = Buffer.from(text ?? JSON.stringify(payload));
  const key = await importJWK({ ...publicJwk, alg }, alg);
  return new CompactEncrypt(plaintext).setProtectedHeader({ alg, enc, ...compression }).encrypt(key);
}

test('a response for a new key has its presentations and state, with both encryptions', async () => {
  const privateJwk = await createResponseKey();
  const publicJwk = publicResponseKey(privateJwk);
  assert.deepEqual(Object.keys(publicJwk).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  for (const enc of ['A128GCM', 'A256GCM']) {
    const jwe = await encryptResponse(publicJwk, { vp_token: { pid: ['text'] }, state: 's' }, { enc });
    assert.deepEqual(await decryptResponse(jwe, privateJwk), {
      state: 's',
      presentations: new Map([['pid', ['text']]]),
    });
  }
  const refusal = await encryptResponse(publicJwk, { error: 'access_denied', state: 's' });
  assert.deepEqual(await decryptResponse(refusal, privateJwk), { state: 's', error: 'access_denied' });
});

test('a response with another key, algorithm or encryption, or with compression, fails with response-undecryptable', async () => {
  const privateJwk = await createResponseKey();
  const publicJwk = publicResponseKey(privateJwk);
  const other = publicResponseKey(await createResponseKey());
  const payload = { vp_token: { pid: ['text'] } };
  const jwes = [
    await encryptResponse(other, payload),
    await encryptResponse(publicJwk, payload, { enc: 'A128CBC-HS256' }),
    await encryptResponse(publicJwk, payload, { alg: 'ECDH-ES+A256KW' }),
    await encryptResponse(publicJwk, payload, { zip: 'DEF' }),
    'a.b.c.d.e',
    '',
  ];
  for (const jwe of jwes) await assert.rejects(decryptResponse(jwe, privateJwk), { reason: 'response-undecryptable' });
});

test('a response of another form fails with response-malformed', async () => {
  const privateJwk = await createResponseKey();
  const publicJwk = publicResponseKey(privateJwk);
  const texts = [
    'no JSON',
    '[]',
    '{}',
    '{"vp_token":[]}',
    '{"vp_token":{"pid":"text"}}',
    '{"vp_token":{"pid":[]}}',
    '{"vp_token":{"pid":[{}]}}',
    '{"vp_token":{},"state":1}',
  ];
  for (const text of texts) {
    const jwe = await encryptResponse(publicJwk, undefined, { text });
    await assert.rejects(decryptResponse(jwe, privateJwk), { reason: 'response-malformed' }, text);
  }
});
