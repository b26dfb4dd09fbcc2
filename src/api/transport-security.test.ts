import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { issueCertificate } from '../../test/support/certificates.ts';
import { type Engine, engines } from '../../test/support/database-engines.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { readSettings, SettingError } from '../config/settings.ts';
import { rootKeyFromBytes } from '../crypto/root-key.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { openTransportSecurity, readClientAuthorities, tlsOptionsOf } from './transport-security.ts';

async function files(t: TestContext) {
  const folder = makeTestFolder('cs-tls-');
  t.after(() => rmSync(folder, { recursive: true }));
  const [old, renewed] = [
    await issueCertificate('old', { use: 'server' }),
    await issueCertificate('renewed', { use: 'server' }),
  ];
  const paths = { TLS_CERTIFICATE: join(folder, 'server.pem'), TLS_KEY: join(folder, 'server.key') };
  const put = (certificate: string, key: string) => {
    writeFileSync(paths.TLS_CERTIFICATE, certificate);
    writeFileSync(paths.TLS_KEY, key);
  };
  return { old, renewed, paths, put };
}

/** Certificates of tests are good for a day. */
const early = { now: () => Date.now() - 30 * 86_400_000 };

test('a certificate that was not renewed in time is a fault at the start and at each check, until it is renewed', async (t) => {
  const { old, paths, put } = await files(t);
  put(old.certificate, old.key);
  const faults: string[] = [];
  const clock = { at: Date.now() - 3 * 86_400_000, now: () => clock.at };
  const log = { fault: (where: string, fault: unknown) => faults.push(`${where} ${String(fault)}`) };
  const tls = tlsOptionsOf({ settings: readSettings(paths), clock, log }, []);
  tls?.renew?.();
  assert.deepEqual(faults, []);
  clock.at += 3.5 * 86_400_000;
  assert.notEqual(tls?.renew?.(), undefined, 'it is used all the same');
  tlsOptionsOf({ settings: readSettings(paths), clock, log }, []);
  assert.equal(faults.length, 2);
  for (const fault of faults)
    assert.match(fault, /^tls CertificateError: .*server\.pem is valid until 20[\dT:.-]+Z: renew it$/);
  clock.at += 86_400_000;
  tls?.renew?.();
  assert.match(faults.pop() ?? '', /server\.pem expired at 20[\dT:.-]+Z: renew it$/);
  const renewed = await issueCertificate('renewed', {
    use: 'server',
    notAfter: new Date(Date.now() + 90 * 86_400_000),
  });
  put(renewed.certificate, renewed.key);
  tls?.renew?.();
  assert.equal(faults.length, 2);
});

test('a certificate that is valid for one day is a fault only shortly before it expires', async (t) => {
  const { paths, put } = await files(t);
  const hourMs = 3_600_000;
  const at = Date.now();
  const day = { notBefore: new Date(at - hourMs), notAfter: new Date(at + 23 * hourMs) };
  const { certificate, key } = await issueCertificate('of a day', { use: 'server', ...day });
  put(certificate, key);
  const faults: unknown[] = [];
  const log = { fault: (_where: string, fault: unknown) => faults.push(fault) };
  const openAt = (now: number) => tlsOptionsOf({ settings: readSettings(paths), clock: { now: () => now }, log }, []);
  openAt(at);
  openAt(at + 17 * hourMs);
  assert.deepEqual(faults, []);
  openAt(at + 19 * hourMs);
  assert.equal(faults.length, 1);
});

test('a certificate without its key prevents the start, and an incomplete renewal changes nothing', async (t) => {
  const { old, renewed, paths, put } = await files(t);
  const faults: string[] = [];
  const app = { settings: readSettings(paths), clock: early, log: { fault: (where: string) => faults.push(where) } };
  put(old.certificate, renewed.key);
  assert.throws(
    () => tlsOptionsOf(app, []),
    (fault) => fault instanceof SettingError && /^TLS_KEY: expected the key of .*server\.pem in /.test(fault.message),
  );
  put(old.certificate, old.key);
  const tls = tlsOptionsOf(app, []);
  assert.equal(tls?.certificate, old.certificate);
  put(renewed.certificate, old.key);
  assert.equal(tls?.renew?.(), undefined);
  // A renewal may change the kind of key, and OpenSSL compares keys of one kind alone.
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  put(renewed.certificate, String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  assert.equal(tls?.renew?.(), undefined);
  assert.deepEqual(faults, ['tls', 'tls']);
  put(renewed.certificate, renewed.key);
  assert.deepEqual(tls?.renew?.(), { certificate: renewed.certificate, key: renewed.key });
});

test('client certificates are requested only if this server terminates TLS', () => {
  const app = {
    settings: readSettings({ TLS_CLIENT_CERTIFICATES: 'true' }),
    clock: early,
    log: { fault: assert.fail },
  };
  assert.throws(
    () => tlsOptionsOf(app, []),
    /^SettingError: TLS_CLIENT_CERTIFICATES: requires TLS_CERTIFICATE and TLS_KEY/,
  );
});

test('unreadable authorities prevent the start with the name of their setting', async (t) => {
  const { old, paths, put } = await files(t);
  put(old.certificate + old.certificate, old.key);
  assert.equal(readClientAuthorities(paths.TLS_CERTIFICATE).length, 2);
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  for (const text of [broken, old.certificate + broken, old.key]) {
    put(text, old.key);
    assert.throws(
      () => readClientAuthorities(paths.TLS_CERTIFICATE),
      (fault) => fault instanceof SettingError && fault.setting === 'TLS_CLIENT_CA',
    );
  }
});

function testSetBack(engine: Engine, isAlone: boolean): void {
  const who = isAlone ? 'one process' : 'one of several processes';
  test(`${engine.name}: after the machine clock is set back by an hour, quotas refill in real time in ${who}`, async (t) => {
    const clock = { at: Date.now(), now: () => clock.at };
    const app = {
      clock,
      db: await engine.open(t),
      random: systemRandom,
      settings: readSettings({}),
      root: rootKeyFromBytes(new Uint8Array(32).fill(1)),
      log: { fault: assert.fail },
    };
    const caller = { clientId: 'a', quota: { perSecond: 10, burst: 10 } };
    const { quotas, failedRequests } = openTransportSecurity(app, 'https://api.example', isAlone);
    const isAllowed = async () => (await quotas.take(caller, 's')).refusal === undefined;
    // Faster than the quota refills.
    while (await isAllowed());
    while (failedRequests.refusal('a') === undefined) failedRequests.count(caller);
    clock.at -= 3_600_000;
    await waitUntil(isAllowed);
    await waitUntil(async () => failedRequests.refusal('a') === undefined);
  });
}

// The quota and the limit of failed requests refill in real time, so these tests wait and run concurrently.
suite('a clock that is set back', { concurrency: 4 }, () => {
  for (const engine of engines) for (const isAlone of [true, false]) testSetBack(engine, isAlone);
});
