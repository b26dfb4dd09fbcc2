import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type ApiDocument, clientFiles } from '../../scripts/client-types.ts';
import { operations } from '../../src/app/operations.ts';
import { openApiPath } from '../support/openapi-linters.ts';

type Changeable = Record<string, unknown>;

/** A document with one operation whose response has this schema. */
function documentOf(schema: Changeable, more: Changeable = {}): ApiDocument {
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  const answer = { $ref: '#/components/schemas/AskOneAnswer' };
  const responses = { 200: { content: { 'application/json': { schema: answer } } }, 400: { content: problem } };
  const operation = { operationId: 'askOne', summary: 'Ask one', responses, ...more };
  // Only the members that the generator reads.
  const components = { schemas: { AskOneAnswer: schema } };
  return { paths: { '/one': { get: operation } }, webhooks: {}, components } as unknown as ApiDocument;
}

const typesOf = (document: ApiDocument) => clientFiles(document)['client/src/api-types.ts'] ?? '';

test('every schema construct of the document has a type with the description of the document', () => {
  const properties = {
    id: { type: 'string', description: 'Its id.', maxLength: 10 },
    at: { type: ['string', 'null'], format: 'date-time' },
    kind: { type: 'string', enum: ['one', 'two'] },
    state: { type: ['string', 'null'], 'x-extensible-enum': ['on', 'off'] },
    isSo: { type: 'boolean', const: true },
    many: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
    by: { type: 'object', additionalProperties: { type: 'string' }, propertyNames: { pattern: '^a' } },
    other: { $ref: '#/components/schemas/Other', description: 'Another one.' },
    maybe: { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] },
    any: {},
    'a-b': { type: 'object', properties: { c: { type: 'string' } }, additionalProperties: true },
  };
  const text = typesOf(documentOf({ type: 'object', properties, required: ['id', 'at'] }));
  const [, type = ''] = /export type AskOneAnswer = (\{[\s\S]*?\n\});/.exec(text) ?? [];
  assert.equal(
    type,
    `{
  /** Its id. */
  id: string;
  at: string | null;
  kind?: 'one' | 'two';
  state?: Open<'on' | 'off'> | null;
  isSo?: true;
  many?: Array<{
    n: number;
  }>;
  by?: Record<string, string>;
  /** Another one. */
  other?: Other;
  maybe?: Other | null;
  any?: unknown;
  'a-b'?: {
    c?: string;
    [more: string]: unknown;
  };
}`,
  );
});

test('the problem names of the client are those in the examples of the OpenAPI document', () => {
  const document = documentOf({ type: 'string' });
  const examples = { 'bad-request': {}, conflict: {} };
  const text = typesOf({ ...document, components: { ...document.components, examples } });
  assert.match(text, /^export type ProblemSlug = 'bad-request' \| 'conflict';$/m);
  assert.doesNotMatch(typesOf(document), /ProblemSlug/);
});

test('the generator stops at an unsupported construct at any depth, and names it', () => {
  const deep = (schema: Changeable) => ({ type: 'array', items: { type: 'object', properties: { one: schema } } });
  const strange: readonly Changeable[] = [
    ...[{ oneOf: [] }, { allOf: [] }, { type: 'number' }, { not: {} }, { type: 'string', nullable: true }],
    ...[
      { type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } },
      { type: 'object', patternProperties: { '^a': {} } },
      { type: 'string', enum: [1] },
    ],
  ];
  for (const schema of strange) {
    for (const one of [schema, deep(schema)]) assert.throws(() => typesOf(documentOf(one)), /askOne|AskOne/i);
  }
  const noProblem = { responses: { 200: {}, 404: { content: { 'application/json': { schema: {} } } } } };
  assert.throws(() => typesOf(documentOf({}, noProblem)), /an error that is no Problem/);
  const form = { requestBody: { required: true, content: { 'text/html': { schema: {} } } } };
  assert.throws(() => typesOf(documentOf({}, form)), /neither JSON nor bytes/);
});

test('an operation without a JSON response has no response type, so that a client cannot call it for JSON', () => {
  const text = { responses: { 200: { content: { 'text/plain': { schema: { type: 'string' } } } } } };
  assert.match(typesOf(documentOf({}, text)), /^ {2}askOne: \{\n {4}answers: Record<never, never>;\n {2}\};$/m);
});

test('the client has each operation of the server with its method and path', () => {
  const files = clientFiles(JSON.parse(readFileSync(openApiPath, 'utf8')) as ApiDocument);
  const table = files['client/src/api-operations.ts'] ?? '';
  const found = [...table.matchAll(/^ {2}(\w+): \{ method: '(\w+)', path: '([^']+)' \},$/gm)].map((row) =>
    row.slice(1),
  );
  const registered = operations.map(({ name, method, path }) => [name, method, path]);
  assert.deepEqual(found.sort(), registered.sort());
});
