import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { referencePages } from './reference-page.ts';

const ask = defineOperation({
  name: 'ask',
  since: '1.0',
  method: 'POST',
  path: '/v1/ask/{id}',
  scope: null,
  callers: ['clients'],
  summary: 'Ask <now>',
  description: '',
  request: {},
  responses: { 200: { description: 'The matching records.' } },
  citizenData: false,
  refusals: [],
  run: async (_call: OperationCall<Record<string, never>, null>) => ({ plain: { status: 200, json: {} } }),
});

async function getReference() {
  const page = referencePages([ask]).find(({ path }) => path === '/docs') ?? assert.fail();
  const response = await page.get({}, new URLSearchParams());
  assert.ok('body' in response);
  return { ...response, text: String(response.body) };
}

test('the reference without scripts lists each operation, and links to the documents and the problems', async () => {
  const { text } = await getReference();
  assert.match(text, /<li><code>POST \/v1\/ask\/\{id\}<\/code> Ask &lt;now&gt;<\/li>/);
  for (const path of ['/openapi.json', '/openapi-3.0.json', '/problems', '/docs/guide']) {
    assert.ok(text.includes(`<a href="${path}">`), path);
  }
});

test('the policy of the reference allows scripts and requests of its own origin only, and no inline script', async () => {
  const { headers, text } = await getReference();
  const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'";
  const others = "img-src 'self' data:; font-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
  assert.equal(headers['content-security-policy'], `${policy}; ${others}`);
  assert.doesNotMatch(text, /<script(?! src="\/assets\/)[^>]*>|\son\w+=/);
});

test('the scripts of the reference are paths of this server whose content may be cached forever', async () => {
  const { text } = await getReference();
  const paths = [...text.matchAll(/<script src="([^"]*)" defer><\/script>/g)].map(([, path]) => path);
  const routes = referencePages([ask]).slice(1);
  assert.deepEqual(
    paths,
    routes.map(({ path }) => path),
  );
  for (const { get } of routes) {
    const response = await get({}, new URLSearchParams());
    assert.ok('body' in response);
    assert.equal(response.headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(response.headers['cache-control'], 'public, max-age=31536000, immutable');
  }
});
