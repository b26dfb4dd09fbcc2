import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { bodyLimits, createBodyTimeouts, markStreamed } from './body-timeouts.ts';

/** A request whose body the test sends, with a mocked timer. */
async function slowRequest(t: TestContext, streams: boolean, read = true) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const arriving = once(server, 'request');
  const socket = connect(address.port, '127.0.0.1');
  t.after(() => {
    socket.destroy();
    server.close();
  });
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000\r\n\r\n');
  const [request, response] = (await arriving) as [IncomingMessage, ServerResponse];
  t.mock.timers.enable({ apis: ['setInterval'] });
  const slow: number[] = [];
  if (streams) markStreamed(request);
  const watch = createBodyTimeouts(() => slow.push(1));
  t.after(watch.stop);
  watch.begin(request);
  const send = async (bytes: number) => {
    const goal = request.socket.bytesRead + bytes;
    socket.write(Buffer.alloc(bytes));
    while (request.socket.bytesRead < goal) await once(request, 'data');
  };
  if (read) request.resume();
  return { slow, send, request, response, span: () => t.mock.timers.tick(bodyLimits.spanMs) };
}

test('a streamed body may take any time, until fewer bytes than required arrive in one span', async (t) => {
  const { slow, send, span } = await slowRequest(t, true);
  for (let count = 0; count < 8; count += 1) {
    await send(bodyLimits.spanBytes);
    span();
  }
  assert.deepEqual(slow, []);
  await send(bodyLimits.spanBytes - 1);
  span();
  assert.deepEqual(slow, [1]);
  span();
  assert.deepEqual(slow, [1]);
});

test('a body that is read into memory has a limit for its total time, however fast it arrives', async (t) => {
  const { slow, send, span } = await slowRequest(t, false);
  for (let at = 0; at < bodyLimits.wholeMs; at += bodyLimits.spanMs) {
    assert.deepEqual(slow, []);
    await send(200_000);
    span();
  }
  assert.deepEqual(slow, [1]);
});

test('a sender whose bytes wait in the server does not count as slow', async (t) => {
  const { slow, request, span, send } = await slowRequest(t, true);
  await send(bodyLimits.spanBytes);
  span();
  request.pause();
  request.unshift(Buffer.from('held'));
  span();
  assert.deepEqual(slow, []);
});

test('a request whose body was never read does not count as slow after its connection ended', async (t) => {
  const { slow, request, response, span } = await slowRequest(t, true, false);
  response.setHeader('connection', 'close');
  const gone = once(request.socket, 'close');
  response.end('no');
  await gone;
  span();
  span();
  assert.deepEqual(slow, []);
});
