import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createIdGenerator } from '../../kernel/id.ts';
import { Secret } from '../../kernel/secret.ts';
import { createProviderWebhook, type ProviderWebhook, receiptParser } from './provider-webhook.ts';

const at = Date.UTC(2026, 0, 15, 9);
const clock = { now: () => at };
const newId = createIdGenerator(clock, (bytes) => new Uint8Array(bytes));
/** Nothing is learnt in these tests: no receipt is about a message. */
const nothing = async () => assert.fail('nothing is read or stored');
const parts = {
  read: nothing,
  commit: nothing,
  claim: nothing,
  clock,
  createId: newId,
  onFault: (fault: unknown) => assert.fail(String(fault)),
};

async function calledBack(t: TestContext, more: Partial<ProviderWebhook> = {}) {
  const receipts: unknown[] = [];
  const read = receiptParser((receipt) => {
    receipts.push(receipt);
    return [];
  });
  const server = createServer(
    createProviderWebhook(parts, { token: new Secret('t0k:en'), limitBytes: 1_000, read, ...more }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // It listens on TCP, so its address has a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const call = async (init: RequestInit) => await fetch(url, init);
  const post = async (body: string, headers: Record<string, string> = {}) =>
    (await call({ method: 'POST', body, headers: { authorization: 'Bearer t0k:en', ...headers } })).status;
  return { call, post, receipts };
}

test('a request without the token gets 401 with a Bearer and a Basic challenge', async (t) => {
  const { call, post } = await calledBack(t);
  for (const authorization of [undefined, 'Bearer guess', 'Basic Z3Vlc3M=', 'Bearer', 't0k:en', 'Digest t0k:en']) {
    const headers = new Headers(authorization === undefined ? {} : { authorization });
    const { status, headers: answered } = await call({ method: 'POST', body: '{}', headers });
    assert.equal(status, 401, String(authorization));
    assert.match(answered.get('www-authenticate') ?? '', /^Bearer realm="callbacks", Basic realm="callbacks"/);
  }
  const basic = Buffer.from('gateway:t0k:en').toString('base64');
  for (const authorization of ['bearer t0k:en', 'BEARER t0k:en', `Basic ${basic}`, `basic ${basic}`])
    assert.equal(await post('{}', { authorization }), 200, authorization);
});

test('a request with another method gets 405 with the allowed method', async (t) => {
  const { call } = await calledBack(t);
  const { status, headers } = await call({ method: 'PUT', body: '{}' });
  assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
});

test('a request with an unreadable body gets 400, and a request with an empty body gets 200', async (t) => {
  const { post, receipts } = await calledBack(t);
  assert.deepEqual(
    [await post('{"id": 5,'), await post('<receipt/>', { 'content-type': 'text/xml' }), await post('id=5&status=1')],
    [400, 400, 400],
  );
  assert.deepEqual(receipts, []);
  assert.equal(await post(''), 200, 'a provider that tries whether we are there');
});

test('a form is recognized by its media type in any case, and a 64-bit id keeps its last digit', async (t) => {
  const { post, receipts } = await calledBack(t);
  const type = (text: string) => ({ 'content-type': text });
  await post('id=1234567890123456789', type('Application/X-WWW-Form-URLencoded; charset=utf-8'));
  await post(
    '{"id": 1234567890123456789, "n": -9007199254740993, "f": 1.5, "e": 1e300, "i": 7}',
    type('application/json'),
  );
  assert.deepEqual(
    receipts.map((receipt) => ({ ...(receipt as object) })),
    [{ id: '1234567890123456789' }, { id: '1234567890123456789', n: '-9007199254740993', f: 1.5, e: 1e300, i: 7 }],
  );
});
