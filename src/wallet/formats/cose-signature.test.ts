import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { encodeCbor } from './cbor.ts';
import { isCoseSignatureValid, readCoseSign1 } from './cose-signature.ts';

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const payload = Buffer.from('payload');

function isValidWith(header: ReadonlyMap<unknown, unknown>, { publicKey, privateKey }: typeof p256): boolean {
  const protectedHeader = encodeCbor(header);
  const signed = encodeCbor(['Signature1', protectedHeader, new Uint8Array(), payload]);
  const signature = sign('sha256', signed, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return isCoseSignatureValid(readCoseSign1([protectedHeader, new Map(), null, signature]), payload, publicKey);
}

test('a COSE signature is valid with ES256 or ESP256 on P-256, and without critical headers', () => {
  assert.equal(isValidWith(new Map([[1, -7]]), p256), true);
  assert.equal(isValidWith(new Map([[1, -9]]), p256), true);
  assert.equal(isValidWith(new Map(), p256), false);
  assert.equal(isValidWith(new Map([[1, -7]]), p384), false);
  assert.equal(
    isValidWith(
      new Map<unknown, unknown>([
        [1, -7],
        [2, [99]],
        [99, 1],
      ]),
      p256,
    ),
    false,
  );
});
