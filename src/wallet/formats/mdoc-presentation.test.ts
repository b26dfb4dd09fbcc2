import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { testDataPath, testDataSkipReason } from '../../../test/support/test-data.ts';
import {
  createCredentialParties,
  expectedPresentation,
  type MdocChanges,
  pidElements,
  presentMdoc,
} from '../../../test/support/wallet-credentials.ts';
import type { FailureReason } from '../failure-reason.ts';
import { decodeCbor, encodeCbor, mapIn } from './cbor.ts';
import { checkIssuerSigned } from './issuer-signed.ts';
import { checkMdocPresentation } from './mdoc-presentation.ts';
import { sessionTranscriptOf } from './session-transcript.ts';

const parties = await createCredentialParties();
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const readVectors = (name: string) => {
  const path = testDataPath(`vectors/wallet/${name}`);
  return path === undefined ? undefined : JSON.parse(readFileSync(path, 'utf8'));
};

test('the session transcript is the printed one of OpenID4VP, byte for byte', (context) => {
  const vectors = readVectors('openid4vp.json');
  if (vectors === undefined) return context.skip(testDataSkipReason);
  const { clientId, nonce, responseUri, handoverInfoHex, sessionTranscriptHex } = vectors.handover;
  // The thumbprint is a part of the printed bytes; encrypted-response.test.ts computes it from the key.
  const encryptionKeyThumbprint = listIn(decodeCbor(Buffer.from(handoverInfoHex, 'hex')))[2];
  assert.ok(encryptionKeyThumbprint instanceof Uint8Array);
  const transcript = sessionTranscriptOf({ clientId, nonce, responseUri, encryptionKeyThumbprint });
  assert.equal(Buffer.from(encodeCbor(transcript)).toString('hex'), sessionTranscriptHex);
});

test('the data of five real issuers has a valid signature and digests, until its validity ends', (context) => {
  const vectors = readVectors('mdoc.json');
  if (vectors === undefined) return context.skip(testDataSkipReason);
  assert.equal(vectors.length, 5);
  for (const { name, kind, value, encoding, verifyAt, certificates } of vectors) {
    const decoded = mapIn(decodeCbor(Buffer.from(value, encoding)));
    const document = kind === 'issuerSigned' ? decoded : mapIn(listIn(decoded.get('documents'))[0]);
    const signed = kind === 'issuerSigned' ? document : document.get('issuerSigned');
    const credential = checkIssuerSigned(signed, Date.parse(verifyAt));
    assert.ok(Object.keys(credential.attributes).length > 0, name);
    const leaf = new X509Certificate(credential.certificates[0] ?? '');
    assert.ok(
      certificates
        .map((pem: string) => new X509Certificate(pem))
        .some((one: X509Certificate) => leaf.checkIssued(one) || leaf.raw.equals(one.raw)),
      name,
    );
    assert.throws(() => checkIssuerSigned(signed, Date.parse('2040-01-01')), { reason: 'credential-expired' });
  }
});

test('the documents of the EUDI reference issuer have valid signatures and digests', (context) => {
  const vectors = readVectors('eudi-verifier.json');
  if (vectors === undefined) return context.skip(testDataSkipReason);
  const documentsIn = (text: string) => listIn(mapIn(decodeCbor(Buffer.from(text, 'base64url'))).get('documents'));
  const read = (document: unknown, now: string) =>
    checkIssuerSigned(mapIn(document).get('issuerSigned'), Date.parse(now));
  const both = documentsIn(vectors['06-pidPlusMdl-vpToken'].eu_europa_ec_eudi_pid_1[0]);
  assert.deepEqual(
    both.map((document) => read(document, '2026-01-01').attributes),
    [{ 'eu.europa.ec.eudi.pid.1': { family_name: 'Neal' } }, { 'org.iso.18013.5.1': { family_name: 'Georgiou' } }],
  );
  const [licence] = documentsIn(vectors['08-mdl-vpToken'].query_0[0]);
  const { status } = read(licence, '2025-12-20');
  assert.ok(typeof status === 'object');
  assert.equal(status.index, 3971);
});

test('a PID of a real wallet is valid in its session, and its device signature in no other session', async (context) => {
  const vectors = readVectors('mdoc.json');
  if (vectors === undefined) return context.skip(testDataSkipReason);
  const { value, verifyAt, transcript } = vectors.find((one: { readonly name: string }) => one.name === 'animo');
  const { jwkThumbprintHex, ...session } = transcript;
  const encryptionKeyThumbprint = Buffer.from(jwkThumbprintHex, 'hex');
  const expected = { ...session, encryptionKeyThumbprint, now: Date.parse(verifyAt) };
  const { type, attributes } = await checkMdocPresentation(value, expected);
  assert.equal(type, 'eu.europa.ec.eudi.pid.1');
  assert.deepEqual(attributes, { [type]: { given_name: 'Erika', family_name: 'Mustermann' } });
  const others = [
    { nonce: 'other' },
    { clientId: 'other' },
    { responseUri: 'other' },
    { encryptionKeyThumbprint: Buffer.alloc(32) },
  ];
  for (const other of others) {
    await assert.rejects(checkMdocPresentation(value, { ...expected, ...other }), {
      reason: 'holder-binding-signature',
    });
  }
});

test('a valid device response has type, elements, certificate and status of its document', async () => {
  const status = new Map([
    [
      'status_list',
      new Map<string, unknown>([
        ['uri', 'https://status.example.gov/1'],
        ['idx', 5],
      ]),
    ],
  ]);
  const text = presentMdoc(parties, { securityObject: [['status', status]], algorithm: -9 });
  const credential = await checkMdocPresentation(text, expectedPresentation);
  const elements = { ...Object.fromEntries(pidElements), place_of_birth: { locality: 'Berlin' } };
  assert.deepEqual(credential, {
    format: 'mso_mdoc',
    type: 'eu.europa.ec.eudi.pid.1',
    attributes: { 'eu.europa.ec.eudi.pid.1': elements },
    certificates: [new Uint8Array(parties.certificate)],
    status: { uri: 'https://status.example.gov/1', index: 5 },
  });
});

const item = (digestID: number, name: string) =>
  encodeCbor(
    new Map<string, unknown>([
      ['digestID', digestID],
      ['random', Buffer.alloc(16)],
      ['elementIdentifier', name],
      ['elementValue', 'Eve'],
    ]),
  );
const validity = (from: string, until: string): MdocChanges => ({
  securityObject: [
    [
      'validityInfo',
      new Map([
        ['validFrom', from],
        ['validUntil', until],
      ]),
    ],
  ],
});
const [x, y] = [parties.holderJwk.x, parties.holderJwk.y].map((coordinate) => Buffer.from(coordinate, 'base64url'));
const otherCurveKey = new Map([
  [
    'deviceKey',
    new Map<number, unknown>([
      [1, 2],
      [-1, 2],
      [-2, x],
      [-3, y],
    ]),
  ],
]);
const deviceAuth = (members: ReadonlyMap<string, unknown>): MdocChanges => ({
  document: [
    [
      'deviceSigned',
      new Map([
        ['nameSpaces', members],
        ['deviceAuth', members],
      ]),
    ],
  ],
});
const refused: readonly (readonly [FailureReason, string, MdocChanges])[] = [
  ['credential-signature', 'another key of the issuer', { issuerKey: otherKey }],
  ['credential-signature', 'an algorithm that we did not announce', { algorithm: -35 }],
  ['issuer-not-trusted', 'no certificate', { unprotected: new Map() }],
  [
    'credential-malformed',
    'too many certificates',
    { unprotected: new Map([[33, Array(6).fill(parties.certificate)]]) },
  ],
  ['credential-malformed', 'another document type outside of the signature', { document: [['docType', 'other']] }],
  ['credential-malformed', 'no document', { response: [['documents', []]] }],
  ['credential-malformed', 'another version', { response: [['version', '2.0']] }],
  ['credential-malformed', 'an error status', { response: [['status', 10]] }],
  ['credential-malformed', 'an unknown digest algorithm', { securityObject: [['digestAlgorithm', 'MD5']] }],
  ['credential-malformed', 'a validity that is no time', validity('yesterday', 'tomorrow')],
  ['credential-expired', 'a validity that ended', validity('2025-01-01T00:00:00Z', '2026-06-01T11:58:59Z')],
  ['credential-expired', 'a validity that begins later', validity('2026-06-01T12:01:01Z', '2027-01-01T00:00:00Z')],
  ['digest-mismatch', 'a changed element', { items: (items) => [item(0, 'given_name'), ...items.slice(1)] }],
  ['digest-mismatch', 'an element without a digest', { items: (items) => [...items, item(99, 'email_address')] }],
  ['digest-mismatch', 'a namespace without digests', { securityObject: [['valueDigests', new Map()]] }],
  ['disclosure-invalid', 'an element twice', { items: (items) => [...items, ...items.slice(0, 1)] }],
  ['credential-malformed', 'a device key on another curve', { securityObject: [['deviceKeyInfo', otherCurveKey]] }],
  ['holder-binding-missing', 'no key of the device', { securityObject: [['deviceKeyInfo', new Map()]] }],
  ['holder-binding-missing', 'a device code (MAC) in place of a signature', deviceAuth(new Map([['deviceMac', []]]))],
  ['holder-binding-signature', 'another key of the device', { holderKey: otherKey }],
  ['holder-binding-signature', 'the nonce of another request', { session: { nonce: 'other' } }],
];
for (const [reason, title, changes] of refused) {
  test(`a device response with ${title} fails with ${reason}`, async () => {
    await assert.rejects(checkMdocPresentation(presentMdoc(parties, changes), expectedPresentation), { reason });
  });
}

test('a document with a status of another kind than a status list has an unsupported status', async () => {
  const changes = { securityObject: [['status', new Map([['identifier_list', new Map()]])]] } as const;
  const credential = await checkMdocPresentation(presentMdoc(parties, changes), expectedPresentation);
  assert.equal(credential.status, 'unsupported');
});

test('a device response in another base64 than base64url without padding is refused', async () => {
  for (const text of [`${presentMdoc(parties)}=`, `${presentMdoc(parties)}\n`])
    await assert.rejects(checkMdocPresentation(text, expectedPresentation), { reason: 'credential-malformed' });
});

test('a device response with two documents is refused, because each has its own session', async () => {
  const response = mapIn(decodeCbor(Buffer.from(presentMdoc(parties), 'base64url')));
  const documents = listIn(response.get('documents'));
  const two = encodeCbor(new Map([...response, ['documents', [...documents, ...documents]]]));
  const text = Buffer.from(two).toString('base64url');
  await assert.rejects(checkMdocPresentation(text, expectedPresentation), { reason: 'credential-malformed' });
});
