import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CompactSign, decodeJwt } from 'jose';
import { testDataPath, testDataSkipReason } from '../../../test/support/test-data.ts';
import {
  createCredentialParties,
  expectedPresentation,
  pidSdJwtClaims,
  presentSdJwt,
  type SdJwtChanges,
} from '../../../test/support/wallet-credentials.ts';
import { sha256 } from '../../kernel/hashing.ts';
import type { FailureReason } from '../failure-reason.ts';
import { checkSdJwtPresentation, checkSdJwtSignedBy } from './sd-jwt-presentation.ts';

const parties = await createCredentialParties();
const nowSeconds = expectedPresentation.now / 1_000;
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const otherCurve = { ...p384, jwk: p384.publicKey.export({ format: 'jwk' }) };
const status = { status_list: { uri: 'https://status.example.gov/1', idx: 5 } };

test('the presentation of OpenID4VP is valid with its issuer key, for its audience, nonce and time', async (context) => {
  const path = testDataPath('vectors/wallet/sd-jwt-openid4vp.json');
  if (path === undefined) return context.skip(testDataSkipReason);
  const vector = JSON.parse(readFileSync(path, 'utf8'));
  const key = createPublicKey({ format: 'jwk', key: vector.issuerJwk });
  const expected = { ...expectedPresentation, clientId: vector.aud, nonce: vector.nonce, now: vector.now * 1_000 };
  const credential = await checkSdJwtSignedBy(key, vector.presentation, expected);
  assert.deepEqual(credential.attributes, vector.verifiedContents);
  assert.equal(credential.type, 'https://credentials.example.com/example_credential');
  await assert.rejects(checkSdJwtSignedBy(createPublicKey(otherKey), vector.presentation, expected), {
    reason: 'credential-signature',
  });
});

test('the sample health insurance card of the EUDI verifier has a valid issuer and no valid proof', async (context) => {
  const path = testDataPath('vectors/wallet/eudi-verifier.json');
  if (path === undefined) return context.skip(testDataSkipReason);
  const token: Record<string, string[]> = JSON.parse(readFileSync(path, 'utf8'))['07-ehicSdJwtVc-vpToken'];
  const text = Object.values(token)[0]?.[0] ?? '';
  const { iss } = decodeJwt(text.split('~', 1)[0] ?? '');
  const jwk = JSON.parse(Buffer.from(iss?.replace('did:jwk:', '') ?? '', 'base64url').toString());
  const session = { clientId: 'Sample Verifier Actor', nonce: '[B@3a4e524', now: 1_744_180_895_000 };
  const check = (key: KeyObject) => checkSdJwtSignedBy(key, text, { ...expectedPresentation, ...session });
  // The proof of the sample is not signed by the key in its credential.
  await assert.rejects(check(createPublicKey({ format: 'jwk', key: jwk })), { reason: 'holder-binding-signature' });
  await assert.rejects(check(createPublicKey(otherKey)), { reason: 'credential-signature' });
});

test('a valid presentation has type, claims, certificates and status of its credential', async () => {
  const credential = await checkSdJwtPresentation(presentSdJwt(parties, { payload: { status } }), expectedPresentation);
  const { attributes, ...rest } = credential;
  for (const [name, value] of Object.entries(pidSdJwtClaims)) assert.deepEqual(attributes[name], value);
  assert.deepEqual(rest, {
    format: 'dc+sd-jwt',
    type: 'urn:eudi:pid:1',
    certificates: [parties.certificate],
    status: { uri: 'https://status.example.gov/1', index: 5 },
  });
});

test('a status of another kind than a status list is unsupported', async () => {
  const payload = { status: { identifier_list: {} } };
  const credential = await checkSdJwtPresentation(presentSdJwt(parties, { payload }), expectedPresentation);
  assert.equal(credential.status, 'unsupported');
});

const accepted: readonly (readonly [string, SdJwtChanges])[] = [
  ['no disclosure', { disclosures: () => [], payload: {} }],
  ['a proof of five minutes ago', { proof: { iat: nowSeconds - 300 } }],
  ['a proof by a clock that is 60 seconds fast', { proof: { iat: nowSeconds + 60 } }],
  ['a credential that expired 59 seconds ago', { payload: { exp: nowSeconds - 59 } }],
  ['no expiry', { payload: { exp: undefined } }],
];
for (const [title, changes] of accepted) {
  test(`an SD-JWT presentation is accepted with ${title}`, async () => {
    const { type } = await checkSdJwtPresentation(presentSdJwt(parties, changes), expectedPresentation);
    assert.equal(type, 'urn:eudi:pid:1');
  });
}

const changedDisclosure = (texts: readonly string[]) => [
  Buffer.from(JSON.stringify(['salt', 'given_name', 'Eve'])).toString('base64url'),
  ...texts.slice(1),
];
const refused: readonly (readonly [FailureReason, string, SdJwtChanges])[] = [
  ['credential-signature', 'another key of the issuer', { issuerKey: otherKey }],
  ['credential-signature', 'another type of JWT', { header: { typ: 'vc+sd-jwt' } }],
  ['credential-signature', 'the algorithm none', { header: { alg: 'none' } }],
  ['credential-signature', 'an unknown critical header', { header: { crit: ['x'], x: 1 } }],
  ['issuer-not-trusted', 'no certificate', { header: { x5c: undefined } }],
  ['credential-malformed', 'a certificate that is no certificate', { header: { x5c: ['AAAA'] } }],
  ['credential-malformed', 'certificates that are no list', { header: { x5c: 'AAAA' } }],
  ['credential-malformed', 'no type', { payload: { vct: undefined } }],
  ['credential-malformed', 'an expiry that is text', { payload: { exp: '2030-01-01' } }],
  ['credential-expired', 'an expiry 60 seconds ago', { payload: { exp: nowSeconds - 60 } }],
  ['credential-expired', 'a validity that begins in 61 seconds', { payload: { nbf: nowSeconds + 61 } }],
  ['credential-expired', 'an issue time in 61 seconds', { payload: { iat: nowSeconds + 61 } }],
  ...[
    { uri: 'https://status.example.gov/1', idx: -1 },
    { uri: 'https://status.example.gov/1', idx: 1.5 },
    { uri: 'https://status.example.gov/1' },
    { uri: 'no URI', idx: 1 },
    { uri: `https://status.example.gov/${'a'.repeat(2_048)}`, idx: 1 },
  ].map((entry) => {
    const title = `the status ${JSON.stringify(entry).slice(0, 60)}`;
    return ['credential-malformed', title, { payload: { status: { status_list: entry } } }] as const;
  }),
  ['disclosure-invalid', 'a changed disclosure', { disclosures: changedDisclosure }],
  ['disclosure-invalid', 'a foreign disclosure', { disclosures: (texts) => [...texts, 'WyJhIiwiYiIsMV0'] }],
  ['holder-binding-missing', 'no key of the holder', { payload: { cnf: undefined } }],
  ['holder-binding-missing', 'only the id of a key', { payload: { cnf: { kid: 'key' } } }],
  ['credential-malformed', 'a key on another curve', { payload: { cnf: { jwk: otherCurve.jwk } } }],
  [
    'credential-malformed',
    'a key that is not on the curve',
    { payload: { cnf: { jwk: { ...parties.holderJwk, x: 'AAAA' } } } },
  ],
  ['holder-binding-signature', 'another key of the holder', { holderKey: otherKey }],
  ['holder-binding-signature', 'another type of proof', { proofHeader: { typ: 'JWT' } }],
  ['holder-binding-signature', 'another algorithm of the proof', { proofHeader: { alg: 'ES384' } }],
  ['nonce-mismatch', 'the nonce of another request', { proof: { nonce: 'other' } }],
  [
    'audience-mismatch',
    'the client id without its prefix',
    { proof: { aud: expectedPresentation.clientId.slice(10) } },
  ],
  ['audience-mismatch', 'a list of audiences', { proof: { aud: [expectedPresentation.clientId] } }],
  ['digest-mismatch', 'the hash of other disclosures', { proof: { sd_hash: 'AAAA' } }],
  ['holder-binding-time', 'a proof that is older than five minutes', { proof: { iat: nowSeconds - 301 } }],
  ['holder-binding-time', 'a proof of the future', { proof: { iat: nowSeconds + 61 } }],
  ['holder-binding-time', 'a proof without time', { proof: { iat: undefined } }],
];
for (const [reason, title, changes] of refused) {
  test(`an SD-JWT presentation with ${title} fails with ${reason}`, async () => {
    await assert.rejects(checkSdJwtPresentation(presentSdJwt(parties, changes), expectedPresentation), { reason });
  });
}

test('an issuer with ES384, which a request does not announce, fails with credential-signature', async () => {
  const signer = new CompactSign(Buffer.from('{}')).setProtectedHeader({ alg: 'ES384', typ: 'dc+sd-jwt' });
  const presentation = `${await signer.sign(otherCurve.privateKey)}~`;
  await assert.rejects(checkSdJwtSignedBy(otherCurve.publicKey, presentation, expectedPresentation), {
    reason: 'credential-signature',
  });
});

test('an SD-JWT presentation without a proof, or without one of its disclosures, is refused', async () => {
  const [jwt = '', ...parts] = presentSdJwt(parties).split('~');
  const check = (text: string) => checkSdJwtPresentation(text, expectedPresentation);
  await assert.rejects(check(jwt), { reason: 'holder-binding-missing' });
  await assert.rejects(check([jwt, ...parts.slice(0, -1), ''].join('~')), { reason: 'holder-binding-missing' });
  await assert.rejects(check([jwt, ...parts.slice(1)].join('~')), { reason: 'digest-mismatch' });
});

test('claims that decide on the validity must not be selectively disclosable', async () => {
  const text = Buffer.from(JSON.stringify(['salt', 'exp', nowSeconds + 60])).toString('base64url');
  const payload = { exp: undefined, _sd: [sha256(Buffer.from(text)).toString('base64url')] };
  const presentation = presentSdJwt(parties, { payload, disclosures: () => [text] });
  await assert.rejects(checkSdJwtPresentation(presentation, expectedPresentation), { reason: 'disclosure-invalid' });
});
