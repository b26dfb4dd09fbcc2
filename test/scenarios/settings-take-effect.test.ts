import assert from 'node:assert/strict';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { fetchOnce } from '../support/http-client.ts';
import { startS3Server } from '../support/s3-server.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { startTestSmtpServer } from '../support/smtp-server.ts';
import { startTimeStampAuthority } from '../support/time-stamp-authority.ts';
import { waitUntil } from '../support/wait-until.ts';

// The effect of each setting on a running server. The tests of each area cover the details.

type Settings = Readonly<Record<string, string>>;

let demo: ServerFixture;
const thisFile = fileCleanupScope();
before(async () => {
  demo = await makeServerFixture(thisFile);
  await (await demo.start('demo')).stop('SIGTERM');
});

/** Starts a server on a copy of the demo's data, with these settings instead of those of the demo. */
async function startWith(t: TestContext, settings: Settings) {
  const home = await makeServerFixture(t, { settings });
  cpSync(demo.dataDir, home.dataDir, { recursive: true });
  const server = await home.start('start');
  const [client] = demo.readDemoFile().clients;
  const token = await home.fetchAccessToken(client?.scopes, client);
  const call = async (path: string, body?: string | object, headers: Settings = {}) => {
    const answer = await fetch(`${home.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const json = () => JSON.parse(text) as Record<string, unknown>;
    return { status: answer.status, headers: answer.headers, text, json };
  };
  return { call, server };
}

const mary = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
const deposit = {
  'content-type': 'text/plain',
  'citizen-id': 'demo-mary',
  'document-title': 'A',
  'document-kind': 'notice',
};

test('the settings for contacts, terms, register, document signatures, checkpoint signatures and witnesses take effect', async (t) => {
  const policy = join(demo.dataDir, 'witnesses');
  writeFileSync(policy, 'quorum none\n');
  const { call, server } = await startWith(t, {
    SUPPORT_EMAIL: 'help@gov.example',
    TERMS_URL: 'https://gov.example/terms',
    SECURITY_CONTACT: 'mailto:security@gov.example',
    REGISTER_NAME: 'Register of Ruritania',
    REGISTER_COUNTRY: 'PT',
    SIGN_DOCUMENTS: 'true',
    LEDGER_ML_DSA: 'true',
    LEDGER_WITNESSES: policy,
  });
  const { info } = (await call('/openapi.json')).json() as {
    info: { contact: { email: string }; termsOfService: string };
  };
  assert.deepEqual([info.contact.email, info.termsOfService], ['help@gov.example', 'https://gov.example/terms']);
  assert.match((await call('/.well-known/security.txt')).text, /^Contact: mailto:security@gov\.example$/m);
  const { decision, token } = (await call('/v1/identity/verify', mary)).json();
  assert.equal(decision, 'match');
  const payload = Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString();
  assert.match(payload, /"source":\{"name":"Register of Ruritania","country":"PT"\}/);
  const [document = assert.fail()] = demo.readDemoFile().documents;
  // The demo may have ended before it scanned all documents.
  await waitUntil(async () => (await call(`/v1/documents/${document.id}`)).status === 200);
  assert.match((await call(`/v1/documents/${document.id}`)).headers.get('signature') ?? '', /^document=:/);
  // One line for Ed25519 and one for ML-DSA-44, whose signatures have 2,420 bytes.
  await waitUntil(async () => {
    const lines = (await call('/ledger/checkpoint')).text.split('\n').filter((line) => line.startsWith('— '));
    return lines.length === 2 && lines.some((line) => line.length > 3_000);
  });
  const adminUrl = /metrics at (http\S+)/.exec(server.stderr())?.[1] ?? assert.fail();
  assert.match(await (await fetchOnce(adminUrl)).text(), /^citizen_services_ledger_cosigned_entries /m);
});

test('the settings for concealed access, claims in URLs, simulators, bounces and trusted issuers take effect', async (t) => {
  const issuer = 'http://127.0.0.1:1';
  const { call, server } = await startWith(t, {
    TRUSTED_ISSUERS: issuer,
    ACCESS_LOG_HIDDEN_DAYS: '0',
    REFUSE_CLAIMS_IN_URL: 'true',
    SIMULATORS: 'true',
    BOUNCE_ADDRESS: 'b@gov.example',
    BOUNCE_TOKEN: 'token of the bounces',
  });
  const concealment = {
    'access-log-hidden-until': new Date(Date.now() + 3_600_000).toISOString(),
    'access-log-hidden-reason': 'audit',
  };
  assert.match(
    String((await call('/v1/identity/verify', mary, concealment)).json()['type']),
    /\/problems\/hiding-not-permitted$/,
  );
  const inUrl = await call(`/v1/identity/verify?${new URLSearchParams(mary)}`);
  assert.match(String(inUrl.json()['type']), /\/problems\/claims-in-url-refused$/);
  const sent = (await call('/v1/notifications/send', { citizenId: 'sim-delivered', message: 'Hello.' })).json();
  await waitUntil(async () => (await call(`/v1/notifications/${sent['id']}`)).json()['status'] === 'delivered');
  const bounce = (authorization: string) => call('/callbacks/mail', 'no bounce', { authorization });
  assert.equal((await bounce('Bearer of nobody')).status, 401);
  assert.equal((await bounce('Bearer token of the bounces')).status < 300, true);
  const parts = [
    JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'k' }),
    JSON.stringify({ iss: issuer }),
    'signature',
  ];
  const token = parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
  assert.equal((await call('/v1/events', undefined, { authorization: `Bearer ${token}` })).status, 503);
  await waitUntil(async () => server.stderr().includes('"where":"trusted-issuer"'));
});

test('DOCUMENT_STORE stores documents, CONFIRM_LINKS=false omits links in mails, and EVIDENCE_TSA_URL stamps evidence', async (t) => {
  const sink = await startTestSmtpServer(t);
  const store = join(demo.dataDir, 'elsewhere');
  // The server stores no document in a folder that lacks the recorded documents.
  cpSync(join(demo.dataDir, 'documents'), store, { recursive: true });
  const authority = await startTimeStampAuthority(t, Date.now);
  const certificates = join(demo.dataDir, 'tsa.pem');
  writeFileSync(certificates, authority.ca);
  const { call } = await startWith(t, {
    DOCUMENT_STORE: store,
    SMTP_URL: sink.url,
    CONFIRM_LINKS: 'false',
    EVIDENCE_TSA_URL: authority.url,
    EVIDENCE_TSA_CERTIFICATES: certificates,
  });
  const { id } = (await call('/v1/documents', 'The text.', deposit)).json();
  const files = readdirSync(store, { recursive: true, encoding: 'utf8' });
  assert.ok(
    files.some((file) => file.endsWith(String(id))),
    files.join(),
  );
  assert.equal((await call(`/v1/documents/${id}`)).text, 'The text.');
  const sent = (await call('/v1/notifications/send', { citizenId: 'demo-mary', message: 'Hello.' })).json();
  await sink.waitForMails(1);
  assert.doesNotMatch(sink.mails[0]?.raw ?? assert.fail(), /\/received\//);
  assert.match((await call(`/v1/notifications/${sent['id']}/evidence`)).text, /"timeStamp":/);
});

test('S3 stores documents, and other operations work while S3 is unavailable', async (t) => {
  const cleanups: (() => unknown)[] = [];
  const {
    bucket,
    region,
    endpoint = '',
    accessKeyId,
    secretAccessKey,
  } = await startS3Server({
    after: (cleanup) => void cleanups.push(cleanup),
  });
  const bucketUrl = `s3://${bucket}/documents?region=${region}&endpoint=${endpoint}`;
  const { call } = await startWith(t, {
    DOCUMENT_STORE: bucketUrl,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey.reveal(),
  });
  const { id } = (await call('/v1/documents', 'The text.', deposit)).json();
  assert.equal((await call(`/v1/documents/${id}`)).text, 'The text.');
  for (const cleanup of cleanups) await cleanup();
  const unavailable = await call(`/v1/documents/${id}`).catch(() => undefined);
  assert.notEqual(unavailable?.text, 'The text.');
  assert.ok((await call('/v1/documents', 'Another.', deposit)).status >= 500);
  assert.equal((await call('/v1/identity/verify', mary)).json()['decision'], 'match');
});

test('the register of REGISTER_URL is queried with the credentials of the URL', async (t) => {
  const seen: (string | undefined)[] = [];
  const register = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ citizenId: 'C-1', givenName: 'Zoë', familyName: 'Müller', birthDate: '1980-02-07' }));
  });
  await new Promise<void>((resolve) => register.listen(0, '127.0.0.1', resolve));
  t.after(() => register.closeAllConnections());
  t.after(() => register.close());
  const { port } = register.address() as AddressInfo;
  const { call } = await startWith(t, { REGISTER_URL: `http://reader:secret@127.0.0.1:${port}/people` });
  const claims = { citizenId: 'C-1', givenName: 'Zoë', familyName: 'Müller', birthDate: '1980-02-07' };
  assert.equal((await call('/v1/identity/verify', claims)).json()['decision'], 'match');
  assert.equal(seen[0], `Basic ${Buffer.from('reader:secret').toString('base64')}`);
});

test('a document without a scan cannot be attached, and simulator citizens are unknown without SIMULATORS', async (t) => {
  const { call } = await startWith(t, { CLAMAV: 'unix:/nowhere/clamd.sock' });
  const { id } = (await call('/v1/documents', 'unseen', deposit)).json();
  const { status, text } = await call('/v1/notifications/send', {
    citizenId: 'demo-mary',
    message: 'See the document.',
    attachments: [id],
  });
  assert.deepEqual([status, text.includes('"/attachments/0"')], [400, true], text);
  const known = demo.readDemoFile().documents.find(({ citizenId }) => citizenId === 'demo-mary')?.id;
  const sent = await call('/v1/notifications/send', {
    citizenId: 'demo-mary',
    message: 'See the document.',
    attachments: [known],
  });
  assert.equal(sent.status, 202, sent.text);
  const invented = await call('/v1/notifications/send', { citizenId: 'sim-delivered', message: 'Hello.' });
  assert.equal(invented.status, 404, invented.text);
});
