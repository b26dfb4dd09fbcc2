import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { makeTestIssuer, type TestIssuer } from '../../../test/support/credential-issuers.ts';
import { testDataPath, testDataSkipReason } from '../../../test/support/test-data.ts';
import { findChainAnchor } from './certificate-chain.ts';
import { parseIssuerCertificate, parseIssuerCertificates } from './issuer-certificate.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const mdocPath = testDataPath('vectors/wallet/mdoc.json');

/** The name of the anchor that is found. */
function anchorOf(chain: readonly TestIssuer[], anchors: readonly TestIssuer[], at = now): string | undefined {
  const [certificates, trusted] = [chain, anchors].map((list) => list.map(({ der }) => parseIssuerCertificate(der)));
  return findChainAnchor(certificates ?? [], trusted ?? [], at)?.x509.subject;
}

let root: TestIssuer;
let other: TestIssuer;
let middle: TestIssuer;
let leaf: TestIssuer;
before(async () => {
  [root, other] = [await makeTestIssuer('Root', { ca: true }), await makeTestIssuer('Root', { ca: true })];
  middle = await makeTestIssuer('Middle', { ca: true, issuer: root });
  leaf = await makeTestIssuer('Leaf', { issuer: middle });
});

test('a chain ends at its root, at an intermediate CA that is an anchor, or at a leaf that is an anchor', () => {
  assert.equal(anchorOf([leaf, middle], [other, root]), 'CN=Root');
  assert.equal(anchorOf([leaf, middle, root], [root]), 'CN=Root');
  assert.equal(anchorOf([leaf], [middle]), 'CN=Middle');
  assert.equal(anchorOf([leaf, middle], [middle]), 'CN=Middle');
  assert.equal(anchorOf([leaf], [leaf]), 'CN=Leaf');
});

test('a chain without an anchor is refused, although it contains its own root, or a root with the same name is trusted', () => {
  assert.equal(anchorOf([leaf, middle, root], []), undefined);
  assert.equal(anchorOf([leaf, middle, root], [other]), undefined);
  assert.equal(anchorOf([leaf], [root]), undefined);
  assert.equal(anchorOf([leaf, root, middle], [root]), undefined);
  assert.equal(anchorOf([], [root]), undefined);
});

test('each certificate must be valid at that time', async () => {
  assert.equal(anchorOf([leaf, middle], [root], Date.parse('2025-12-31T23:59:59Z')), undefined);
  assert.equal(anchorOf([leaf, middle], [root], Date.parse('2027-01-01T00:00:01Z')), undefined);
  const expired = await makeTestIssuer('Expired', { ca: true, issuer: root, to: '2026-05-31' });
  assert.equal(anchorOf([await makeTestIssuer('Leaf', { issuer: expired }), expired], [root]), undefined);
  const oldRoot = await makeTestIssuer('Old', { ca: true, to: '2026-05-31' });
  assert.equal(anchorOf([await makeTestIssuer('Leaf', { issuer: oldRoot })], [oldRoot]), undefined);
});

test('a certificate that is no CA, or whose path length is exceeded, issues nothing', async () => {
  const noCa = await makeTestIssuer('Leaf CA', { issuer: root });
  assert.equal(anchorOf([await makeTestIssuer('Leaf', { issuer: noCa }), noCa], [root]), undefined);
  assert.equal(anchorOf([await makeTestIssuer('Leaf', { issuer: noCa })], [noCa]), undefined);
  const isNoCa = await makeTestIssuer('No CA', { issuer: root, keyUsage: 0x86 });
  assert.equal(anchorOf([await makeTestIssuer('Leaf', { issuer: isNoCa }), isNoCa], [root]), undefined);
  const noSigner = await makeTestIssuer('No signer', { ca: true, issuer: root, keyUsage: 0x02 });
  assert.equal(anchorOf([await makeTestIssuer('Leaf', { issuer: noSigner }), noSigner], [root]), undefined);
  const short = await makeTestIssuer('Short', { ca: true, pathLength: 0 });
  const below = await makeTestIssuer('Below', { ca: true, issuer: short });
  assert.equal(anchorOf([await makeTestIssuer('Leaf', { issuer: short })], [short]), 'CN=Short');
  assert.equal(anchorOf([await makeTestIssuer('Leaf', { issuer: below }), below], [short]), undefined);
});

test('a leaf that may not sign, is for TLS only, or has an unknown critical extension is refused', async () => {
  const leafWith = (options: Parameters<typeof makeTestIssuer>[1]) =>
    makeTestIssuer('Leaf', { issuer: root, ...options });
  assert.equal(anchorOf([await leafWith({ keyUsage: 0x08 })], [root]), undefined);
  assert.equal(anchorOf([await leafWith({ purposes: ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'] })], [root]), undefined);
  assert.equal(anchorOf([await leafWith({ unknownCritical: true })], [root]), undefined);
  assert.equal(anchorOf([await leafWith({ purposes: ['1.0.18013.5.1.2'] })], [root]), 'CN=Root');
});

test('certificates that issue each other, and long chains, end without an anchor', async () => {
  const [one, two] = [await makeTestIssuer('One', { ca: true }), await makeTestIssuer('Two', { ca: true })];
  const oneByTwo = await makeTestIssuer('One', { ca: true, issuer: two, pair: one.pair });
  const twoByOne = await makeTestIssuer('Two', { ca: true, issuer: one, pair: two.pair });
  const last = await makeTestIssuer('Leaf', { issuer: one });
  assert.equal(anchorOf([last, oneByTwo, twoByOne, oneByTwo], [root]), undefined);
  assert.equal(anchorOf([leaf, middle, root, root, root], [root]), undefined);
});

test('the certificates of real issuers end at their own root', {
  skip: mdocPath === undefined && testDataSkipReason,
}, () => {
  const cases = JSON.parse(readFileSync(mdocPath ?? '', 'utf8'));
  const certificatesOf = (name: string) =>
    parseIssuerCertificates(cases.find((one: { name: string }) => one.name === name).certificates.join('\n'));
  const at = (text: string) => Date.parse(text);
  const [credo, animo] = certificatesOf('animo');
  assert.ok(credo && animo);
  assert.equal(findChainAnchor([credo], [animo], at('2026-01-12T00:00:00Z')), animo);
  assert.equal(findChainAnchor([credo], [animo], at('2026-12-01T00:00:00Z')), undefined);
  const [utopia, ownRoot] = certificatesOf('google');
  assert.ok(utopia && ownRoot);
  assert.equal(findChainAnchor([ownRoot], [utopia, ownRoot], at('2025-02-20T00:00:00Z')), ownRoot);
  // This issuer puts no CA into its data: it is trusted only if the operator lists the certificate itself.
  const [bdr] = certificatesOf('bdr');
  assert.ok(bdr);
  assert.equal(findChainAnchor([bdr], [animo, ownRoot], at('2026-01-01T00:00:00Z')), undefined);
  assert.equal(findChainAnchor([bdr], [bdr], at('2026-01-01T00:00:00Z')), bdr);
  // A certificate without any extension, which an old program made.
  const [ubique] = certificatesOf('ubique');
  assert.ok(ubique);
  assert.equal(findChainAnchor([ubique], [ubique], at('2025-02-01T00:00:00Z')), ubique);
});
