import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outboxPage } from './outbox-page.ts';

const mail = {
  to: 'ada@example.org',
  subject: 'Your <b>permit</b>',
  text: 'First & last.\n\nhttps://gov.example/',
  capturedAt: Date.UTC(2026, 0, 15, 9),
};

async function bodyOf(mails: readonly (typeof mail)[]): Promise<string> {
  const made = await outboxPage(() => mails).get({}, new URLSearchParams());
  assert.ok('body' in made && made.status === 200);
  return String(made.body);
}

test('the outbox escapes each mail, and isolates its text direction', async () => {
  const body = await bodyOf([mail, { ...mail, subject: 'Older' }]);
  assert.match(body, /<p>Mail that this demo would have sent: 2, newest first\. It is kept in memory only\.<\/p>/);
  assert.deepEqual(body.match(/<h2>.*<\/h2>/g), [
    '<h2><bdi>Your &lt;b&gt;permit&lt;/b&gt;</bdi></h2>',
    '<h2><bdi>Older</bdi></h2>',
  ]);
  assert.match(body, /<p>To <bdi>ada@example\.org<\/bdi>, <bdi><time>2026-01-15T09:00:00\.000Z<\/time><\/bdi><\/p>/);
  assert.match(body, /<p class="mail" dir="auto">First &amp; last\.\n\nhttps:\/\/gov\.example\/<\/p>/);
});

test('the page of an empty outbox states that it is empty', async () => {
  const body = await bodyOf([]);
  assert.match(body, /would have sent: 0,/);
  assert.doesNotMatch(body, /<article>/);
});
