import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import { type ApiServer, createApiServer } from '../../src/api/api-server.ts';
import { createLog } from '../../src/api/log.ts';
import { bindOperation, defineOperation, type OperationCall } from '../../src/api/operation.ts';
import { sendRawHttp, statusCodesIn } from '../support/http-client.ts';
import { storelessServerOptions } from '../support/storeless-app.ts';

let server: ApiServer;
let port = 0;
const seen: string[] = [];
const lines: string[] = [];

const request = { body: Type.Object({ text: Type.String({ maxLength: 100 }) }, { additionalProperties: false }) };
const echo = defineOperation({
  name: 'echo',
  since: '1.0',
  method: 'POST',
  path: '/v1/echo',
  scope: null,
  callers: ['clients'],
  summary: '',
  description: '',
  request,
  responses: { 200: { description: '' } },
  refusals: [],
  citizenData: false,
  run: async (call: OperationCall<typeof request, null>) => {
    seen.push(call.body.text);
    return { plain: { status: 200, json: {} } };
  },
});

before(async () => {
  server = createApiServer({
    ...storelessServerOptions,
    operations: [bindOperation(echo, null)],
    log: createLog('info', { write: (line) => lines.push(line) }),
  });
  port = await server.listen('127.0.0.1', 0);
});
after(() => server.stop(1_000));

const body = '{"text":"first"}';
const second = `POST /v1/echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{"text":"second"}`;
const post = (headers: string, payload = body) => `POST /v1/echo HTTP/1.1\r\n${headers}\r\n\r\n${payload}${second}`;
const json = 'Host: a\r\nContent-Type: application/json';
const chunked = `10\r\n${body}\r\n0\r\n\r\n`;

const refused: readonly (readonly [string, string | Buffer, number])[] = [
  ['a length and a coding', post(`${json}\r\nContent-Length: 16\r\nTransfer-Encoding: chunked`, chunked), 400],
  ['a coding and a length', post(`${json}\r\nTransfer-Encoding: chunked\r\nContent-Length: 16`, chunked), 400],
  ['two equal lengths', post(`${json}\r\nContent-Length: 16\r\nContent-Length: 16`), 400],
  ['two lengths', post(`${json}\r\nContent-Length: 16\r\nContent-Length: 3`), 400],
  ['a negative length', post(`${json}\r\nContent-Length: -1`), 400],
  ['a signed length', post(`${json}\r\nContent-Length: +2`), 400],
  ['a hexadecimal length', post(`${json}\r\nContent-Length: 0x2`), 400],
  ['a list of lengths', post(`${json}\r\nContent-Length: 2, 2`), 400],
  ['an unknown coding', post(`${json}\r\nTransfer-Encoding: xchunked`, chunked), 400],
  ['an unknown coding without type', post(`Host: a\r\nTransfer-Encoding: xchunked`, chunked), 400],
  ['a coding before chunked', post(`${json}\r\nTransfer-Encoding: gzip, chunked`, chunked), 400],
  ['identity', post(`${json}\r\nTransfer-Encoding: identity`), 400],
  ['two codings', post(`${json}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked`, chunked), 400],
  ['a vertical tab before chunked', post(`${json}\r\nTransfer-Encoding: \x0bchunked`, chunked), 400],
  ['lines that end in LF alone', post(`${json}\r\nContent-Length: 16`).replaceAll('\r\n', '\n'), 400],
  ['a bare CR in a value', post(`${json}\r\nX-A: a\rb\r\nContent-Length: 16`), 400],
  ['a blank before a colon', post(`${json}\r\nContent-Length : 16`), 400],
  ['a folded header', post(`${json}\r\nX-A: a\r\n b\r\nContent-Length: 16`), 400],
  ['a NUL in a value', post(`${json}\r\nX-A: a\0b\r\nContent-Length: 16`), 400],
  ['two hosts', post(`${json}\r\nHost: b\r\nContent-Length: 16`), 400],
  ['no host', post('Content-Type: application/json\r\nContent-Length: 16'), 400],
  ['a list of hosts', post('Host: a, b\r\nContent-Type: application/json\r\nContent-Length: 16'), 400],
  ['user information in the host', post('Host: a@b\r\nContent-Type: application/json\r\nContent-Length: 16'), 400],
  ['the absolute form', post(`${json}\r\nContent-Length: 16`).replace('/v1/echo', 'http://a/v1/echo'), 400],
  [
    'the absolute form of another host',
    post(`${json}\r\nContent-Length: 16`).replace('/v1/echo', 'http://evil/v1/echo'),
    400,
  ],
  ['a hexadecimal chunk size', post(`${json}\r\nTransfer-Encoding: chunked`, `0x10\r\n${body}\r\n0\r\n\r\n`), 400],
  [
    'a chunk size of 17 digits',
    post(`${json}\r\nTransfer-Encoding: chunked`, `10000000000000010\r\n${body}\r\n0\r\n\r\n`),
    400,
  ],
  ['a chunk that ends in LF', post(`${json}\r\nTransfer-Encoding: chunked`, `10\n${body}\n0\n\n`), 400],
  ['HTTP/1.2', post(`${json}\r\nContent-Length: 16`).replace('HTTP/1.1', 'HTTP/1.2'), 400],
  [
    'HTTP/1.0 without a host',
    post('Content-Type: application/json\r\nContent-Length: 16').replace('HTTP/1.1', 'HTTP/1.0'),
    400,
  ],
  ['the preface of HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${second}`, 400],
  ['an asterisk', `GET * HTTP/1.1\r\nHost: a\r\n\r\n${second}`, 400],
  ['TRACE', `TRACE /v1/echo HTTP/1.1\r\nHost: a\r\n\r\n${second}`, 405],
  ['an unknown expectation', post(`${json}\r\nExpect: 200-maybe\r\nContent-Length: 16`), 417],
  ['a header of 20 kB', post(`${json}\r\nX-A: ${'a'.repeat(20_000)}\r\nContent-Length: 16`), 431],
  ['a target of 9,000 characters', `GET /${'a'.repeat(9_000)} HTTP/1.1\r\nHost: a\r\n\r\n${second}`, 414],
  ['two types', post(`${json}\r\nContent-Type: text/plain\r\nContent-Length: 16`), 400],
  ['two authorizations', post(`${json}\r\nAuthorization: a\r\nAuthorization: b\r\nContent-Length: 16`), 400],
];

for (const [what, bytes, status] of refused) {
  test(`[R66] a request with ${what} is refused with ${status}, and the bytes after it are never served`, async () => {
    seen.length = 0;
    const text = await sendRawHttp(port, bytes);
    assert.deepEqual(statusCodesIn(text), [status], text);
    assert.match(text, /content-type: application\/problem\+json/i);
    assert.match(text, /connection: close/i);
    const problem: unknown = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
    assert.ok(typeof problem === 'object' && problem !== null && 'status' in problem && problem.status === status);
    // The server may read the first body as the request that it is, but never the one after it.
    assert.ok(!seen.includes('second'), `the second request was served: ${seen}`);
  });
}

test('OPTIONS * returns the methods of the server, and the next request is served', async () => {
  seen.length = 0;
  const text = await sendRawHttp(port, `OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n${second}`);
  assert.deepEqual([statusCodesIn(text), seen], [[204, 200], ['second']]);
  const head = text.slice(0, text.indexOf('\r\n\r\n'));
  assert.match(head, /^allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY\r?$/im);
  assert.match(head, /^request-id: urn:uuid:/im);
  assert.match(head, /^cache-control: no-store\r?$/im);
  const [status] = statusCodesIn(await sendRawHttp(port, 'OPTIONS * HTTP/1.1\r\nHost: a, b\r\n\r\n'));
  assert.equal(status, 400);
});

test('CONNECT is closed without a response from a handler', async () => {
  seen.length = 0;
  const text = await sendRawHttp(port, `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${second}`);
  assert.deepEqual([statusCodesIn(text), seen], [[], []]);
});

test('two valid requests on one connection are both served', async () => {
  seen.length = 0;
  const text = await sendRawHttp(port, post(`${json}\r\nContent-Length: 16`));
  assert.deepEqual(
    [statusCodesIn(text), seen],
    [
      [200, 200],
      ['first', 'second'],
    ],
  );
});
