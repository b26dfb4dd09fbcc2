import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calculateJwkThumbprint, compactVerify, importJWK } from 'jose';
import { newSigningSeed, signBytes, signingKeyFromSeed, signingUses, signJws } from './signing-key.ts';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const counting = () => {
  let next = 1;
  return (length: number) => new Uint8Array(length).fill(next++);
};

test('the Ed25519 key of a seed is that of RFC 8032, section 7.1, test 1', () => {
  const key = signingKeyFromSeed(
    'checkpoint',
    bytes('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'),
  );
  assert.equal(
    key.publicJwk.x,
    Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex').toString('base64url'),
  );
  assert.equal(
    signBytes(key, new Uint8Array(0)).toString('hex'),
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  );
});

test('the P-256 key of a scalar is that of RFC 6979, section A.2.5', () => {
  const key = signingKeyFromSeed(
    'access-token',
    bytes('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721'),
  );
  const hex = (part: string | undefined) => Buffer.from(part ?? '', 'base64url').toString('hex');
  assert.equal(key.publicJwk.kty, 'EC');
  assert.equal(hex(key.publicJwk.x), '60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6');
  assert.equal(
    hex(key.publicJwk.kty === 'EC' ? key.publicJwk.y : ''),
    '7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299',
  );
});

test('bytes that are not a P-256 scalar are skipped for a new key, and rejected for a loaded key', () => {
  const order = bytes('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
  const good = new Uint8Array(32).fill(7);
  const given = [new Uint8Array(32), order, good];
  assert.equal(
    newSigningSeed('result', () => given.shift() ?? good),
    good,
  );
  assert.throws(() => signingKeyFromSeed('result', order), /expected a private scalar of P-256/);
  assert.throws(() => signingKeyFromSeed('result', new Uint8Array(32)), /expected a private scalar of P-256/);
  assert.throws(() => signingKeyFromSeed('checkpoint', new Uint8Array(31)), /has 32 bytes, not 31/);
});

test('jose verifies the signature of each use and computes the same thumbprint', async () => {
  const random = counting();
  for (const use of signingUses) {
    const key = signingKeyFromSeed(use, newSigningSeed(use, random));
    assert.equal(key.kid, await calculateJwkThumbprint(key.publicJwk));
    const jws = signJws(key, 'test+jwt', { sub: 'zoë' });
    const read = await compactVerify(jws, await importJWK(key.publicJwk), { algorithms: [key.alg] });
    assert.deepEqual(read.protectedHeader, { alg: key.alg, typ: 'test+jwt', kid: key.kid });
    assert.deepEqual(JSON.parse(Buffer.from(read.payload).toString()), { sub: 'zoë' });
  }
});

test('published keys contain no private part', () => {
  const key = signingKeyFromSeed('evidence', new Uint8Array(32).fill(9));
  assert.deepEqual(Object.keys(key.publicJwk).sort(), [
    'alg',
    'citizen_services_use',
    'crv',
    'kid',
    'kty',
    'use',
    'x',
    'y',
  ]);
});
