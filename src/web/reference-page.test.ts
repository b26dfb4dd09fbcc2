import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { defineOperation, type Operation, type OperationCall } from '../api/operation.ts';
import { referencePage } from './reference-page.ts';

const member = (description: string) => Type.Object({ [description]: Type.String({ description }) });
const request = { params: member('id'), query: member('limit'), headers: member('purpose'), body: member('claim') };
const ask = defineOperation({
  name: 'ask',
  since: '1.0',
  method: 'POST',
  path: '/v1/ask/{id}',
  scope: null,
  callers: ['clients'],
  summary: 'Ask',
  description: '',
  request,
  responses: { 200: { description: 'The matching records.' } },
  citizenData: false,
  refusals: ['conflict', 'document-erased'],
  run: async (_call: OperationCall<typeof request, null>) => ({ plain: { status: 200, json: {} } }),
});

async function referenceOf(...operations: readonly Operation<null>[]): Promise<string> {
  const answer = await referencePage(operations, 'https://api.example.gov').get({}, new URLSearchParams());
  assert.ok('body' in answer);
  return String(answer.body);
}

test('the reference shows the location of each parameter and the meaning of each response', async () => {
  const text = (await referenceOf(ask)).replaceAll(/<[^>]*>/g, '');
  for (const shown of [
    'id (path)',
    'limit (query)',
    'purpose (header)',
    'claim (body)',
    '200: The matching records.',
  ]) {
    assert.ok(text.includes(shown), shown);
  }
  assert.doesNotMatch(text, /Deprecated/);
});

test('the reference shows types and required members, and no refusals for an operation without refusals', async () => {
  const body = Type.Object({
    message: Type.String({ description: 'The <text>.' }),
    subject: Type.Optional(Type.String({ description: 'In a line.' })),
    mark: Type.Optional(Type.Boolean()),
  });
  const text = await referenceOf({ ...ask, request: { body }, refusals: [] });
  const shown = [...text.matchAll(/<dt><code>(\w+)<\/code> \((\w+)\)<\/dt><dd>([^<]*)<\/dd>/g)];
  assert.deepEqual(
    shown.map(([, name, place, text]) => [name, place, text]),
    [
      ['message', 'body', 'Required. The &lt;text&gt;.'],
      ['subject', 'body', 'In a line.'],
      ['mark', 'body', ''],
    ],
  );
  assert.doesNotMatch(text, /Refusals/);
  assert.match(await referenceOf({ ...ask, request: {}, refusals: ['conflict'] }), /<dt>Refusals<\/dt>/);
});

test('every operation has a section in the reference, and a link at the top leads to it', async () => {
  const text = await referenceOf(ask, { ...ask, name: 'askAgain' });
  const leads = [...text.matchAll(/<li><a href="#(\w+)">/g)].map(([, name]) => name);
  assert.deepEqual(leads, ['ask', 'askAgain']);
  assert.deepEqual(
    [...text.matchAll(/<article id="(\w+)">/g)].map(([, name]) => name),
    leads,
  );
});

test('adjacent links are on separate lines, so that they are large enough to touch', async () => {
  assert.match(
    await referenceOf(ask),
    /<li><a href="\/problems\/conflict">conflict<\/a><\/li><li><a href="\/problems\/document-erased">/,
  );
});

test('the reference of a deprecated operation shows the deprecation', async () => {
  const deprecated = { since: Date.UTC(2027, 0, 1), sunset: Date.UTC(2028, 0, 1), successor: '/v1/inquire' };
  assert.match(
    await referenceOf({ ...ask, deprecated }),
    /Deprecated since 2027-01-01\. It ends on 2028-01-01 at the earliest\. Use \/v1\/inquire instead\./,
  );
  assert.match(await referenceOf({ ...ask, deprecated: { since: 0 } }), />Deprecated since 1970-01-01\.</);
});
