import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { Type } from 'typebox';
import { createApiServer } from '../../src/api/api-server.ts';
import { bodyLimits } from '../../src/api/body-timeouts.ts';
import { loadLimits } from '../../src/api/load-shedding.ts';
import { createLog } from '../../src/api/log.ts';
import { bindOperation, defineOperation, type OperationCall } from '../../src/api/operation.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createHttpClient, statusCodesIn } from '../support/http-client.ts';
import { storelessContext } from '../support/storeless-app.ts';

const request = { body: Type.Object({ text: Type.String() }) };
const says = defineOperation({
  name: 'says',
  since: '1.0',
  method: 'POST',
  path: '/v1/says',
  scope: null,
  callers: ['clients'],
  summary: '',
  description: '',
  request,
  responses: {},
  refusals: [],
  citizenData: false,
  run: async (_call: OperationCall<typeof request, null>) => ({ plain: { status: 200, json: {} } }),
});

/** Small enough that the turns of the event loop stay short on a busy machine, and that the system can queue the connections. */
const atOnce = 50;

test('stalled bodies, one for each possible request, do not keep others from being served, and the oldest is disconnected', async (t) => {
  const server = createApiServer({
    app: storelessContext,
    operations: [bindOperation(says, null)],
    pages: [],
    mounts: [],
    publicUrl: 'http://127.0.0.1',
    apiVersion: '1.0.0',
    random: systemRandom,
    log: createLog('silent'),
  });
  const port = await server.listen('127.0.0.1', 0);
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await server.stop(1_000);
  });
  const responses: string[] = [];
  while (sockets.length < loadLimits.inFlight + 1) {
    const wave = Array.from({ length: atOnce }, (_, at) => {
      const place = sockets.length + at;
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.on('data', (bytes) => {
        responses[place] = (responses[place] ?? '') + bytes.toString('latin1');
      });
      socket.write(
        'POST /v1/says HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
      );
      return socket;
    });
    sockets.push(...wave);
    await Promise.all(wave.map((socket) => once(socket, 'connect')));
    // When the server has answered a later request, it has seen these.
    const ask = createHttpClient(`http://127.0.0.1:${port}`);
    const headers = { 'content-type': 'application/json' };
    const { status } = await ask({ method: 'POST', path: '/v1/says', headers, body: '{"text":"served"}' });
    assert.equal(status, 200, `with ${sockets.length} bodies on their way`);
  }
  const cutOff = sockets.length - bodyLimits.maxAwaited;
  assert.deepEqual(statusCodesIn(responses[0] ?? ''), [408]);
  assert.ok(Object.keys(responses).length <= cutOff + 1);
  assert.equal(responses[sockets.length - 1], undefined);
});
