import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createHttpClient, fetchOnce, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

let server: ServerFixture;
const thisFile = fileCleanupScope();
before(async () => {
  server = await makeServerFixture(thisFile);
  await server.start();
});

const outbox = async () => await (await fetchOnce(`${server.url}/outbox`)).text();
const linkIn = (page: string) => /http:\S+(\/received\/[\w.-]+)/.exec(page)?.[1];

test('the page of a confirmation link names its service, and a truncated link shows a page for citizens', async () => {
  const client = createHttpClient(server.url);
  const body = { citizenId: 'demo-mary', message: 'Text.', channels: ['email'] };
  const sent = await client(postJson(await server.fetchAccessToken(), '/v1/notifications/send', body));
  assert.equal(sent.status, 202, String(sent.body));
  await waitUntil(async () => linkIn(await outbox()) !== undefined);
  const path = linkIn(await outbox()) ?? '';
  const fullPage = await client({ path });
  assert.match(String(fullPage.body), /<title>Confirm that you received the message – Demo Permit Service<\/title>/);
  for (let length = path.length - 1; length >= '/received'.length; length -= 1) {
    const { status, headers, body: text } = await client({ path: path.slice(0, length) });
    assert.deepEqual([status, headers['content-type']], [404, 'text/html; charset=utf-8'], String(length));
    assert.match(String(text), /<title>This link does not work – Public services<\/title>/);
  }
  for (const more of ['/', '%', '/yours']) {
    const { body: text } = await client({ path: `${path}${more}`, headers: { accept: 'text/html,*/*;q=0.8' } });
    assert.match(String(text), /<title>This link does not work – Public services<\/title>/, more);
  }
});
