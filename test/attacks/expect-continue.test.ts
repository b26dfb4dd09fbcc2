import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import { type ApiServer, createApiServer } from '../../src/api/api-server.ts';
import type { Authorizer } from '../../src/api/dispatch.ts';
import { bindOperation, defineOperation, type OperationCall } from '../../src/api/operation.ts';
import { refuse } from '../../src/kernel/refusal.ts';
import { sendRawHttp, statusCodesIn } from '../support/http-client.ts';
import { storelessContext, storelessServerOptions } from '../support/storeless-app.ts';

let server: ApiServer;
let port = 0;
const seen: unknown[] = [];

const described = {
  since: '1.0',
  method: 'POST',
  scope: 'documents:write',
  callers: ['clients'],
  summary: '',
  description: '',
} as const;
const request = { body: Type.Object({ text: Type.String() }) };
const reading = defineOperation({
  ...described,
  name: 'reading',
  path: '/v1/reading',
  request,
  citizenData: false,
  responses: { 200: { description: '' } },
  refusals: [],
  run: async (call: OperationCall<typeof request, null>) => {
    seen.push(call.body.text);
    return { plain: { status: 200, json: {} } };
  },
});
const streaming = defineOperation({
  ...described,
  name: 'streaming',
  path: '/v1/streaming',
  request: {},
  citizenData: false,
  responses: { 200: { description: '' } },
  refusals: [],
  bodyBytes: { usualType: 'text/plain' },
  run: async (call: OperationCall<object, null>) => {
    seen.push(await text(call.bytes));
    return { plain: { status: 200, json: {} } };
  },
});

/** Resolves when the operation has read the first bytes of its body. `closed` resolves when the body has closed. */
let unread = Promise.withResolvers<{ readonly closed: Promise<void> }>();
const pausing = defineOperation({
  ...described,
  name: 'pausing',
  path: '/v1/pausing',
  request: {},
  citizenData: false,
  responses: { 200: { description: '' } },
  refusals: [],
  bodyBytes: { usualType: 'text/plain' },
  run: async (call: OperationCall<object, null>) => {
    await once(call.bytes, 'data');
    call.bytes.pause();
    // `once` of node:events would listen for errors too.
    const closed = new Promise<void>((resolve) => void call.bytes.on('close', resolve));
    unread.resolve({ closed });
    await closed;
    return { plain: { status: 200, json: {} } };
  },
});

before(async () => {
  const authorizer: Authorizer = {
    ...storelessContext.authorizer,
    takeQuota: () => ({ headers: {} }),
    authenticate: async (authorization) =>
      authorization === 'Bearer good'
        ? { clientId: 'a', scopes: new Set(['documents:write']) }
        : refuse('invalid-access-token'),
  };
  server = createApiServer({
    ...storelessServerOptions,
    app: { ...storelessContext, authorizer },
    operations: [bindOperation(reading, null), bindOperation(streaming, null), bindOperation(pausing, null)],
    mounts: [
      {
        paths: ['/mount'],
        methods: ['POST'],
        handler: (request, response) => void text(request).then((body) => response.end(void seen.push(body))),
      },
    ],
  });
  port = await server.listen('127.0.0.1', 0);
});
after(() => server.stop(1_000));

const head = (path: string, token: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;

const body = '{"text":"whole"}';
/** The next request on the connection, which closes it. */
const next = 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

for (const [path, read] of [
  ['/v1/reading', 'whole'],
  ['/v1/streaming', body],
  ['/mount', body],
] as const) {
  test(`${path}: an authorized client receives 100 Continue once, its body is read, and the next request is answered`, async () => {
    seen.length = 0;
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write(head(path, 'good', body.length));
    const [interim] = await once(socket, 'data');
    assert.equal(interim, 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body + next);
    assert.deepEqual([statusCodesIn(await text(socket)), seen], [[200, 204], [read]]);
  });

  test(`${path}: a body that does not wait for 100 Continue is read`, async () => {
    seen.length = 0;
    const response = await sendRawHttp(port, head(path, 'good', body.length) + body + next);
    assert.deepEqual([statusCodesIn(response).find((status) => status !== 100), seen], [200, [read]]);
  });
}

test('a client that receives 100 Continue and then sends too much receives 413', async () => {
  const chunked = head('/v1/reading', 'good', 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write(chunked);
  const [interim] = await once(socket, 'data');
  assert.equal(interim, 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(`${(70_000).toString(16)}\r\n${'x'.repeat(70_000)}`);
  const [response] = await once(socket, 'data');
  assert.deepEqual(statusCodesIn(String(response)), [413]);
  socket.destroy();
});

// The body has no reader when its client goes away. Without a listener its error would end the process.
test('a client that receives 100 Continue and disconnects before its body is read does not end the process', {
  timeout: 10_000,
}, async () => {
  unread = Promise.withResolvers();
  const chunked = head('/v1/pausing', 'good', 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write(chunked);
  const [interim] = await once(socket, 'data');
  assert.equal(interim, 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('5\r\nfirst\r\n');
  const { closed } = await unread.promise;
  socket.destroy();
  await closed;
  assert.deepEqual(statusCodesIn(await sendRawHttp(port, next)), [204]);
});

for (const [what, message, status] of [
  ['a bad token', head('/v1/reading', 'bad', 60_000), 401],
  ['a bad token for a stream', head('/v1/streaming', 'bad', 104_857_600), 401],
  ['an unknown path', head('/v1/nothing', 'good', 60_000), 404],
  ['two hosts', head('/v1/reading', 'good', 60_000).replace('Host: a', 'Host: a, b'), 400],
  ['a body that is too large', head('/v1/reading', 'good', 66_000), 413],
] as const) {
  test(`with ${what}, a client that waits for 100 Continue receives ${status} instead, and the connection closes`, async () => {
    seen.length = 0;
    const response = await sendRawHttp(port, message);
    assert.deepEqual([statusCodesIn(response), seen], [[status], []]);
    assert.match(response, /^connection: close\r$/im);
  });
}
