import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createClamdProbes } from '../../src/documents/scan/clamd-probes.ts';
import { issueCertificate } from '../support/certificates.ts';
import { type ClamdResponder, startFakeClamd } from '../support/clamd.ts';
import { type DoctorFinding, doctorOnDamagedDemo, testPassword } from '../support/doctor.ts';
import { freePort } from '../support/free-port.ts';
import { fileCleanupScope } from '../support/server-process.ts';
import { type ScriptedReply, startScriptedSmtpServer } from '../support/smtp-server.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// How `doctor` reports faults of the services that the server uses.

const doctorAfter = doctorOnDamagedDemo(fileCleanupScope());

/** The only finding that is not ok with those settings. A fault gives exit code 1. */
async function onlyFailure(
  t: TestContext,
  settings: Readonly<Record<string, string>>,
): Promise<DoctorFinding | undefined> {
  const { failures, code } = await doctorAfter(t, undefined, settings);
  const [said, ...others] = failures();
  assert.deepEqual([others, code], [[], said?.status === 'fault' ? 1 : 0]);
  return said;
}

async function startRelay(t: TestContext, extensions: readonly string[], command: string, reply: ScriptedReply) {
  const relay = await startScriptedSmtpServer(t, extensions);
  relay.setReply(command, reply);
  return { relay, url: `smtp://u:${testPassword}@127.0.0.1:${relay.port}` };
}

// The first test waits for a timeout, so the others run meanwhile.
describe('mail relay', { concurrency: 2 }, () => {
  test('a relay that never answers is a fault', async (t) => {
    const silent = await startRelay(t, ['AUTH PLAIN'], 'EHLO', 'silence');
    assert.equal((await onlyFailure(t, { SMTP_URL: silent.url }))?.status, 'fault');
  });

  test('a relay that does not listen, or refuses the session, is a fault', async (t) => {
    const away = await onlyFailure(t, { SMTP_URL: `smtp://127.0.0.1:${await freePort()}` });
    assert.match(away?.found ?? '', /: ESOCKET: connect ECONNREFUSED /);
    const refused = await startRelay(t, ['AUTH PLAIN'], 'EHLO', { say: '421 4.3.2 not now' });
    refused.relay.setReply('HELO', { say: '421 4.3.2 not now' });
    assert.match((await onlyFailure(t, { SMTP_URL: refused.url }))?.found ?? '', /it refused with 421/);
  });

  test('a relay that refuses the login is a fault without the password, and no mail is sent', async (t) => {
    const echo = Buffer.from(`\0u\0${testPassword}`).toString('base64');
    const say = `535 5.7.8 no: ${echo} is ${testPassword}`;
    const { relay, url } = await startRelay(t, ['AUTH PLAIN'], 'AUTH PLAIN', { say });
    const said = await onlyFailure(t, { SMTP_URL: url });
    assert.match(said?.found ?? '', /^127\.0\.0\.1:\d+: it refused with 535 \(EAUTH\)$/);
    assert.match(said?.fix ?? '', /user and password in SMTP_URL/);
    assert.ok(!JSON.stringify(said).includes(echo));
    assert.ok(!relay.commands.some((command) => /^(?:MAIL|RCPT|DATA)/.test(command)));
  });
});

const probes = createClamdProbes();
const honest =
  (version: string): ClamdResponder =>
  (command, stream) => {
    if (command === 'zVERSION') return `${version}\0`;
    return probes.some(({ bytes }) => bytes.equals(stream)) ? 'stream: Heuristics.X FOUND\0' : 'stream: OK\0';
  };

test('a clamd that does not answer, does not report encrypted files, or has old signatures is reported', async (t) => {
  const away = await onlyFailure(t, { CLAMAV: 'unix:/nowhere/clamd.ctl' });
  assert.deepEqual([away?.name, away?.status], ['scanner', 'fault']);
  assert.match(away?.found ?? '', /^no response from clamd: connect ENOENT /);
  const blind = await startFakeClamd(t, (command) => (command === 'zVERSION' ? 'ClamAV 1.4.6\0' : 'stream: OK\0'));
  const seen = await onlyFailure(t, { CLAMAV: `unix:${blind}` });
  assert.match(seen?.found ?? '', /^clamd reports an encrypted archive as clean$/);
  assert.match(seen?.fix ?? '', /^set 'AlertEncryptedArchive yes'/);
  const old = await startFakeClamd(t, honest('ClamAV 1.4.6/27000/Thu Jan  1 09:00:00 2026'));
  const aged = await onlyFailure(t, { CLAMAV: `unix:${old}` });
  assert.deepEqual([aged?.name, aged?.status, aged?.fix], ['scanner', 'warn', 'check that freshclam runs']);
  const fresh = await startFakeClamd(t, honest(`ClamAV 1.4.6/27800/${new Date().toString().slice(0, 24)}`));
  assert.equal(await onlyFailure(t, { CLAMAV: `unix:${fresh}` }), undefined);
});

async function startHttpServer(t: TestContext, status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  // A server that listens on TCP has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const keys = { S3_ACCESS_KEY_ID: 'AKIA', S3_SECRET_ACCESS_KEY: testPassword };

test('an S3 bucket that refuses, does not answer, or has no keys is a fault', async (t) => {
  const xml = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
  const endpoint = await startHttpServer(t, 403, xml);
  const refused = await onlyFailure(t, { DOCUMENT_STORE: `s3://sealed?region=eu&endpoint=${endpoint}`, ...keys });
  assert.deepEqual([refused?.name, refused?.found], ['documents', 'bucket sealed: AccessDenied: Access Denied']);
  const loud = await startHttpServer(t, 403, xml.replace('Access Denied', `not ${testPassword}`));
  const repeated = await onlyFailure(t, { DOCUMENT_STORE: `s3://sealed?region=eu&endpoint=${loud}`, ...keys });
  assert.equal(repeated?.found, 'bucket sealed: AccessDenied: not [secret]');
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const away = await onlyFailure(t, { DOCUMENT_STORE: `s3://sealed?region=eu&endpoint=${nowhere}`, ...keys });
  assert.match(away?.found ?? '', /^bucket sealed: .*ECONNREFUSED/);
  const without = await onlyFailure(t, { DOCUMENT_STORE: `s3://sealed?region=eu&endpoint=${endpoint}` });
  assert.match(without?.found ?? '', /an S3 bucket requires S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY/);
});

test('a missing LETTER_SPOOL folder is a fault', async (t) => {
  const folder = makeTestFolder('cs-printer-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const gone = await onlyFailure(t, { LETTER_SPOOL: join(folder, 'nowhere') });
  assert.deepEqual([gone?.name, gone?.fix], ['letters', 'create it, or mount it: the server never creates it']);
});

test('gateways, registers, time-stamp authorities and issuers that cannot be reached or trusted are reported', async (t) => {
  const { certificate, key } = await issueCertificate('localhost', { use: 'server', dns: 'localhost' });
  const server = createHttps({ cert: certificate, key }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const gateway = await onlyFailure(t, { SMS_URL: `https://localhost:${port}/send?key=${testPassword}` });
  assert.deepEqual([gateway?.name, gateway?.status], ['sms', 'fault']);
  assert.match(gateway?.found ?? '', /^https:\/\/localhost:\d+: self-signed certificate$/);
  assert.match(gateway?.fix ?? '', /set NODE_EXTRA_CA_CERTS/);
  const away = `http://127.0.0.1:${await freePort()}`;
  const register = await onlyFailure(t, { REGISTER_URL: `${away}/people?key=${testPassword}` });
  assert.match(register?.found ?? '', /^http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/);
  assert.equal(register?.fix, 'check that it runs and that this machine can reach it, or change REGISTER_URL');
  assert.deepEqual((await onlyFailure(t, { TRUSTED_ISSUERS: away }))?.name, 'issuers');
  const certificates = join(makeTestFolder('cs-tsa-'), 'tsa.pem');
  t.after(() => rmSync(join(certificates, '..'), { recursive: true }));
  writeFileSync(certificates, certificate);
  const authority = { EVIDENCE_TSA_URL: away, EVIDENCE_TSA_CERTIFICATES: certificates };
  assert.deepEqual((await onlyFailure(t, authority))?.name, 'time-stamps');
});

test('a host name that does not resolve is a fault of the setting', async (t) => {
  const said = await onlyFailure(t, { SMS_URL: 'https://gateway.invalid/' });
  // The name server can take longer than the timeout.
  assert.match(said?.found ?? '', /^https:\/\/gateway\.invalid: (?:getaddrinfo |no answer within 5 s$)/);
});

test('a document store that is a file, or has none of the documents on record, is a fault', async (t) => {
  const folder = makeTestFolder('cs-blobs-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'documents'));
  const empty = await onlyFailure(t, { DOCUMENT_STORE: join(folder, 'documents') });
  assert.match(empty?.found ?? '', /^the database has documents, but .* has none of the newest$/);
  writeFileSync(join(folder, 'file'), '');
  chmodSync(join(folder, 'file'), 0o600);
  const said = await onlyFailure(t, { DOCUMENT_STORE: join(folder, 'file') });
  assert.deepEqual([said?.name, said?.status], ['documents', 'fault']);
});
