import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Compile } from 'typebox/schema';
import { createWebhook } from '../../src/notifications/create-webhook.ts';
import { feedEventTypes } from '../../src/notifications/webhooks/feed-store.ts';
import { engines } from '../support/database-engines.ts';
import { openApiPath } from '../support/openapi-linters.ts';
import { resolveReferences } from '../support/resolve-references.ts';
import { openWebhookApp } from '../support/webhook-app.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

// Programs that are generated from the OpenAPI document: webhook receivers, older clients, mocks.

type Json = Readonly<Record<string, unknown>>;
type Content = { readonly content?: Record<string, { readonly schema?: Json; readonly example?: unknown }> };
type Operation = {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Content>>;
};
type Receiver = {
  readonly parameters: readonly { readonly name: string; readonly schema: Json }[];
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Json } } };
};
// src/api/openapi/document.ts creates the document, in the shape of the types above.
const document = resolveReferences(JSON.parse(readFileSync(openApiPath, 'utf8'))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Receiver }>>;
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

const contentsOf = ({ operationId, responses }: Operation) =>
  Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.values(content).map((shown) => ({ where: `${operationId} ${status}`, ...shown })),
  );

/** All objects and lists in a value, including itself. */
function within(value: unknown): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Json, ...Object.values(value).flatMap(within)];
}

for (const engine of engines) {
  test(`${engine.name}: a webhook request has the headers and the body that the document states`, async (t) => {
    const { operate, sendMany } = await openWebhookApp(t, await engine.open(t));
    const receiver = await startWebhookReceiver(t);
    await operate(createWebhook, { body: { url: receiver.url } });
    await sendMany(1);
    const [call] = receiver.calls;
    assert.ok(call !== undefined);
    const { parameters, requestBody } = document.webhooks['receiveEvent']?.post ?? assert.fail();
    assert.equal(parameters.length, 3);
    for (const { name, schema } of parameters)
      assert.ok(Compile(schema).Check(call.headers[name.toLowerCase()]), `${name} is not of its form`);
    const { schema } = requestBody.content['application/json'];
    const body: unknown = JSON.parse(call.body);
    assert.ok(Compile({ additionalProperties: false, ...schema }).Check(body), call.body);
  });
}

test('every object of a response allows additional members, so that older clients can read new ones', () => {
  const contents = operations.flatMap(contentsOf);
  assert.ok(contents.length > 100);
  for (const { where, schema } of contents)
    assert.deepEqual(
      within(schema).filter(({ additionalProperties }) => additionalProperties === false),
      [],
      where,
    );
});

test('the examples of responses contain existing event types and no placeholder text', () => {
  for (const { where, example } of operations.flatMap(contentsOf))
    assert.ok(!within({ example }).some((one) => Object.values(one).includes('text')), where);
  const feed = operations.find(({ operationId }) => operationId === 'readEvents') ?? assert.fail();
  const shown = within(contentsOf(feed).find(({ where }) => where === 'readEvents 200')?.example);
  const types = shown.flatMap(({ type }) => (type === undefined ? [] : [type]));
  assert.ok(types.length > 0 && types.every((type) => feedEventTypes.some((known) => known === type)), `${types}`);
});
