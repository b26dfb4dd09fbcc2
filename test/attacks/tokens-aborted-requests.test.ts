import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { listenOnLoopback, startTokenServer } from '../support/token-app.ts';

const head = 'POST /oauth2/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n';
const form = 'grant_type=client_credentials&client_id=nobody&client_secret=none';

/** Requests whose client closes the connection: within the body, with FIN or RST, and right after it. */
const abortedRequests: readonly (readonly [string, 'end' | 'resetAndDestroy'])[] = [
  [`${head}Content-Length: 500\r\n\r\ngrant_type=`, 'end'],
  [`${head}Content-Length: 500\r\n\r\ngrant_type=`, 'resetAndDestroy'],
  [`${head}Content-Length: ${form.length}\r\n\r\n${form}`, 'resetAndDestroy'],
];

test('a token request that its client aborts is not reported as a fault of the server', async (t) => {
  const served = await startTokenServer(t);
  const gone: Promise<unknown>[] = [];
  const { origin, ask } = await listenOnLoopback(t, (request, response) => {
    if (request.headers['x-stays'] === undefined) gone.push(once(response, 'close'));
    served.handler(request, response);
  });
  for (let round = 0; round < 5; round += 1) {
    for (const [text, leave] of abortedRequests) {
      const socket = connect(Number(new URL(origin).port), '127.0.0.1');
      socket.on('error', () => undefined);
      const came = gone.length + 1;
      socket.write(text);
      while (gone.length < came) await new Promise((resolve) => setImmediate(resolve));
      socket[leave]();
      await gone.at(-1);
    }
  }
  assert.equal((await ask({}, { 'x-stays': 'yes' })).status, 400);
  assert.deepEqual(served.reportedErrors, []);
});

test('a client id that no database can store is treated as an unknown client', async (t) => {
  const served = await startTokenServer(t);
  for (const id of ['a\0b', '\0']) {
    const { status, body } = await served.ask({ client_id: id, client_secret: 'x' });
    assert.deepEqual([status, body['error']], [401, 'invalid_client']);
  }
  assert.deepEqual(served.reportedErrors, []);
});
