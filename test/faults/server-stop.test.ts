import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { startPostgres } from '../postgres-server.ts';
import { endingThreadsOf } from '../thread-end.ts';
import { until } from '../until.ts';
import { makeHome } from '../whole-server.ts';

const longestMs = 45_000;

test('a server whose terminal is closed finishes what it has in hand, as when it is told to end', async (t) => {
  const home = await makeHome(t);
  const server = await home.start('demo');
  assert.deepEqual(await server.end('SIGHUP'), { code: 0, signal: null });
});

test('sqlite: a server that has lost its database ends with a fault and says so: a supervisor starts it anew', async (t) => {
  const home = await makeHome(t, { settings: endingThreadsOf('sqlite-writer', t) });
  const server = await home.start('demo');
  assert.deepEqual(await server.end('SIGUSR2'), { code: 1, signal: null });
  assert.match(server.stderr(), /"where":"database","fault":.*the SQLite writer is lost: its thread ended with code 1/);
  assert.deepEqual(await (await home.start('demo')).end('SIGTERM'), { code: 0, signal: null });
});

test('postgres: a server whose database is gone is not ready, and still ends when it is told to', async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const settings = { DATABASE_URL: postgres.url.replace('@/', '@localhost/') };
  const home = await makeHome(t, { settings });
  const server = await home.start();
  await postgres.stop();
  await until(async () => (await fetch(`${home.url}/readyz`)).status === 503);
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), longestMs);
  t.after(() => clearTimeout(timer));
  const ending = await Promise.race([server.end('SIGTERM'), late.promise]);
  assert.deepEqual(ending, { code: 0, signal: null });
  assert.match(server.stderr(), /"where":"stop"/);
});

test('a server whose relay, webhook and caller never finish ends in one time for all of them, however often it is told to', async (t) => {
  // Says what a relay says up to the message, and then nothing; to a webhook it is a receiver that never answers.
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
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : assert.fail();
  const home = await makeHome(t, { settings: { SMTP_URL: `smtp://127.0.0.1:${port}`, API_THREADS: '1' } });
  const server = await home.start('demo');
  const headers = { authorization: `Bearer ${await home.token()}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${home.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, await answer.text());
  };
  await post('/v1/webhooks', { url: `http://127.0.0.1:${port}/hook` });
  const { citizenId } = home.demo().citizens[0] ?? assert.fail();
  for (let sent = 0; sent < 60; sent += 1) await post('/v1/notifications/send', { citizenId, message: 'Hello.' });
  const slow = connect(home.port, '127.0.0.1');
  slow.on('error', () => slow.destroy());
  slow.write('POST /v1/notifications/send HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{');
  t.after(() => slow.destroy());
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), longestMs);
  t.after(() => clearTimeout(timer));
  // As whoever started it tells it, and the group of processes that it is in, and the watch of main.ts over npm.
  const again = setInterval(() => void server.end('SIGTERM'), 500);
  t.after(() => clearInterval(again));
  assert.deepEqual(await Promise.race([server.end('SIGTERM'), late.promise]), { code: 0, signal: null });
});
