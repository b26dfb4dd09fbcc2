import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { createHttpClient, type HttpResponse } from '../../test/support/http-client.ts';
import { storelessServerOptions } from '../../test/support/storeless-app.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { createApiServer } from './api-server.ts';
import { createFirstSlot } from './connection-balancer.ts';

// Only Linux spreads the connections of one port over several listeners.
const onLinux = { skip: process.platform !== 'linux' };

/** A server that says its name, at `/slow` by halves: the second when `goOn` is called. */
function namedServer(name: string, place: number, goOn: (call: () => void) => void = () => undefined) {
  const seat = { ...createFirstSlot(64), index: place };
  const handler: RequestListener = (request, response) => {
    if (request.url !== '/slow') {
      response.end(name);
      return;
    }
    response.write(name);
    goOn(() => response.end(name));
  };
  const server = createApiServer({
    ...storelessServerOptions,
    mounts: [{ paths: ['/name', '/slow'], methods: ['GET'], handler }],
    seat,
  });
  return { ...server, listens: () => Atomics.load(seat.connectionCounts, place) > 0 };
}

async function startFirst(t: TestContext): Promise<{ readonly url: string; readonly port: number }> {
  const server = namedServer('first', 0);
  const port = await server.listen('127.0.0.1', 0);
  t.after(() => server.stop(1_000));
  return { url: `http://127.0.0.1:${port}`, port };
}

/** Calls over kept connections until that server answers one, whose connection the exchange it gives has. */
async function connectedTo(t: TestContext, { url, name }: { readonly url: string; readonly name: string }) {
  for (;;) {
    const exchange = createHttpClient(url, 1);
    t.after(() => exchange.close());
    if (textOf(await exchange({ path: '/name' })) === name) return exchange;
  }
}

const textOf = ({ body }: HttpResponse) => body.toString();

/** What the answer said, and whether its connection goes on. */
const told = (answer: HttpResponse) => [answer.status, textOf(answer), answer.headers.connection];

test(
  'a server that leaves its port to another finishes what was begun and lets each connection go behind its next answer',
  onLinux,
  async (t) => {
    const { url, port } = await startFirst(t);
    let goOn: (() => void) | undefined;
    const second = namedServer('second', 1, (call) => {
      goOn = call;
    });
    t.after(() => second.stop(1_000));
    await second.listen('127.0.0.1', port);
    const slow = await connectedTo(t, { url, name: 'second' });
    const kept = await connectedTo(t, { url, name: 'second' });
    const idle = await connectedTo(t, { url, name: 'second' });
    const download = slow({ path: '/slow' });
    await waitUntil(async () => goOn !== undefined);
    let isOver = false;
    const leaving = second.drainConnections().then(() => {
      isOver = true;
    });
    const fresh = createHttpClient(url);
    // Its listening socket is closed a few turns later.
    await waitUntil(async () => !second.listens());
    for (let n = 0; n < 20; n += 1) assert.equal(textOf(await fresh({ path: '/name' })), 'first');
    assert.deepEqual(told(await kept({ path: '/name' })), [200, 'second', 'close']);
    assert.deepEqual(told(await kept({ path: '/name' })), [200, 'first', 'keep-alive']);
    assert.equal(isOver, false);
    goOn?.();
    assert.equal(textOf(await download), 'secondsecond');
    assert.equal(isOver, false, 'one connection is idle still');
    // Nobody cuts it off; it ends when its time is over.
    await leaving;
    // Its caller may learn of that by the next request alone, and makes it anew.
    const anew = await idle({ path: '/name' }).catch(() => idle({ path: '/name' }));
    assert.deepEqual(told(anew), [200, 'first', 'keep-alive']);
  },
);

test(
  'who waits to be accepted when a server leaves the port is answered, by whichever the kernel chose',
  onLinux,
  async (t) => {
    const { url, port } = await startFirst(t);
    const fresh = createHttpClient(url);
    for (let place = 1; place <= 8; place += 1) {
      const name = `number ${place}`;
      const server = namedServer(name, place);
      await server.listen('127.0.0.1', port);
      const calls = Array.from({ length: 48 }, () => fresh({ path: '/name' }));
      // Now they are connected, and none has been accepted.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      await server.drainConnections();
      const names = new Set((await Promise.all(calls)).map(textOf));
      assert.deepEqual(names, new Set(['first', name]));
      await server.stop(1_000);
    }
  },
);

test('a server that is stopped while it leaves stops as any does', onLinux, async (t) => {
  const { url, port } = await startFirst(t);
  let isBegun = false;
  const second = namedServer('second', 1, () => {
    isBegun = true;
  });
  await second.listen('127.0.0.1', port);
  const slow = await connectedTo(t, { url, name: 'second' });
  const kept = await connectedTo(t, { url, name: 'second' });
  const download = assert.rejects(slow({ path: '/slow' }));
  await waitUntil(async () => isBegun);
  const leaving = second.drainConnections();
  const stopping = second.stop(2_500);
  assert.deepEqual(told(await kept({ path: '/name' })), [200, 'second', 'close']);
  await Promise.all([stopping, leaving, download]);
  assert.equal(textOf(await kept({ path: '/name' })), 'first');
});

test('a server that stops refuses nobody who is connected: each is answered once more, and sent away', async (t) => {
  let goOn: (() => void) | undefined;
  const server = namedServer('only', 0, (call) => {
    goOn = call;
  });
  const port = await server.listen('127.0.0.1', 0);
  const at = { url: `http://127.0.0.1:${port}`, name: 'only' };
  const [slow, kept, idle] = [await connectedTo(t, at), await connectedTo(t, at), await connectedTo(t, at)];
  const download = slow({ path: '/slow' });
  await waitUntil(async () => goOn !== undefined);
  const stopped = server.stop(60_000);
  // It listens no more some turns later.
  const fresh = async () => await createHttpClient(at.url)({ path: '/name' }).catch((fault: unknown) => fault);
  await waitUntil(async () => (await fresh()) instanceof Error);
  assert.deepEqual(told(await kept({ path: '/name' })), [200, 'only', 'close']);
  await assert.rejects(kept({ path: '/name' }));
  goOn?.();
  assert.equal(textOf(await download), 'onlyonly');
  await stopped;
  await assert.rejects(idle({ path: '/name' }));
});
