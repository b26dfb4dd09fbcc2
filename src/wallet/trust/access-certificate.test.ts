import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { compactVerify } from 'jose/jws/compact/verify';
import { keyPemOf, makeTestIssuer, type TestIssuer } from '../../../test/support/credential-issuers.ts';
import { makeTestFolder } from '../../../test/support/test-folder.ts';
import { readAccessCertificate } from './access-certificate.ts';
import { parseIssuerCertificate } from './issuer-certificate.ts';

const now = Date.parse('2026-06-15T00:00:00Z');
let [root, middle, leaf]: TestIssuer[] = [];
before(async () => {
  root = await makeTestIssuer('Root', { ca: true });
  middle = await makeTestIssuer('Middle', { ca: true, issuer: root });
  leaf = await makeTestIssuer('Leaf', { issuer: middle, to: '2026-08-01' });
});

function read(certificates: readonly (TestIssuer | undefined)[], key: string, at = now) {
  const folder = makeTestFolder('cs-access-');
  const [certificateFile, keyFile] = [join(folder, 'chain.pem'), join(folder, 'key.pem')];
  writeFileSync(certificateFile, certificates.map((one) => one?.pem ?? '').join(''));
  writeFileSync(keyFile, key);
  return readAccessCertificate(certificateFile, keyFile, at);
}

test('a request is signed with the leaf, and its chain leaves out the root', async () => {
  assert.ok(root && middle && leaf);
  const certificate = read([leaf, middle, root], await keyPemOf(leaf));
  const expected = [leaf, middle].map(({ der }) => der.toString('base64'));
  assert.deepEqual(certificate.chain, expected);
  assert.equal(certificate.hash, createHash('sha256').update(leaf.der).digest('base64url'));
  assert.equal(certificate.expiresAt, Date.parse('2026-08-01T00:00:00Z'));
  const jws = await certificate.sign({ nonce: 'n' }, { typ: 'oauth-authz-req+jwt' });
  assert.deepEqual(decodeProtectedHeader(jws), { alg: 'ES256', typ: 'oauth-authz-req+jwt', x5c: expected });
  const { payload } = await compactVerify(jws, parseIssuerCertificate(leaf.der).x509.publicKey);
  assert.deepEqual(JSON.parse(Buffer.from(payload).toString('utf8')), { nonce: 'n' });
});

test('a self-signed, future or unordered certificate, and a key that does not fit, are refused without the key in the message', async () => {
  assert.ok(root && middle && leaf);
  const key = await keyPemOf(leaf);
  const { privateKey: otherCurve } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const ofP384 = otherCurve.export({ format: 'pem', type: 'pkcs8' }).toString();
  const refused: readonly (readonly [() => unknown, string])[] = [
    [() => read([root], key), 'WALLET_CERTIFICATE_FILE: expected a leaf that a CA has issued'],
    [
      () => read([leaf], key, Date.parse('2025-12-31T00:00:00Z')),
      'valid now, received one with the dates 2026-01-01 to 2026-08-01',
    ],
    [() => read([leaf, root], key), 'after each certificate that of its issuer'],
    [() => read([middle, leaf], key), 'after each certificate that of its issuer'],
    [() => read([undefined], key), 'a PEM file with the leaf and the CA certificates after it'],
    [() => read([middle, root], key), 'WALLET_CERTIFICATE_KEY_FILE: expected the key of the first certificate'],
    [() => read([leaf], ofP384), 'curve P-256, received a key of another type'],
    [() => read([leaf], 'no key'), 'curve P-256, received another content'],
  ];
  for (const [make, message] of refused) {
    assert.throws(
      make,
      (fault) => fault instanceof Error && fault.name === 'SettingError' && fault.message.includes(message),
    );
    assert.throws(make, (fault) => fault instanceof Error && !fault.message.includes(key.slice(40, 60)));
  }
});
