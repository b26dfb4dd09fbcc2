import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { limitConnectionsPerAddress } from './guard.ts';
import { endSlowReaders } from './slow-readers.ts';

async function listening(t: { after(run: () => void): void }, bytes: number) {
  const server = createServer((_request, response) => response.end(Buffer.alloc(bytes)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { server, port: address.port };
}

test('a client that does not read its response is disconnected, and one that reads it is not', async (t) => {
  const { server, port } = await listening(t, 32_000_000);
  endSlowReaders(server, { spanMs: 2_500, spanBytes: 1 });
  const still = connect({ host: '127.0.0.1', port });
  still.pause();
  still.on('error', () => undefined);
  still.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'));
  let taken = 0;
  const reading = request({ port, host: '127.0.0.1' });
  reading.end();
  const [response] = await once(reading, 'response');
  for await (const chunk of response) taken += chunk.length;
  await closed;
  assert.equal(taken, 32_000_000);
  still.destroy();
});

test('a client is disconnected only after it has read too little of a waiting response for a whole span', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const server = createServer();
  endSlowReaders(server, { spanMs: 1_000, spanBytes: 100 });
  const cut: string[] = [];
  /** For each check: the bytes that wait for the reader, and the bytes that it has read. */
  const looks: Readonly<Record<string, readonly (readonly [waiting: number, taken: number])[]>> = {
    idle: [
      [0, 10],
      [0, 10],
      [0, 10],
    ],
    'at its end': [
      [50, 10],
      [0, 60],
      [0, 60],
    ],
    'at a new answer each time': [
      [50, 10],
      [0, 60],
      [50, 70],
    ],
    steady: [
      [900, 100],
      [800, 200],
      [700, 300],
    ],
    dripping: [
      [900, 100],
      [801, 199],
      [801, 199],
    ],
    still: [
      [0, 0],
      [900, 0],
      [900, 0],
    ],
    'gone before': [
      [900, 0],
      [900, 0],
      [900, 0],
    ],
  };
  const sockets = Object.keys(looks).map((name) => {
    const destroy = () => cut.push(name);
    return Object.assign(new EventEmitter(), { name, writableLength: 0, bytesWritten: 0, destroy });
  });
  // The code reads only these properties of a socket.
  for (const socket of sockets) server.emit('connection', socket as unknown as Socket);
  const perLook = [0, 1, 2].map((look) => {
    for (const socket of sockets) {
      const [waiting, taken] = looks[socket.name]?.[look] ?? assert.fail();
      Object.assign(socket, { writableLength: waiting, bytesWritten: taken + waiting });
    }
    t.mock.timers.tick(1_000);
    sockets.at(-1)?.emit('close');
    return cut.splice(0);
  });
  assert.deepEqual(perLook, [[], ['dripping'], ['dripping', 'still']]);
  server.emit('close');
  t.mock.timers.tick(1_000);
  assert.deepEqual(cut, []);
});

test('an address at its limit of connections gets no further one until it closes one', async (t) => {
  const { server, port } = await listening(t, 1);
  limitConnectionsPerAddress(server, 3);
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const answered = await Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ]);
    return { socket, answered };
  };
  const three = [await open(), await open(), await open()];
  assert.deepEqual([...three.map(({ answered }) => answered), (await open()).answered], [true, true, true, false]);
  const gone = new Promise<void>((resolve) => {
    const look = () => server.getConnections((_fault, count) => (count < 3 ? resolve() : setImmediate(look)));
    look();
  });
  three[0]?.socket.destroy();
  await gone;
  assert.equal((await open()).answered, true);
  for (const { socket } of three) socket.destroy();
});
