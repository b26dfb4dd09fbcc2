import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { blobPath } from '../../src/documents/blobs/blob-store.ts';
import { openCookieBrowser, signInAtDemo } from '../support/cookie-browser.ts';
import { bearerHeaders, createHttpClient, parseJsonBody } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// Documents of the demo whose blob is missing, or that are empty.
let home: ServerFixture;
let service = '';
let stderr: () => string;
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile, {});
  ({ stderr } = await home.start('demo'));
  service = await home.fetchAccessToken();
  ask = createHttpClient(home.url);
});

async function deposit(body: Buffer): Promise<string> {
  const headers = { 'content-type': 'text/plain', 'citizen-id': 'demo-mary', 'document-title': 'x' };
  const stored = await ask({ method: 'POST', path: '/v1/documents', headers: bearerHeaders(service, headers), body });
  assert.equal(stored.status, 201, stored.body.toString());
  return String(parseJsonBody(stored)['id']);
}

const asked = [{}, { headers: { range: 'bytes=5-9' } }, { method: 'HEAD' }] as const;
const retrieve = (id: string, { headers = {}, ...more }: { method?: string; headers?: Record<string, string> } = {}) =>
  ask({ path: `/v1/documents/${id}`, headers: bearerHeaders(service, headers), ...more });

async function signedIn() {
  const mary = openCookieBrowser(home.url);
  await signInAtDemo(mary, 'demo-mary');
  return mary;
}

test('clients and the citizen receive 503 for a document with a missing blob, and the operator can find the document', async () => {
  const id = await deposit(Buffer.alloc(70_000, 'letter '));
  const mary = await signedIn();
  const path = blobPath(join(home.dataDir, 'documents'), id);
  renameSync(path, `${path}-gone`);
  for (const one of asked) {
    const { status, headers, body } = await retrieve(id, one);
    assert.deepEqual([status, headers['retry-after'], headers['content-range']], [503, '10', undefined]);
    if (!('method' in one)) assert.match(body.toString(), /document-unreadable/);
  }
  for (const headers of [{}, { range: 'bytes=5-9' }]) {
    const page = await mary.get(`/me/documents/${id}`, headers);
    assert.deepEqual([page.status, page.headers['content-disposition']], [503, undefined]);
    assert.match(page.body.toString(), /<h1>/);
  }
  assert.match((await mary.get('/me/documents')).body.toString(), new RegExp(id));
  const uses = async () => (await mary.get('/me/uses')).body.toString();
  await waitUntil(async () => (await uses()).includes('Asked for your document and did not get it'));
  assert.doesNotMatch(await uses(), /Opened your document/);
  const logged = new RegExp(`"where":"document-bytes-broken","fault":{[^}]*${id}`);
  await waitUntil(async () => logged.test(stderr()));
  assert.match(
    (await runCommandInProcess(home, 'documents', 'verify')).stdout,
    new RegExp(`${id}.*blob-missing|blob-missing.*${id}`),
  );
  renameSync(`${path}-gone`, path);
  assert.equal((await retrieve(id)).body.length, 70_000);
});

test('an empty text document can be deposited and read without ranges, and an empty binary document is refused', async () => {
  const id = await deposit(Buffer.alloc(0));
  const head = await retrieve(id, { method: 'HEAD' });
  const whole = await retrieve(id, { headers: { 'want-content-digest': 'sha-256=9' } });
  for (const { status, headers, body } of [head, whole]) {
    assert.deepEqual([status, headers['content-length'], body.length], [200, '0', 0]);
    assert.equal(headers['repr-digest'], 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:');
  }
  for (const range of ['bytes=0-', 'bytes=-1', 'bytes=0-0,1-1']) {
    const part = await retrieve(id, { headers: { range } });
    assert.deepEqual([part.status, part.headers['content-range']], [416, 'bytes */0'], range);
  }
  const page = await (await signedIn()).get(`/me/documents/${id}`);
  assert.deepEqual([page.status, page.body.length], [200, 0]);
  const headers = { 'content-type': 'application/pdf', 'citizen-id': 'demo-mary', 'document-title': 'x' };
  const refused = await ask({
    method: 'POST',
    path: '/v1/documents',
    headers: bearerHeaders(service, headers),
    body: Buffer.alloc(0),
  });
  assert.deepEqual([refused.status, refused.body.toString().includes('content-mismatch')], [400, true]);
  const form = new FormData();
  form.set('citizenId', 'demo-mary');
  form.set('title', 'x');
  form.set('document', new Blob([], { type: 'text/plain' }), 'x.txt');
  const authorization = `Bearer ${service}`;
  const sent = await fetch(`${home.url}/v1/documents`, { method: 'POST', headers: { authorization }, body: form });
  const { size } = (await sent.json()) as { size?: number };
  assert.deepEqual([sent.status, size], [201, 0]);
  assert.equal((await runCommandInProcess(home, 'documents', 'verify')).code, 0);
});
