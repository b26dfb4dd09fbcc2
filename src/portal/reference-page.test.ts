import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { type Call, defineOperation } from '../api/operation.ts';
import { referencePage } from './reference-page.ts';

test('the reference says of each member where it goes, and of each answer what it is', async () => {
  const member = (description: string) => Type.Object({ [description]: Type.String({ description }) });
  const request = { params: member('id'), query: member('limit'), headers: member('purpose'), body: member('claim') };
  const operation = defineOperation({
    ...{
      name: 'ask',
      since: '1.0',
      method: 'POST',
      path: '/v1/ask/{id}',
      scope: null,
      summary: 'Ask',
      description: '',
    },
    ...{ request, responses: { 200: { description: 'What was found.' } }, refusals: [], citizenData: false },
    run: async (_call: Call<typeof request, null>) => ({ plain: { status: 200, json: {} } }),
  });
  const answer = await referencePage([operation]).get({}, new URLSearchParams());
  assert.ok('body' in answer);
  const text = String(answer.body).replaceAll(/<[^>]*>/g, '');
  for (const shown of ['id (path)', 'limit (query)', 'purpose (header)', 'claim (body)', '200: What was found.']) {
    assert.ok(text.includes(shown), shown);
  }
});
