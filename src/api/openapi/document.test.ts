import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { defineOperation, type Operation, type OperationCall } from '../operation.ts';
import { createOpenApiDocument } from './document.ts';

const request = {
  params: Type.Object({ id: Type.String() }),
  query: Type.Object({ limit: Type.Optional(Type.Integer()) }),
};
const ask = defineOperation({
  name: 'ask',
  since: '1.0',
  method: 'GET',
  path: '/v1/ask/{id}',
  scope: null,
  callers: ['clients'],
  summary: 'Ask',
  description: 'It answers.',
  request,
  responses: { 200: { description: 'The matching records.' } },
  citizenData: false,
  refusals: [],
  run: async (_call: OperationCall<typeof request, null>) => ({ plain: { status: 200, json: {} } }),
});

type Described = {
  readonly description: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly object[];
};

function describe(operation: Operation<null>): Described {
  const document = createOpenApiDocument([operation], {
    publicUrl: 'https://api.example.gov',
    apiVersion: '1.0.0',
    documentLimit: 1_000,
    authMethods: ['private_key_jwt'],
  });
  // The shape that document.ts creates.
  const paths = document['paths'] as Readonly<Record<string, { readonly get: Described }>>;
  return paths['/ask/{id}']?.get ?? assert.fail();
}

test('a deprecated operation states since when, its end and its successor before its description', () => {
  assert.equal(describe(ask).description, 'It answers.');
  const deprecated = { since: Date.UTC(2027, 0, 1), sunset: Date.UTC(2028, 0, 1), successor: '/v1/inquire' };
  const { description, deprecated: isDeprecated } = describe({ ...ask, deprecated });
  assert.equal(isDeprecated, true);
  assert.equal(
    description,
    'Deprecated since 2027-01-01. It ends on 2028-01-01 at the earliest. Use /v1/inquire instead. It answers.',
  );
  assert.equal(describe({ ...ask, deprecated: { since: 0 } }).description, 'Deprecated since 1970-01-01. It answers.');
});

test('the example of an optional parameter that no example request has is kept out of samples', () => {
  const [id, limit] = describe(ask).parameters;
  assert.ok(id !== undefined && 'example' in id && !('examples' in id));
  assert.ok(limit !== undefined && 'examples' in limit && !('example' in limit));
  assert.deepEqual(limit.examples, { unsent: { value: 25, 'x-disabled': true } });
});
