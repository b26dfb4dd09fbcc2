import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { databaseFile } from '../../src/db/open-database.ts';
import { createClamdProbes } from '../../src/documents/scan/clamd-probes.ts';
import { issueCertificate } from '../support/certificates.ts';
import { type ClamdResponder, startFakeClamd } from '../support/clamd.ts';
import { type DoctorFinding, doctorOnDamagedDemo, testPassword } from '../support/doctor.ts';
import { freePort } from '../support/free-port.ts';
import { nodeWithoutTypesetter } from '../support/letters.ts';
import { type ScriptedReply, startScriptedSmtpServer } from '../support/scripted-smtp-server.ts';
import { fileCleanupScope } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// What `doctor` says of whom the server speaks to, while these are as they should not be.

const spoilt = doctorOnDamagedDemo(fileCleanupScope());

/** The one thing that is not well with those settings; a fault is exit code 1. */
async function onlyIll(t: TestContext, settings: Readonly<Record<string, string>>): Promise<DoctorFinding | undefined> {
  const { failures, code } = await spoilt(t, undefined, settings);
  const [said, ...others] = failures();
  assert.deepEqual([others, code], [[], said?.status === 'fault' ? 1 : 0]);
  return said;
}

async function relaySaying(t: TestContext, extensions: readonly string[], command: string, reply: ScriptedReply) {
  const relay = await startScriptedSmtpServer(t, extensions);
  relay.setReply(command, reply);
  return { relay, url: `smtp://u:${testPassword}@127.0.0.1:${relay.port}` };
}

// The first waits for what never comes; the others go on meanwhile.
describe('whom the server speaks to', { concurrency: 2 }, () => {
  test('a relay that says nothing is a fault', async (t) => {
    const silent = await relaySaying(t, ['AUTH PLAIN'], 'EHLO', 'silence');
    assert.equal((await onlyIll(t, { SMTP_URL: silent.url }))?.status, 'fault');
  });

  test('a relay that is not there, or refuses us, is a fault', async (t) => {
    const away = await onlyIll(t, { SMTP_URL: `smtp://127.0.0.1:${await freePort()}` });
    assert.match(away?.found ?? '', /: ESOCKET: connect ECONNREFUSED /);
    const refused = await relaySaying(t, ['AUTH PLAIN'], 'EHLO', { say: '421 4.3.2 not now' });
    refused.relay.setReply('HELO', { say: '421 4.3.2 not now' });
    assert.match((await onlyIll(t, { SMTP_URL: refused.url }))?.found ?? '', /it refused us with 421/);
  });

  test('a relay that refuses the login is a fault, whatever it repeats of it, and no mail is begun', async (t) => {
    const echo = Buffer.from(`\0u\0${testPassword}`).toString('base64');
    const say = `535 5.7.8 no: ${echo} is ${testPassword}`;
    const { relay, url } = await relaySaying(t, ['AUTH PLAIN'], 'AUTH PLAIN', { say });
    const said = await onlyIll(t, { SMTP_URL: url });
    assert.match(said?.found ?? '', /^127\.0\.0\.1:\d+: it refused us with 535 \(EAUTH\)$/);
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

test('clamd that is away, is blind, or has old signatures is told', async (t) => {
  const away = await onlyIll(t, { CLAMAV: 'unix:/nowhere/clamd.ctl' });
  assert.deepEqual([away?.name, away?.status], ['scanner', 'fault']);
  assert.match(away?.found ?? '', /^no answer from clamd: connect ENOENT /);
  const blind = await startFakeClamd(t, (command) => (command === 'zVERSION' ? 'ClamAV 1.4.6\0' : 'stream: OK\0'));
  const seen = await onlyIll(t, { CLAMAV: `unix:${blind}` });
  assert.match(seen?.found ?? '', /^clamd calls an encrypted archive clean; it needs 'AlertEncryptedArchive yes'/);
  const old = await startFakeClamd(t, honest('ClamAV 1.4.6/27000/Thu Jan  1 09:00:00 2026'));
  const aged = await onlyIll(t, { CLAMAV: `unix:${old}` });
  assert.deepEqual([aged?.name, aged?.status, aged?.fix], ['scanner', 'warn', 'see that freshclam runs']);
  const fresh = await startFakeClamd(t, honest(`ClamAV 1.4.6/27800/${new Date().toString().slice(0, 24)}`));
  assert.equal(await onlyIll(t, { CLAMAV: `unix:${fresh}` }), undefined);
});

async function answering(t: TestContext, status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  // A server that listens on TCP has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const keys = { S3_ACCESS_KEY_ID: 'AKIA', S3_SECRET_ACCESS_KEY: testPassword };

test('an S3 store that refuses us, or is away, is a fault, and one without keys names them', async (t) => {
  const xml = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
  const endpoint = await answering(t, 403, xml);
  const refused = await onlyIll(t, { DOCUMENT_STORE: `s3://sealed?region=eu&endpoint=${endpoint}`, ...keys });
  assert.deepEqual([refused?.name, refused?.found], ['documents', 'bucket sealed: AccessDenied: Access Denied']);
  const loud = await answering(t, 403, xml.replace('Access Denied', `not ${testPassword}`));
  const repeated = await onlyIll(t, { DOCUMENT_STORE: `s3://sealed?region=eu&endpoint=${loud}`, ...keys });
  assert.equal(repeated?.found, 'bucket sealed: AccessDenied: not [secret]');
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const away = await onlyIll(t, { DOCUMENT_STORE: `s3://sealed?region=eu&endpoint=${nowhere}`, ...keys });
  assert.match(away?.found ?? '', /^bucket sealed: .*ECONNREFUSED/);
  const without = await onlyIll(t, { DOCUMENT_STORE: `s3://sealed?region=eu&endpoint=${endpoint}` });
  assert.match(without?.found ?? '', /set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY/);
});

test('a spool folder that is not there is a fault', async (t) => {
  const folder = makeTestFolder('cs-printer-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const gone = await onlyIll(t, { LETTER_SPOOL: join(folder, 'nowhere') });
  assert.deepEqual([gone?.name, gone?.fix], ['letters', 'make it, or mount it: it is never made here']);
});

test('where no letter can be set it says why, and says nothing of letters where none are printed', async (t) => {
  const folder = makeTestFolder('cs-spool-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  assert.equal(await onlyIll(t, { LETTER_SPOOL: folder }), undefined);
  const program = process.execPath;
  process.execPath = nodeWithoutTypesetter(t);
  t.after(() => {
    process.execPath = program;
  });
  const unset = await onlyIll(t, { LETTER_SPOOL: folder });
  assert.deepEqual([unset?.name, unset?.status], ['letters', 'fault']);
  assert.match(unset?.found ?? '', /^no letter can be set on this machine: .*librt\.so\.1: no such file/);
  assert.equal(await onlyIll(t, {}), undefined);
});

test('a client whose letters no font shows is told by its id', async (t) => {
  const folder = makeTestFolder('cs-spool-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { failures } = await spoilt(
    t,
    (dataDir) => {
      const lines = JSON.stringify(['Town Hall', '\u{100007}']);
      using file = new DatabaseSync(join(dataDir, databaseFile));
      file.prepare('update client set return_address = ?').run(lines);
    },
    { LETTER_SPOOL: folder },
  );
  assert.deepEqual(
    failures().map(({ name, status }) => [name, status]),
    [['letters', 'fault']],
  );
  assert.match(failures()[0]?.found ?? '', /^a letter of two words from [a-z0-9-]+ is refused: letter-unprintable$/);
});

test('gateways, registers, authorities and issuers that are away, or not who they say, are told by their setting', async (t) => {
  const { certificate, key } = await issueCertificate('localhost', { use: 'server', dns: 'localhost' });
  const server = createHttps({ cert: certificate, key }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const gateway = await onlyIll(t, { SMS_URL: `https://localhost:${port}/send?key=${testPassword}` });
  assert.deepEqual([gateway?.name, gateway?.status], ['sms', 'fault']);
  assert.match(gateway?.found ?? '', /^https:\/\/localhost:\d+: self-signed certificate$/);
  assert.match(gateway?.fix ?? '', /name that in NODE_EXTRA_CA_CERTS/);
  const away = `http://127.0.0.1:${await freePort()}`;
  const register = await onlyIll(t, { REGISTER_URL: `${away}/people?key=${testPassword}` });
  assert.match(register?.found ?? '', /^http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/);
  assert.equal(register?.fix, 'see that it runs and may be reached from here, or set REGISTER_URL');
  assert.deepEqual((await onlyIll(t, { TRUSTED_ISSUERS: away }))?.name, 'issuers');
  const certificates = join(makeTestFolder('cs-tsa-'), 'tsa.pem');
  t.after(() => rmSync(join(certificates, '..'), { recursive: true }));
  writeFileSync(certificates, certificate);
  const authority = { EVIDENCE_TSA_URL: away, EVIDENCE_TSA_CERTIFICATES: certificates };
  assert.deepEqual((await onlyIll(t, authority))?.name, 'time-stamps');
});

test('a name that does not resolve is told with the setting', async (t) => {
  const said = await onlyIll(t, { SMS_URL: 'https://gateway.invalid/' });
  // What serves names here may itself take longer than is waited for.
  assert.match(said?.found ?? '', /^https:\/\/gateway\.invalid: (?:getaddrinfo |no answer within 5 s$)/);
});

test('a folder of documents that is a file, or not mounted, is a fault', async (t) => {
  const folder = makeTestFolder('cs-blobs-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'documents'));
  const empty = await onlyIll(t, { DOCUMENT_STORE: join(folder, 'documents') });
  assert.match(empty?.found ?? '', /^documents are on record, and .* has none of the newest$/);
  writeFileSync(join(folder, 'file'), '');
  chmodSync(join(folder, 'file'), 0o600);
  const said = await onlyIll(t, { DOCUMENT_STORE: join(folder, 'file') });
  assert.deepEqual([said?.name, said?.status], ['documents', 'fault']);
});
