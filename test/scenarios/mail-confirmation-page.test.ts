import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createHttpClient, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

let home: ServerFixture;
const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
});

const outbox = async () => await (await fetch(`${home.url}/outbox`)).text();
const linkIn = (page: string) => /http:\S+(\/received\/[\w.-]+)/.exec(page)?.[1];

test('the page of a confirmation link names its service, and a truncated link shows a page for citizens', async () => {
  const ask = createHttpClient(home.url);
  const body = { citizenId: 'demo-mary', message: 'Text.', channels: ['email'] };
  const sent = await ask(postJson(await home.fetchAccessToken(), '/v1/notifications/send', body));
  assert.equal(sent.status, 202, String(sent.body));
  await waitUntil(async () => linkIn(await outbox()) !== undefined);
  const path = linkIn(await outbox()) ?? '';
  const whole = await ask({ path });
  assert.match(String(whole.body), /<title>Confirm the receipt – Demo Permit Service<\/title>/);
  for (let length = path.length - 1; length >= '/received'.length; length -= 1) {
    const { status, headers, body: text } = await ask({ path: path.slice(0, length) });
    assert.deepEqual([status, headers['content-type']], [404, 'text/html; charset=utf-8'], String(length));
    assert.match(String(text), /<title>This link is not known<\/title>/);
  }
  for (const more of ['/', '%', '/yours']) {
    const { body: text } = await ask({ path: `${path}${more}`, headers: { accept: 'text/html,*/*;q=0.8' } });
    assert.match(String(text), /<title>This link is not known<\/title>/, more);
  }
});
