import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { issueCertificate } from '../support/certificates.ts';
import { type DoctorReport, doctorOnDamagedDemo, runDoctor, testPassword } from '../support/doctor.ts';
import { fileCleanupScope } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// How `doctor` checks settings and certificates.

const doctorAfter = doctorOnDamagedDemo(fileCleanupScope());

const dayMs = 86_400_000;
for (const [ageDays, days, status, found] of [
  [89, -1, 'fault', /server\.pem expired on \d{4}-\d\d-\d\d$/],
  [69.5, 20.5, 'warn', /server\.pem expires in 20 days$/],
  [68, 22, 'ok', /server\.pem is valid until/],
  [3.9, 1.1, 'warn', /server\.pem expires in 1 days$/],
  [3.6, 1.4, 'ok', /server\.pem is valid until/],
] as const) {
  test(`a certificate with ${days} of ${ageDays + days} days left is reported with status ${status}`, async (t) => {
    const { certificate, key } = await issueCertificate('here', {
      use: 'server',
      dns: 'localhost',
      notBefore: new Date(Date.now() - ageDays * dayMs),
      notAfter: new Date(Date.now() + days * dayMs),
    });
    const { ofCheck, code } = await withPair(t, certificate, key, 'https://localhost');
    assert.deepEqual([ofCheck('tls')[0]?.status, code], [status, status === 'fault' ? 1 : 0]);
    assert.match(ofCheck('tls')[0]?.found ?? '', found);
  });
}

test('a certificate that is not valid yet is a fault', async (t) => {
  const notBefore = new Date(Date.now() + dayMs);
  const notAfter = new Date(Date.now() + 90 * dayMs);
  const { certificate, key } = await issueCertificate('here', { use: 'server', dns: 'localhost', notBefore, notAfter });
  const { ofCheck, code } = await withPair(t, certificate, key, 'https://localhost');
  assert.deepEqual([ofCheck('tls')[0]?.status, code], ['fault', 1]);
  assert.match(ofCheck('tls')[0]?.found ?? '', /server\.pem is valid from \d{4}-/);
});

function withPair(t: TestContext, certificate: string, key: string, url: string): Promise<DoctorReport> {
  const folder = makeTestFolder('cs-tls-');
  t.after(() => rmSync(folder, { recursive: true }));
  const paths = { TLS_CERTIFICATE: join(folder, 'server.pem'), TLS_KEY: join(folder, 'server.key') };
  writeFileSync(paths.TLS_CERTIFICATE, certificate);
  writeFileSync(paths.TLS_KEY, key);
  return doctorAfter(t, undefined, { ...paths, PUBLIC_URL: url });
}

test('a certificate for another name is a warning, and one that does not match its key is a fault', async (t) => {
  const notAfter = new Date(Date.now() + 90 * dayMs);
  const here = await issueCertificate('here', { use: 'server', dns: 'services.example.gov', notAfter });
  const named = await withPair(t, here.certificate, here.key, 'https://localhost');
  assert.match(named.ofCheck('tls')[0]?.found ?? '', /is not valid for localhost in PUBLIC_URL$/);
  const mixed = await withPair(t, here.certificate, (await issueCertificate('x')).key, 'https://services.example.gov');
  assert.match(mixed.ofCheck('settings')[0]?.found ?? '', /^TLS_KEY: expected the key of /);
  assert.equal(mixed.code, 1);
});

test('every invalid setting is reported, nothing else is checked, and no secret is printed', async (t) => {
  const folder = makeTestFolder('cs-settings-');
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'settings');
  writeFileSync(file, `PROT=1\nFEED_DAYS=3\nSMTP_URL=http://u:${testPassword}@h\nDKIM_KEY=${testPassword}\n`, {
    mode: 0o640,
  });
  const { ofCheck, findings, code } = await doctorAfter(t, undefined, {
    SETTINGS_FILE: file,
    SMTP_URL: '',
    PORT: '99999',
    DATABASE_URL: `mysql://u:${testPassword}@h/d`,
    CLAMAV: 'clamd',
  });
  assert.deepEqual(
    ofCheck('settings').map(({ status, found }) => `${status} ${found.split(':')[0]}`),
    [
      'fault SETTINGS_FILE',
      'fault PORT',
      'fault DATABASE_URL',
      'fault CLAMAV',
      'fault FEED_DAYS',
      'fault SMTP_URL',
      'fault DKIM_DOMAIN',
      `warn ${file} has mode 640`,
      'warn nothing else was checked',
    ],
  );
  assert.deepEqual([findings.every(({ name }) => name === 'settings'), code], [true, 1]);
  writeFileSync(file, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const broken = await doctorAfter(t, undefined, {
    TLS_CLIENT_CA: file,
    DKIM_DOMAIN: 'example.gov',
    BOUNCE_TOKEN: testPassword,
    DATABASE_URL: `postgres://cs:${testPassword}%@127.0.0.1:1/cs`,
  });
  assert.deepEqual(
    broken.ofCheck('settings').map(({ found }) => found.split(':')[0]),
    ['TLS_CLIENT_CA', 'BOUNCE_TOKEN', 'DKIM_DOMAIN'],
  );
  const unread = await runDoctor({ SETTINGS_FILE: '/nowhere' });
  assert.deepEqual(
    unread.findings.map(({ name, status }) => `${name} ${status}`),
    ['settings fault', 'settings warn'],
  );
});

test('webhooks to private targets are a warning, and no secret of a database with several hosts is printed', async (t) => {
  const { ofCheck } = await doctorAfter(t, undefined, {
    WEBHOOK_PRIVATE_TARGETS: 'true',
    DATABASE_URL: `postgres://cs:${testPassword}@127.0.0.1:1,127.0.0.1:2/cs`,
  });
  const [first] = ofCheck('settings');
  assert.equal(first?.status, 'warn');
  assert.match(first?.found ?? '', /^WEBHOOK_PRIVATE_TARGETS is true: clients can make this server call hosts of your/);
  assert.match(ofCheck('database')[0]?.found ?? '', /no host of DATABASE_URL accepts writes: host 1: .*, host 2: /);
});
