import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResponseCheck, declaredResponses, type SentResponse } from '../support/openapi-response-check.ts';

const judge = createResponseCheck();
const instance = 'urn:uuid:6f1c2d1e-8f0a-4c55-9b57-2f6f0f5b8a11';
const problem = {
  type: 'https://api.example.gov/problems/not-acceptable',
  title: 'No acceptable form',
  status: 406,
  detail: 'It cannot be had so.',
  fix: 'Ask otherwise.',
  retryable: false,
  instance,
};
const good: SentResponse = {
  method: 'GET',
  path: '/v1/documents/doc_1',
  status: 406,
  headers: {
    'api-version': '1.0.0',
    'request-id': instance,
    'cache-control': 'no-store',
    'content-type': 'application/problem+json',
  },
  body: Buffer.from(JSON.stringify(problem)),
};

test('a response that matches the OpenAPI document has no fault', () => {
  assert.deepEqual(judge(good), { operation: 'retrieveDocument', problems: [] });
});

const wrong: readonly (readonly [string, Partial<SentResponse>, string])[] = [
  ['an undeclared status', { status: 418 }, 'the status is not declared'],
  ['a missing header', { headers: { ...good.headers, 'request-id': undefined } }, 'no header Request-Id'],
  [
    'a header in an invalid form',
    { headers: { ...good.headers, 'api-version': 'one' } },
    'the header API-Version is not of its form',
  ],
  [
    'another content type',
    { headers: { ...good.headers, 'content-type': 'text/html; charset=utf-8' } },
    'the content type text/html is not declared',
  ],
  [
    'a body without a member',
    { body: Buffer.from(JSON.stringify({ ...problem, title: undefined })) },
    'the body is not of its schema',
  ],
  [
    'a body with a member that is not declared',
    { body: Buffer.from(JSON.stringify({ ...problem, mood: 'low' })) },
    'the member mood is not declared',
  ],
  [
    'a body with a nested member that is not declared',
    {
      body: Buffer.from(JSON.stringify({ ...problem, issues: [{ in: 'body', code: 'x', detail: 'x', mood: 'low' }] })),
    },
    'the member mood is not declared',
  ],
  [
    'a body with a member of another type',
    { body: Buffer.from(JSON.stringify({ ...problem, status: '406' })) },
    'the body is not of its schema',
  ],
  [
    'a body with a value that is not in its enumeration',
    { body: Buffer.from(JSON.stringify({ ...problem, issues: [{ in: 'cookie', code: 'x', detail: 'x' }] })) },
    'the body is not of its schema',
  ],
];

for (const [what, change, fault] of wrong) {
  test(`a response with ${what} is reported`, () => {
    assert.deepEqual(judge({ ...good, ...change }).problems, [fault]);
  });
}

test('a body that is not declared is reported', () => {
  const headers = { ...good.headers, etag: '"1"' };
  assert.deepEqual(judge({ ...good, status: 304, headers, body: Buffer.from('x') }).problems, [
    'a body where none is declared',
  ]);
});

test('a response without an operation must be a refusal or list the allowed methods', () => {
  const unrouted = { ...good, path: '/v1/nowhere' };
  assert.deepEqual(judge({ ...unrouted, status: 404 }).problems, []);
  assert.deepEqual(judge({ ...unrouted, status: 200 }).problems, ['an answer that no operation declares']);
  assert.deepEqual(judge({ ...unrouted, method: 'OPTIONS', status: 204 }).problems, ['no Allow']);
});

test('every operation declares its responses and a default response', () => {
  const declared = declaredResponses();
  const names = new Set(declared.map((answer) => answer.split(' ')[0] ?? ''));
  for (const name of names) assert.ok(declared.includes(`${name} default`), name);
});
