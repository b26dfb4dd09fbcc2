import assert from 'node:assert/strict';
import { type AddressInfo, createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { defaultSite } from '../../test/support/default-site.ts';
import { createHttpClient } from '../../test/support/http-client.ts';
import { storelessServerOptions } from '../../test/support/storeless-app.ts';
import { createApiServer } from '../api/api-server.ts';
import { createGuardedServer } from '../api/guard.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { createMailRefusalPage } from './receipt-page.ts';
import { createUnavailablePage } from './unavailable-page.ts';

const mailRefusalPage = createMailRefusalPage(defaultSite);

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** A guard that refuses all requests, as under overload. */
async function refusing(t: TestContext, refusal: Refusal, refusedPage = mailRefusalPage) {
  const refused: string[] = [];
  const options = {
    publicUrl: 'https://gov.example',
    headers: { 'content-security-policy': "default-src 'none'" },
    newRequestId: () => 'urn:uuid:x',
    shed: () => refusal,
    refusedPage,
    onRefused: ({ slug }: Refusal) => void refused.push(slug),
  };
  const server = createGuardedServer(options, () => assert.fail('nothing is served')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, refused, ask: createHttpClient(`http://127.0.0.1:${port}`) };
}

const busy = refuse('capacity-reduced', undefined, { headers: { 'retry-after': '1' } });

test('under overload a browser at a confirmation link gets a page in its language, with Retry-After', async (t) => {
  const { ask, refused } = await refusing(t, busy);
  for (const path of ['/received/dlv_x.mark', '/received', '/received?x', `/received/${'x'.repeat(9_000)}`]) {
    const headers = { accept: browser, 'accept-language': 'de-AT,de;q=0.9' };
    const answer = await ask({ path, headers });
    const tooLong = path.length > 9_000;
    assert.equal(answer.status, tooLong ? 414 : 503, path);
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
    assert.match(String(answer.headers['content-security-policy']), /style-src 'self'/);
    const [title, again] = tooLong
      ? ['Dieser Link funktioniert nicht', undefined]
      : ['Das ist gerade nicht möglich', '1'];
    assert.match(String(answer.body), new RegExp(`<html lang="de"[\\s\\S]*<h1>${title}</h1>`));
    assert.deepEqual([answer.headers['retry-after'], answer.headers['request-id']], [again, 'urn:uuid:x']);
  }
  assert.deepEqual(refused, ['capacity-reduced', 'capacity-reduced', 'capacity-reduced', 'uri-too-long']);
});

test('under overload a program, and a browser at another path, get the problem', async (t) => {
  const { ask } = await refusing(t, busy);
  for (const [path, accept] of [
    ['/received/x', undefined],
    ['/received/x', '*/*'],
    ['/received/x', 'application/json'],
    ['/received/x', 'application/problem+json, text/html'],
    ['/receivedx', browser],
    ['/', browser],
    ['/v1/notifications?x=/received/x', browser],
  ] as const) {
    const { status, headers } = await ask({ path, headers: accept === undefined ? {} : { accept } });
    assert.deepEqual([status, headers['content-type']], [503, 'application/problem+json'], `${path} ${accept}`);
  }
});

test('under overload a browser at any other page gets a page, and at a path of the API the problem', async (t) => {
  const { ask } = await refusing(t, busy, createUnavailablePage(defaultSite));
  for (const path of ['/', '/staff/batches?x=/v1', '/wallet/pages/x', '/docs']) {
    const answer = await ask({ path, headers: { accept: browser, 'accept-language': 'ar' } });
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'], path);
    assert.match(String(answer.body), /<html lang="ar" dir="rtl"/);
  }
  for (const [path, accept] of [
    ['/staff', 'application/json'],
    ['/wallet/responses/x', '*/*'],
    ['/v1/documents/x', browser],
    ['/ledger/checkpoint', browser],
  ] as const) {
    const { status, headers } = await ask({ path, headers: { accept } });
    assert.deepEqual([status, headers['content-type']], [503, 'application/problem+json'], `${path} ${accept}`);
  }
});

test('a page closes the connection if the problem response would close it', async (t) => {
  const { port } = await refusing(t, refuse('capacity-reduced', undefined, { headers: { connection: 'close' } }));
  const socket = createConnection(port, '127.0.0.1');
  const asking = `GET /received/x HTTP/1.1\r\nHost: gov.example\r\nAccept: ${browser}\r\n\r\n`;
  socket.write(`${asking}${asking}`);
  assert.deepEqual((await text(socket)).match(/^HTTP\/1\.1 .*$/gm), ['HTTP/1.1 503 Service Unavailable']);
});

test('a confirmation link that was cut or extended gets the page of an unknown link', async (t) => {
  const server = createApiServer({
    ...storelessServerOptions,
    publicUrl: 'https://gov.example',
    refusedPage: mailRefusalPage,
  });
  const ask = createHttpClient(`http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`);
  t.after(() => server.stop(1_000));
  for (const [path, status] of [
    ['/received/dlv_x.mark%', 400],
    ['/received/dlv_x.mark/yours', 404],
  ] as const) {
    const answer = await ask({ path, headers: { accept: browser, 'accept-language': 'fr' } });
    assert.equal(answer.status, status);
    assert.match(String(answer.body), /<html lang="fr"[\s\S]*<h1>Ce lien ne fonctionne pas<\/h1>/);
    const problem = await ask({ path, headers: { accept: '*/*' } });
    assert.deepEqual([problem.status, problem.headers['content-type']], [status, 'application/problem+json']);
  }
});
