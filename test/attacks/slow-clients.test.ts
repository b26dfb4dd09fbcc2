import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { before, suite, type TestContext, test } from 'node:test';
import { bearerHeaders, createHttpClient, statusCodesIn } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { createClientToken, validDepositHeaders, validDocument } from '../support/valid-requests.ts';

const longestMs = 45_000;

let home: ServerFixture;
let token: string;
const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
  token = await createClientToken(home, 'Slow');
});

/**
 * The end of a connection: the response, the seconds until it closed, and whether a write failed on it, which discards unread
 * bytes.
 */
type Ended = { readonly text: string; readonly seconds: number; readonly isReset: boolean };

/** Opens a connection, sends `first`, then a piece each second, and reads everything. */
async function crawl(first: string, piece: string): Promise<Ended> {
  const from = performance.now();
  const socket: Socket = connect({ host: '127.0.0.1', port: home.port });
  let isReset = false;
  socket.on('error', () => {
    isReset = true;
  });
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await once(socket, 'connect');
  socket.write(first);
  const dripping = setInterval(() => piece !== '' && socket.write(piece), 1_000);
  // `once` would reject after a connection reset.
  await new Promise<void>((resolve) => socket.once('close', () => resolve()).once('end', () => resolve()));
  clearInterval(dripping);
  socket.destroy();
  return { text, seconds: (performance.now() - from) / 1_000, isReset };
}

/** Serves another client meanwhile, and returns its longest response time in milliseconds. */
async function serveOthers(until: Promise<unknown>): Promise<number> {
  const ask = createHttpClient(home.url);
  let over = false;
  void Promise.allSettled([until]).then(() => {
    over = true;
  });
  let [longest, served, refused] = [0, 0, 0];
  while (!over) {
    const from = performance.now();
    const { status } = await ask({ path: '/v1/notifications?limit=1', headers: bearerHeaders(token) });
    // A machine that pauses makes the server refuse requests.
    if (status === 503) refused += 1;
    else {
      assert.equal(status, 200);
      served += 1;
      longest = Math.max(longest, performance.now() - from);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.ok(served > 10 * refused, `${served} served, ${refused} refused`);
  return longest;
}

// Concurrent, because each takes half a minute.
suite('clients that never finish', { concurrency: 3 }, () => {
  test('[R65] slow headers and slow bodies receive 408 within their limits, and other clients are served meanwhile', async (t) => {
    const post = (length: string) =>
      `POST /v1/notifications/send HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`;
    const many = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: 100 }, make));
    const slow = Promise.all([
      many(() => crawl('GET /v1 HTTP/1.1\r\nhost: localhost\r\nx-a: ', 'b')),
      many(() => crawl('', '')),
      many(() => crawl(post('content-length: 60000'), ' ')),
      many(() => crawl(post('transfer-encoding: chunked'), '1\r\n \r\n')),
    ]);
    const longest = await serveOthers(slow);
    const [headers, silent, bodies, chunks] = await slow;
    const most = (ended: readonly Ended[]) => Math.max(...ended.map(({ seconds }) => seconds));
    for (const ended of [headers, bodies, chunks]) {
      const answered = ended.filter(({ text, isReset }) => text !== '' || !isReset);
      for (const { text } of answered) assert.deepEqual(statusCodesIn(text), [408]);
      assert.ok(answered.length >= 50, `${answered.length} of ${ended.length} received a response`);
    }
    t.diagnostic(
      `closed after ${[headers, silent, bodies, chunks].map((ended) => most(ended).toFixed(1))} s; others waited ${longest.toFixed(0)} ms at most`,
    );
    // 5 s for headers, 30 s for a body that is read into memory, and the delay of a busy machine.
    assert.ok(most(headers) < 20 && most(silent) < 20 && most([...bodies, ...chunks]) < 60);
  });

  test('[R65] a client that requests documents and does not read them is disconnected', async () => {
    const ask = createHttpClient(home.url);
    const bytes = Buffer.concat([validDocument, Buffer.alloc(30_000_000, 'x')]);
    const deposited = await ask({
      method: 'POST',
      path: '/v1/documents',
      headers: bearerHeaders(token, validDepositHeaders(bytes)),
      body: bytes,
    });
    assert.equal(deposited.status, 201, deposited.body.toString());
    const { id } = JSON.parse(deposited.body.toString()) as { id: string };
    const get = `GET /v1/documents/${id} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`;
    const readers = Promise.all(Array.from({ length: 20 }, () => stalled(get)));
    await serveOthers(readers);
    assert.ok((await readers).every((seconds) => seconds < 90));
  });

  test('a server whose relay, webhook receiver and client never finish stops within one deadline, even after repeated signals', async (t) => {
    const port = await silentRelay(t);
    const home = await makeServerFixture(t, { settings: { SMTP_URL: `smtp://127.0.0.1:${port}`, API_THREADS: '1' } });
    const server = await home.start('demo');
    const headers = { authorization: `Bearer ${await home.fetchAccessToken()}`, 'content-type': 'application/json' };
    const post = async (path: string, body: object) => {
      const answer = await fetch(`${home.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      assert.ok(answer.ok, await answer.text());
    };
    await post('/v1/webhooks', { url: `http://127.0.0.1:${port}/hook` });
    const { citizenId } = home.readDemoFile().citizens[0] ?? assert.fail();
    for (let sent = 0; sent < 60; sent += 1) await post('/v1/notifications/send', { citizenId, message: 'Hello.' });
    const slow = connect(home.port, '127.0.0.1');
    slow.on('error', () => slow.destroy());
    slow.write('POST /v1/notifications/send HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{');
    t.after(() => slow.destroy());
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => late.resolve('late'), longestMs);
    t.after(() => clearTimeout(timer));
    // A terminal, a process group and npm can all send the signal again.
    const again = setInterval(() => void server.stop('SIGTERM'), 500);
    t.after(() => clearInterval(again));
    assert.deepEqual(await Promise.race([server.stop('SIGTERM'), late.promise]), { code: 0, signal: null });
  });
});

/** Sends a request without reading, and returns the seconds until the server has closed the connection. */
async function stalled(request: string): Promise<number> {
  const from = performance.now();
  const socket = connect({ host: '127.0.0.1', port: home.port });
  await once(socket, 'connect');
  socket.pause();
  const gone = new Promise<void>((resolve) => {
    socket.once('error', () => resolve());
    socket.once('close', () => resolve());
  });
  socket.write(request);
  // A paused socket notices a reset only when it writes.
  const looking = setInterval(() => socket.write('\r\n'), 1_000);
  await gone;
  clearInterval(looking);
  socket.destroy();
  return (performance.now() - from) / 1_000;
}

/** An SMTP relay that stops at the message. For a webhook it is a receiver that never responds. Returns its port. */
async function silentRelay(t: TestContext): Promise<number> {
  const silent = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.write('220 silent\r\n');
    socket.on('data', (bytes) => {
      const word = bytes.toString('latin1').slice(0, 4).toUpperCase();
      if (['EHLO', 'MAIL', 'RCPT'].includes(word)) socket.write('250 ok\r\n');
      if (word === 'DATA') socket.write('354 go on\r\n');
    });
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => silent.close());
  // A server that listens on TCP has an address with a port.
  return (silent.address() as AddressInfo).port;
}
