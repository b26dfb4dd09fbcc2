import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpClient } from '../../test/support/http-client.ts';
import { storelessServerOptions } from '../../test/support/storeless-app.ts';
import { createApiServer } from './api-server.ts';
import { deprecationHeaders } from './deprecation.ts';
import { createOpenApiDocument } from './openapi/document.ts';
import { bindOperation, defineOperation, type OperationCall } from './operation.ts';

const request = {};
const old = defineOperation({
  name: 'readOldThing',
  since: '1.0',
  method: 'GET',
  path: '/v1/old-thing',
  scope: null,
  callers: ['clients'],
  summary: '',
  description: '',
  request,
  responses: { 200: { description: '' } },
  refusals: [],
  citizenData: false,
  deprecated: { since: Date.UTC(2027, 0, 1), sunset: Date.UTC(2028, 0, 1), successor: '/v1/new-thing' },
  run: async (_call: OperationCall<typeof request, null>) => ({
    plain: { status: 200, headers: { link: '</v1/own>; rel="own"' }, json: {} },
  }),
});

test('a deprecated operation responds with its dates and the link to the register', async (t) => {
  const server = createApiServer({ ...storelessServerOptions, operations: [bindOperation(old, null)] });
  const ask = createHttpClient(`http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`);
  t.after(() => server.stop(1_000));
  const links =
    '</docs>; rel="deprecation"; type="text/html", </docs>; rel="sunset"; type="text/html", </v1/new-thing>; rel="successor-version"';
  const wanted = ['@1798761600', 'Sat, 01 Jan 2028 00:00:00 GMT'];
  const good = await ask({ path: '/v1/old-thing' });
  assert.deepEqual(
    [good.status, good.headers['deprecation'], good.headers['sunset'], good.headers.link],
    [200, ...wanted, `${links}, </v1/own>; rel="own"`],
  );
  const bad = await ask({ path: '/v1/old-thing?colour=red' });
  assert.deepEqual(
    [bad.status, bad.headers['deprecation'], bad.headers['sunset'], bad.headers.link],
    [400, ...wanted, links],
  );
});

test('the OpenAPI document marks deprecated operations, and no others', () => {
  const { deprecated: _gone, ...stays } = old;
  const documentOf = (operation: typeof old) =>
    createOpenApiDocument([operation], {
      publicUrl: 'https://api.example.gov',
      apiVersion: '1.0.0',
      documentLimit: 1,
      authMethods: [],
    })['paths'] as {
      readonly '/old-thing': { readonly get: { readonly deprecated?: boolean } };
    };
  assert.equal(documentOf(old)['/old-thing'].get.deprecated, true);
  assert.equal(documentOf(stays)['/old-thing'].get.deprecated, undefined);
});

test('a sunset before the deprecation is refused', () => {
  assert.throws(() => deprecationHeaders({ since: 2, sunset: 1 }), RangeError);
});
