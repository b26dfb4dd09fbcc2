import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { maxTemplates } from '../../src/notifications/templates/template-store.ts';
import { makeDemoWithExternalIssuer } from '../support/external-issuer.ts';
import { createHttpClient, type HttpResponse, parseJsonBody, postJson } from '../support/http-client.ts';
import { fileCleanupScope, type ServerFixture } from '../support/server-process.ts';
import { createClientToken, validTemplate } from '../support/valid-requests.ts';

// Things that a client can create in a limited number. As in openapi-responses.test.ts, each response is checked against its
// schema.
let home: ServerFixture;
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  ({ home } = await makeDemoWithExternalIssuer(thisFile, { CLAMAV: '' }));
  await home.start('start');
  ask = createHttpClient(home.url);
});

const slugOf = (answer: HttpResponse) => [answer.status, String(parseJsonBody(answer)['type']).split('/').at(-1)];

test('one idempotency key creates one webhook, and a client can have at most ten', async () => {
  const own = await createClientToken(home, 'Many Webhooks');
  const make = async (url: string, key: string) =>
    await ask(postJson(own, '/v1/webhooks', { url }, { 'idempotency-key': key }));
  const statuses: number[] = [];
  for (const count of [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    statuses.push((await make('http://127.0.0.1:1/calls', `${count}`)).status);
  assert.deepEqual(statuses, [...Array.from({ length: 11 }, () => 201), 409]);
  assert.deepEqual(slugOf(await make('http://127.0.0.1:2/calls', '0')), [422, 'idempotency-key-reused']);
});

test('one idempotency key creates one template, and the number of templates per client is limited', async () => {
  const own = await createClientToken(home, 'Many Templates');
  const make = async (body: object, key: string) =>
    await ask(postJson(own, '/v1/templates', body, { 'idempotency-key': key }));
  const made = await make(validTemplate, 'one');
  assert.equal(made.status, 201, String(made.body));
  assert.deepEqual(parseJsonBody(await make(validTemplate, 'one')), parseJsonBody(made));
  const other = { ...validTemplate, name: 'Another' };
  assert.deepEqual(slugOf(await make(other, 'one')), [422, 'idempotency-key-reused']);
  for (let count = 1; count < maxTemplates; count += 1) {
    const { status, body } = await make(validTemplate, `more-${count}`);
    assert.equal(status, 201, String(body));
  }
  assert.deepEqual(slugOf(await make(validTemplate, 'last')), [409, 'conflict']);
});
