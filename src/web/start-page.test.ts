import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { defaultSite } from '../../test/support/default-site.ts';
import { createHttpClient } from '../../test/support/http-client.ts';
import { mountStartPage } from './start-page.ts';

async function open(
  t: TestContext,
  options: { readonly hasStaffPages: false; hasCitizenPages: boolean; readonly hasOutbox: boolean },
) {
  const publicUrl = 'https://services.example.gov';
  const { handler } = mountStartPage({ ...defaultSite, ...options, publicUrl });
  const server = createServer(handler).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  // It listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo;
  const ask = createHttpClient(`http://127.0.0.1:${port}`);
  return async (path: string, headers: Readonly<Record<string, string>> = {}) => await ask({ path, headers });
}

test('the start page leads citizens to the sign-in first and developers to the reference below, in the language of the visitor', async (t) => {
  const get = await open(t, { hasStaffPages: false, hasCitizenPages: true, hasOutbox: false });
  const answer = await get('/', { 'accept-language': 'de' });
  const body = String(answer.body);
  assert.match(body, /<html lang="de"/);
  assert.match(
    body,
    /<a class="action" href="https:\/\/services\.example\.gov\/me\/sign-in">[\s\S]*lang="en"[\s\S]*<a href="\/docs">/,
  );
  assert.doesNotMatch(body, /\/outbox/);
  assert.equal(answer.headers['vary'], 'accept-language, cookie');
  const switched = await get('/?lang=fr');
  assert.deepEqual([switched.status, switched.headers.location], [303, '/']);
  assert.match(String((await get('/', { cookie: '__Host-language=fr' })).body), /<html lang="fr"/);
});

test('without pages for citizens the start page is for developers only', async (t) => {
  const get = await open(t, { hasStaffPages: false, hasCitizenPages: false, hasOutbox: true });
  const body = String((await get('/')).body);
  assert.doesNotMatch(body, /href="[^"]*\/me/);
  assert.match(body, /<a href="\/docs\/guide">Guides for service teams<\/a>[\s\S]*<a href="\/outbox">/);
});
