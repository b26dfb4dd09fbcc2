import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { scalarScript, scalarScriptPath, scalarVersion } from './scalar-script.ts';

const route = scalarScript();

async function getScript(acceptEncoding: string | undefined) {
  const response = await route.get({}, new URLSearchParams(), acceptEncoding);
  assert.ok('body' in response);
  return { coding: response.headers['content-encoding'], body: Buffer.from(response.body) };
}

test('the path of the script of Scalar has the version of its package', () => {
  const file = join(import.meta.dirname, '../../package.json');
  const { dependencies } = JSON.parse(readFileSync(file, 'utf8')) as { dependencies: Record<string, string> };
  assert.equal(dependencies['@scalar/fastify-api-reference'], scalarVersion);
  assert.equal(scalarScriptPath, `/assets/scalar-${scalarVersion}.js`);
});

test('the script of Scalar is compressed for clients that accept gzip, and complete for all others', async () => {
  const plain = await getScript(undefined);
  const packed = await getScript('gzip, br');
  assert.deepEqual([plain.coding, packed.coding], [undefined, 'gzip']);
  assert.ok(packed.body.length < 1_600_000, `${packed.body.length}`);
  assert.deepEqual(gunzipSync(packed.body), plain.body);
  assert.match(
    plain.body.toString('utf8'),
    new RegExp(`@scalar/api-reference@${scalarVersion.replaceAll('.', '\\.')}`),
  );
});

test('a client that accepts brotli only receives the script uncompressed', async () => {
  const { coding } = await getScript('br');
  assert.equal(coding, undefined);
});
