import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { bodyLimits, createBodyTimeouts, markStreamed } from './body-timeouts.ts';

/** A request whose body the test sends by hand, over a timer that the test moves. */
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
  const told: number[] = [];
  if (streams) markStreamed(request);
  const watch = createBodyTimeouts(() => told.push(1));
  t.after(watch.stop);
  watch.begin(request);
  const send = async (bytes: number) => {
    const goal = request.socket.bytesRead + bytes;
    socket.write(Buffer.alloc(bytes));
    while (request.socket.bytesRead < goal) await once(request, 'data');
  };
  if (read) request.resume();
  return { told, send, request, response, span: () => t.mock.timers.tick(bodyLimits.spanMs) };
}

test('a streamed body may take any time while enough of it arrives in each span, and no longer', async (t) => {
  const { told, send, span } = await slowRequest(t, true);
  for (let count = 0; count < 8; count += 1) {
    await send(bodyLimits.spanBytes);
    span();
  }
  assert.deepEqual(told, []);
  await send(bodyLimits.spanBytes - 1);
  span();
  assert.deepEqual(told, [1]);
  span();
  assert.deepEqual(told, [1]);
});

test('a body that is read into memory has its time, however fast it comes', async (t) => {
  const { told, send, span } = await slowRequest(t, false);
  for (let at = 0; at < bodyLimits.wholeMs; at += bodyLimits.spanMs) {
    assert.deepEqual(told, []);
    await send(200_000);
    span();
  }
  assert.deepEqual(told, [1]);
});

test('bytes that we have not taken yet are not counted against the sender', async (t) => {
  const { told, request, span, send } = await slowRequest(t, true);
  await send(bodyLimits.spanBytes);
  span();
  request.pause();
  request.unshift(Buffer.from('held'));
  span();
  assert.deepEqual(told, []);
});

test('a body that was never taken is watched no more once its request is answered and its connection gone', async (t) => {
  const { told, request, response, span } = await slowRequest(t, true, false);
  response.setHeader('connection', 'close');
  const gone = once(request.socket, 'close');
  response.end('no');
  await gone;
  span();
  span();
  assert.deepEqual(told, []);
});
