import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import { brunoFiles } from '../../scripts/collections.ts';
import type { PageResponse } from '../api/page-route.ts';
import { guideDownloads, guideFilePage } from './guide-downloads.ts';
import { guidePages } from './guide-pages.ts';

const folder = join(import.meta.dirname, '../../docs/integrate');
const fetchFile = async (name: string): Promise<PageResponse> =>
  await guideFilePage.get({ name }, new URLSearchParams());

async function contentOf(name: string) {
  const response = await fetchFile(name);
  if (!('body' in response)) assert.fail(response.detail);
  return { headers: response.headers, body: Buffer.from(response.body) };
}

test('the list of guides links to each file', async () => {
  const response = await guidePages('https://api.example.gov')[0]?.get({}, new URLSearchParams());
  assert.ok(response !== undefined && 'body' in response);
  const linked = [...String(response.body).matchAll(/href="\/docs\/guide\/files\/([^"]+)"/g)].map(([, name]) => name);
  assert.deepEqual(linked, ['postman.json', 'bruno.zip', 'people.jsonl', 'questions.json']);
});

for (const [name, source, mediaType] of [
  ['postman.json', 'collections/postman.json', 'application/json'],
  ['people.jsonl', 'sandbox/people.jsonl', 'application/jsonl'],
  ['questions.json', 'sandbox/questions.json', 'application/json'],
] as const) {
  test(`${name} is served as an attachment with the content of the repository`, async () => {
    const { headers, body } = await contentOf(name);
    const { etag, ...others } = headers;
    assert.deepEqual(others, {
      'content-type': mediaType,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'public, max-age=300',
    });
    assert.match(String(etag), /^"[\w-]{43}"$/);
    assert.deepEqual(body, readFileSync(join(folder, source)));
  });
}

test('bruno.zip has the files of the Bruno collection in one folder', async () => {
  const { headers, body } = await contentOf('bruno.zip');
  assert.equal(headers['content-type'], 'application/zip');
  const entries = Object.entries(unzipSync(body)).map(([path, bytes]) => [path, strFromU8(bytes)]);
  const expected = Object.entries(brunoFiles()).map(([path, text]) => [`citizen-services/${path}`, text]);
  assert.deepEqual(Object.fromEntries(entries), Object.fromEntries(expected));
});

test('the client package is offered only after the build has packed it', async (t) => {
  const built = mkdtempSync(join(tmpdir(), 'cs-downloads-'));
  t.after(() => rmSync(built, { recursive: true }));
  const names = async () => (await guideDownloads(built)).map(({ name }) => name);
  const before = await names();
  assert.ok(!before.some((name) => name.endsWith('.tgz')));
  writeFileSync(join(built, 'citizen-services-client-1.2.3.tgz'), 'packed');
  writeFileSync(join(built, 'guide-pages.js'), 'a file of the server');
  assert.deepEqual(await names(), [...before, 'citizen-services-client-1.2.3.tgz']);
  assert.equal(String(await (await guideDownloads(built)).at(-1)?.read()), 'packed');
});

test('a file that is not in the list is not found, even if it exists', async () => {
  for (const name of ['guide-pages.ts', '../web/guide-pages.ts', '../../package.json', '']) {
    const refusal = { slug: 'not-found', detail: 'No file has this name. See the list at /docs/guide.' };
    assert.deepEqual(await fetchFile(name), refusal, name);
  }
});
