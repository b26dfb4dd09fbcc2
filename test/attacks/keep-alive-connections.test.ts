import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import { type ApiServer, createApiServer } from '../../src/api/api-server.ts';
import { bindOperation, defineOperation, type OperationCall } from '../../src/api/operation.ts';
import { sendRawHttp, statusCodesIn } from '../support/http-client.ts';
import { storelessServerOptions } from '../support/storeless-app.ts';

let server: ApiServer;
let port = 0;
let held = Promise.resolve();

const request = { body: Type.Object({ hold: Type.Boolean() }, { additionalProperties: false }) };
const work = defineOperation({
  name: 'work',
  since: '1.0',
  method: 'POST',
  path: '/v1/work',
  scope: null,
  callers: ['clients'],
  summary: '',
  description: '',
  request,
  responses: { 200: { description: '' } },
  refusals: [],
  citizenData: false,
  run: async (call: OperationCall<typeof request, null>) => {
    if (call.body.hold) await held;
    return { plain: { status: 200, json: {} } };
  },
});

before(async () => {
  server = createApiServer({ ...storelessServerOptions, operations: [bindOperation(work, null)] });
  port = await server.listen('127.0.0.1', 0);
});
after(() => server.stop(1_000));

const head = 'POST /v1/work HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const good = `${head}Content-Length: 14\r\n\r\n{"hold":false}`;
const slow = `${head}Content-Length: 13\r\n\r\n{"hold":true}`;
const unread = 'GET /v1/\x7f HTTP/1.1\r\n\r\n';

for (const [what, bytes, status] of [
  ['an unknown method', 'get /v1/work HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a target beyond ASCII', 'GET /v1/é HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a header that is too long', `GET /v1/work HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
  ['an invalid chunk', `${head}Transfer-Encoding: chunked\r\n\r\nno chunk\r\n`, 400],
  [
    'an invalid chunk after 100 Continue',
    `${head}Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n`,
    400,
  ],
] as const) {
  test(`a request with ${what} is answered on a used connection as on a new one`, async () => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write(good);
    await once(socket, 'data');
    socket.write(bytes);
    const answer = await text(socket);
    assert.deepEqual(
      statusCodesIn(answer).filter((each) => each !== 100),
      [status],
      answer,
    );
    assert.match(answer, /^content-type: application\/problem\+json\r$/im);
    assert.match(answer, /^connection: close\r$/im);
  });
}

const long = `X: ${'a'.repeat(17_000)}\r\n\r\n`;
for (const [what, first, rest] of [
  ['a header that is too long', '', `HEAD /v1/work HTTP/1.1\r\nHost: a\r\n${long}`],
  ['a header that is too long, in another packet than its request line', 'HEAD /v1/work HTTP/1.1\r\nHost: a\r\n', long],
  ['a target with a control character', '', 'HEAD /v1/\x7f HTTP/1.1\r\nHost: a\r\n\r\n'],
] as const) {
  test(`the response to a HEAD request that the parser refuses has no body: ${what}`, async () => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    const answer = text(socket);
    if (first !== '') {
      socket.write(first);
      // The server reads the first packet before it answers this request on another connection.
      await sendRawHttp(port, `GET /v1/other HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    }
    socket.write(rest);
    const refusal = (await answer).split('HTTP/1.1 ').at(-1) ?? '';
    assert.match(refusal, /^4\d\d /);
    assert.match(refusal, /\r\ncontent-length: 0\r\n\r\n$/i);
  });
}

test('the refusal of unreadable bytes never replaces the response to an earlier request', async () => {
  for (const bytes of [slow + good + unread, slow + unread, slow + good + slow + unread]) {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const answer = await sendRawHttp(port, bytes);
    resolve();
    assert.deepEqual(statusCodesIn(answer), []);
  }
});
