import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { createHttpClient, type HttpResponse } from '../../test/support/http-client.ts';
import { storelessServerOptions } from '../../test/support/storeless-app.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { createApiServer } from './api-server.ts';

// Only Linux distributes the connections of one port to several listeners.
const onLinux = { skip: process.platform !== 'linux' };

/** A server that answers with its name. At `/slow` it sends the name twice: the second time when `onSlow` receives the call. */
function namedServer(name: string, onSlow: (finish: () => void) => void = () => undefined) {
  const handler: RequestListener = (request, response) => {
    if (request.url !== '/slow') {
      response.end(name);
      return;
    }
    response.write(name);
    onSlow(() => response.end(name));
  };
  return createApiServer({
    ...storelessServerOptions,
    mounts: [{ paths: ['/name', '/slow'], methods: ['GET'], handler }],
    reusePort: true,
  });
}

const textOf = ({ body }: HttpResponse) => body.toString();

const statusTextAndConnection = (response: HttpResponse) => [
  response.status,
  textOf(response),
  response.headers.connection,
];

/** A client whose one connection has answered a request. */
async function connectedClient(t: TestContext, url: string) {
  const client = createHttpClient(url, 1);
  t.after(() => client.close());
  await client({ path: '/name' });
  return client;
}

test('when one of two listeners stops, every connection that waits to be accepted is answered', onLinux, async (t) => {
  const first = namedServer('first');
  const port = await first.listen('127.0.0.1', 0);
  t.after(() => first.stop(1_000));
  const fresh = createHttpClient(`http://127.0.0.1:${port}`);
  for (let round = 1; round <= 8; round += 1) {
    const name = `number ${round}`;
    const server = namedServer(name);
    await server.listen('127.0.0.1', port);
    const calls = Array.from({ length: 48 }, () => fresh({ path: '/name' }));
    // Now they are connected, and none has been accepted.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const stopped = server.stop(1_000);
    const names = new Set((await Promise.all(calls)).map(textOf));
    assert.deepEqual(names, new Set(['first', name]));
    await stopped;
  }
});

test('a server that stops answers one more request on each open connection, and closes it', async (t) => {
  let finish: (() => void) | undefined;
  const server = namedServer('only', (call) => {
    finish = call;
  });
  const url = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`;
  const [slow, busy, idle] = [
    await connectedClient(t, url),
    await connectedClient(t, url),
    await connectedClient(t, url),
  ];
  const download = slow({ path: '/slow' });
  await waitUntil(async () => finish !== undefined);
  const stopped = server.stop(60_000);
  // The listening socket closes a few turns later.
  const connectAgain = async () => await createHttpClient(url)({ path: '/name' }).catch((fault: unknown) => fault);
  await waitUntil(async () => (await connectAgain()) instanceof Error);
  assert.deepEqual(statusTextAndConnection(await busy({ path: '/name' })), [200, 'only', 'close']);
  await assert.rejects(busy({ path: '/name' }));
  finish?.();
  assert.equal(textOf(await download), 'onlyonly');
  // No request is at work now, and the idle connection is still open.
  assert.deepEqual(statusTextAndConnection(await idle({ path: '/name' })), [200, 'only', 'close']);
  await stopped;
  await assert.rejects(idle({ path: '/name' }));
});

test('no request on an open connection is cut when the server stops', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const server = namedServer('open');
    t.after(() => server.stop(0));
    const url = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`;
    const clients = await Promise.all(Array.from({ length: 50 }, () => connectedClient(t, url)));
    let stopped: Promise<void> | undefined;
    /** Sends requests one after the other until the server closes the connection, as it has announced. */
    const callUntilClosed = async (client: Awaited<ReturnType<typeof connectedClient>>) => {
      for (let calls = 0; ; calls += 1) {
        const response = await client({ path: '/name' });
        // A busy machine may answer 503, which is an answer too.
        assert.ok([200, 503].includes(response.status));
        if (response.headers.connection === 'close') return;
        if (calls === 3) stopped ??= server.stop(60_000);
      }
    };
    await Promise.all(clients.map(callUntilClosed));
    await stopped;
  }
});

test('a server that stops closes an idle connection after the keep-alive time', async (t) => {
  const server = namedServer('idle');
  const url = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`;
  const client = await connectedClient(t, url);
  await server.stop(60_000);
  await assert.rejects(client({ path: '/name' }));
});
