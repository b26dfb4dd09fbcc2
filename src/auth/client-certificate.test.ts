import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { issueCertificate, type PemCertificate } from '../../test/support/certificates.ts';
import { createCertificateReader, hasAlternativeName, parseProxyAddresses } from './client-certificate.ts';

const hourMs = 3_600_000;
const proxies = parseProxyAddresses(['10.0.0.5', 'fd00::/8']);
const x509Of = ({ certificate }: PemCertificate) => new X509Certificate(certificate);
const inHeader = (pair: PemCertificate) => `:${x509Of(pair).raw.toString('base64')}:`;

/** A request from that address, with the members that a certificate reader uses. */
function requestFrom(remoteAddress: string | undefined, certificate: string | string[]): IncomingMessage {
  return { socket: { remoteAddress }, headers: { 'client-cert': certificate } } as unknown as IncomingMessage;
}

test('a certificate from a proxy is authorized only if it is valid now and a configured authority issued it', async () => {
  const authority = await issueCertificate('Agencies', { ca: true });
  const ended = await issueCertificate('Ended', { ca: true, notAfter: new Date(Date.now() - hourMs) });
  const clock = { at: Date.now(), now: () => clock.at };
  const leaf = await issueCertificate('Leaf', { issuer: authority });
  const authorities = [authority, ended, leaf].map(x509Of);
  const reader = createCertificateReader({ clock, authorities, header: 'client-cert', proxies });
  const judged = (pair: PemCertificate) => reader.read(requestFrom('10.0.0.5', inHeader(pair)))?.authorized;
  const good = await issueCertificate('a', { issuer: authority });
  assert.equal(judged(good), true);
  const notAfter = new Date(clock.at - hourMs);
  const others = {
    'by another authority of that name': await issueCertificate('a', {
      issuer: await issueCertificate('Agencies', { ca: true }),
    }),
    'by one that is no authority': await issueCertificate('a', { issuer: leaf }),
    'by an authority of another name': await issueCertificate('a', { issuer: { ...authority, name: 'Others' } }),
    'by itself': await issueCertificate('Agencies'),
    'for servers': await issueCertificate('a', { issuer: authority, use: 'server' }),
    'out of its time': await issueCertificate('a', { issuer: authority, notAfter }),
    'by an authority out of its time': await issueCertificate('a', { issuer: ended }),
    'an authority': await issueCertificate('Below', { issuer: authority, ca: true }),
  };
  for (const [what, pair] of Object.entries(others)) assert.equal(judged(pair), false, what);
  clock.at -= 72 * hourMs;
  assert.equal(judged(good), false, 'not valid yet');
});

/** A request over a connection whose certificate OpenSSL accepted, or not, in the handshake. */
function requestOver(pair: PemCertificate, authorized: boolean): IncomingMessage {
  const own = { getPeerX509Certificate: () => x509Of(pair), authorized };
  return { socket: Object.assign(Object.create(TLSSocket.prototype), own), headers: {} } as unknown as IncomingMessage;
}

test('a certificate of a long connection is checked against the clock at each request', async () => {
  const authority = await issueCertificate('Agencies', {
    ca: true,
    notAfter: new Date(Date.now() + 900 * 24 * hourMs),
  });
  const clock = { at: Date.now(), now: () => clock.at };
  const pair = await issueCertificate('a', { issuer: authority, notAfter: new Date(clock.at + 2 * hourMs) });
  const reader = createCertificateReader({ clock, authorities: [x509Of(authority)] });
  const judged = (request: IncomingMessage) => reader.read(request)?.authorized;
  for (const ahead of [3 * hourMs, 365 * 24 * hourMs, -72 * hourMs]) {
    const [early, late] = [requestOver(pair, true), requestOver(pair, false)];
    assert.equal(judged(early), true);
    clock.at += ahead;
    assert.deepEqual([judged(early), judged(late)], [false, false], 'not valid now');
    clock.at -= ahead;
    assert.deepEqual([judged(early), judged(late)], [true, true], 'valid after the clock was corrected');
  }
});

test('an authority is found by its name in another letter case and with other spaces, as OpenSSL compares names', async () => {
  const [tax, town] = await Promise.all([
    issueCertificate('Tax Agency', { ca: true }),
    issueCertificate('Town Agency', { ca: true }),
  ]);
  const authorities = [town, tax].map(x509Of);
  const reader = createCertificateReader({ clock: { now: Date.now }, authorities, header: 'client-cert', proxies });
  const judged = async (name: string, by: typeof tax) => {
    const pair = await issueCertificate('a', { issuer: { ...by, name } });
    return reader.read(requestFrom('10.0.0.5', inHeader(pair)))?.authorized;
  };
  assert.deepEqual(await Promise.all([judged('TAX  agency ', tax), judged('TAX  agency ', town)]), [true, false]);
  assert.deepEqual(await Promise.all([judged('Town Agency', town), judged('TownAgency', town)]), [true, false]);
});

test('the certificate header is read from a trusted proxy only, and removed from all other requests', async () => {
  const pair = await issueCertificate('a');
  const reader = createCertificateReader({ clock: { now: () => 0 }, authorities: [], header: 'client-cert', proxies });
  const outcome = (address: string | undefined, certificate: string | string[] = inHeader(pair)) => {
    const request = requestFrom(address, certificate);
    const found = reader.read(request)?.x509.raw.equals(x509Of(pair).raw);
    reader.strip(request);
    return [found, Object.keys(request.headers)];
  };
  for (const address of ['10.0.0.5', '::ffff:10.0.0.5', 'fd00::1', 'fdff::1'])
    assert.deepEqual(outcome(address), [true, ['client-cert']], address);
  for (const address of ['10.0.0.6', '::ffff:10.0.0.6', 'fe80::1', '::', undefined])
    assert.deepEqual(outcome(address), [undefined, []], String(address));
  const asPem = encodeURIComponent(pair.certificate);
  assert.deepEqual(outcome('10.0.0.5', asPem), [true, ['client-cert']]);
  for (const certificate of ['', ':AAAA:', '%', 'none', [inHeader(pair)], `${asPem}, ${asPem}`])
    assert.deepEqual(outcome('10.0.0.5', certificate), [undefined, ['client-cert']], String(certificate));
  const deaf = createCertificateReader({ clock: { now: () => 0 }, authorities: [], proxies });
  assert.equal(deaf.read(requestFrom('10.0.0.5', inHeader(pair))), undefined);
});

test('an invalid address or prefix length is refused as proxy address', () => {
  for (const item of [
    'proxy',
    '10.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/ 8',
    '10.0.0.0/8/8',
    '::/',
    '::/129',
  ])
    assert.equal(parseProxyAddresses(['10.0.0.5', item]), undefined, item);
  assert.equal(parseProxyAddresses(['0.0.0.0/0'])?.check('192.0.2.1'), true);
  assert.equal(parseProxyAddresses(['10.0.0.0/31'])?.check('10.0.0.2'), false);
  assert.equal(parseProxyAddresses(['10.0.0.0/32'])?.check('10.0.0.0'), true);
  assert.equal(parseProxyAddresses(['fd00::/128'])?.check('fd00::', 'ipv6'), true);
});

test('an alternative name matches only as a whole and in its kind', async () => {
  const x509 = x509Of(await issueCertificate('a', { dns: 'Tax.example.gov', ip: [10, 0, 0, 7] }));
  assert.equal(hasAlternativeName(x509, 'dns', 'tax.EXAMPLE.gov'), true);
  assert.equal(hasAlternativeName(x509, 'ip', '10.0.0.7'), true);
  for (const [kind, value] of [
    ['dns', 'example.gov'],
    ['dns', 'a'],
    ['dns', '10.0.0.7'],
    ['uri', 'tax.example.gov'],
    ['ip', '10.0.0.70'],
  ] as const)
    assert.equal(hasAlternativeName(x509, kind, value), false, `${kind} ${value}`);
  const listed = x509Of(await issueCertificate('a', { dns: 'evil.example, DNS:tax.example.gov' }));
  assert.equal(hasAlternativeName(listed, 'dns', 'tax.example.gov'), false);
  assert.equal(hasAlternativeName(listed, 'dns', 'evil.example, DNS:tax.example.gov'), true);
  assert.equal(hasAlternativeName(x509Of(await issueCertificate('tax.example.gov')), 'dns', 'tax.example.gov'), false);
});
