import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { mostTemplates } from '../../src/notifications/templates/template-store.ts';
import { type Answered, createExchange, jsonOf, sendJson } from '../exchange.ts';
import { makeDemoWithIssuer } from '../outside-issuer.ts';
import { afterThisFile, type ServerHome } from '../whole-server.ts';
import { anotherToken, goodTemplate } from './good-requests.ts';

// What a client makes of which it may have so many: as in openapi-answers.test.ts, each answer is held against its schema.
let home: ServerHome;
let ask: ReturnType<typeof createExchange>;

const thisFile = afterThisFile();
before(async () => {
  ({ home } = await makeDemoWithIssuer(thisFile, { CLAMAV: '' }));
  await home.start('start');
  ask = createExchange(home.url);
});

const slugOf = (answer: Answered) => [answer.status, String(jsonOf(answer)['type']).split('/').at(-1)];

test('one key makes one webhook, and a client has ten at most', async () => {
  const own = await anotherToken(home, 'Many Webhooks');
  const make = async (url: string, key: string) =>
    await ask(sendJson(own, '/v1/webhooks', { url }, { 'idempotency-key': key }));
  const statuses: number[] = [];
  for (const count of [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    statuses.push((await make('http://127.0.0.1:1/calls', `${count}`)).status);
  assert.deepEqual(statuses, [...Array.from({ length: 11 }, () => 201), 409]);
  assert.deepEqual(slugOf(await make('http://127.0.0.1:2/calls', '0')), [422, 'idempotency-key-reused']);
});

test('one key makes one template, and a client has so many at most', async () => {
  const own = await anotherToken(home, 'Many Templates');
  const make = async (body: object, key: string) =>
    await ask(sendJson(own, '/v1/templates', body, { 'idempotency-key': key }));
  const made = await make(goodTemplate, 'one');
  assert.equal(made.status, 201, String(made.body));
  assert.deepEqual(jsonOf(await make(goodTemplate, 'one')), jsonOf(made));
  const other = { ...goodTemplate, name: 'Another' };
  assert.deepEqual(slugOf(await make(other, 'one')), [422, 'idempotency-key-reused']);
  for (let count = 1; count < mostTemplates; count += 1) {
    const { status, body } = await make(goodTemplate, `more-${count}`);
    assert.equal(status, 201, String(body));
  }
  assert.deepEqual(slugOf(await make(goodTemplate, 'last')), [409, 'conflict']);
});
