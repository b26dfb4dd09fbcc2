import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OutboxChannels, outboxPages } from './outbox-page.ts';

const capturedAt = Date.UTC(2026, 0, 15, 9);
const mail = {
  id: 'dlv_1.1',
  from: { name: 'Tax <Office>', address: 'no-reply@tax.example' },
  to: 'ada@example.org',
  subject: 'Your <b>permit</b>',
  text: 'First & last (https://gov.example/?a=1&b=2).\n\nhttps://gov.example/\njavascript:alert(1)',
  headers: {},
  capturedAt,
};
const richMail = {
  ...mail,
  id: 'dlv_2.1',
  subject: 'Rich',
  html: '<!doctype html><html><head></head><body><p>Hello</p></body></html>',
  headers: { 'Reply-To': 'office@tax.example' },
  capturedAt: capturedAt - 2,
};
const text = {
  id: 'dlv_3.1',
  from: 'Tax Office',
  to: '+46701740606',
  text: 'Come on Monday.',
  capturedAt: capturedAt + 1,
};
const letter = {
  id: 'dlv_4.1',
  letter: { sender: 'Tax Office', address: 'Ada Lovelace\n14 Park Row\nBristol', subject: 'Assessment' },
  capturedAt: capturedAt - 1,
};
const channels: OutboxChannels = {
  email: { mails: () => [mail, richMail] },
  sms: { texts: () => [text] },
  letter: {
    letters: () => [letter],
    pdfOf: async (id) =>
      id === letter.id ? Buffer.from('%PDF-1.7') : id === 'broken' ? 'letter-unprintable' : undefined,
  },
};

async function answerOf(path: string, id = '', given = channels) {
  const page = outboxPages(given, 'demo').find((one) => one.path === path) ?? assert.fail(path);
  return await page.get({ id }, new URLSearchParams());
}

async function pageOf(path: string, id = '', given = channels) {
  const made = await answerOf(path, id, given);
  assert.ok('body' in made && made.status === 200);
  return { body: String(made.body), headers: made.headers };
}

test('the outbox lists the messages of all channels, newest first, and escapes them', async () => {
  const { body } = await pageOf('/outbox');
  assert.match(body, /<p class="demo">Demo: invented people, nothing is sent<\/p>/);
  assert.match(
    body,
    /<p>Messages that this demo would have sent: 4, newest first\. They are kept in memory only\.<\/p>/,
  );
  assert.deepEqual(body.match(/<h2>.*<\/h2>/g), [
    '<h2>Text message from <bdi>Tax Office</bdi></h2>',
    '<h2><bdi>Your &lt;b&gt;permit&lt;/b&gt;</bdi></h2>',
    '<h2><bdi>Assessment</bdi></h2>',
    '<h2><bdi>Rich</bdi></h2>',
  ]);
});

test('a message in the outbox has its channel, sender, recipient, time and the address for replies', async () => {
  const { body } = await pageOf('/outbox');
  const rows = body.split('<article>').slice(1);
  const details = rows.map((row) =>
    [...row.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(
      ([, name, value]) => `${name}: ${value?.replaceAll(/<.*?>/g, '')}`,
    ),
  );
  const time = (offsetMs: number) => `Time: ${new Date(capturedAt + offsetMs).toISOString()}`;
  assert.deepEqual(details, [
    ['Channel: Text message', 'From: Tax Office', 'To: +46701740606', time(1)],
    ['Channel: Email', 'From: Tax &lt;Office&gt; &lt;no-reply@tax.example&gt;', 'To: ada@example.org', time(0)],
    ['Channel: Letter', 'From: Tax Office', 'To: Ada Lovelace, 14 Park Row, Bristol', time(-1)],
    [
      'Channel: Email',
      'From: Tax &lt;Office&gt; &lt;no-reply@tax.example&gt;',
      'To: ada@example.org',
      'Reply-To: office@tax.example',
      time(-2),
    ],
  ]);
});

test('web addresses in a text are links, and other schemes are text', async () => {
  const { body } = await pageOf('/outbox', '', { email: { mails: () => [mail] } });
  assert.ok(
    body.includes(
      '<p class="mail" dir="auto">First &amp; last (<a href="https://gov.example/?a=1&amp;b=2">https://gov.example/?a=1&amp;b=2</a>).\n\n<a href="https://gov.example/">https://gov.example/</a>\njavascript:alert(1)</p>',
    ),
    body,
  );
});

test('the HTML of a mail is in a sandbox without scripts, and only frames of this server are allowed', async () => {
  const { body, headers } = await pageOf('/outbox');
  assert.match(
    body,
    /<iframe [^>]*src="\/outbox\/mails\/dlv_2\.1" sandbox="allow-popups allow-popups-to-escape-sandbox"/,
  );
  assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'; frame-src 'self'$/);
  const frame = await pageOf('/outbox/mails/:id', 'dlv_2.1');
  assert.match(frame.body, /<head><base target="_blank">/);
  assert.equal(
    frame.headers['content-security-policy'],
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
  );
});

test('a letter in the outbox is a PDF', async () => {
  assert.match((await pageOf('/outbox')).body, /<a href="\/outbox\/letters\/dlv_4\.1">Open the letter \(PDF\)<\/a>/);
  const { body, headers } = await pageOf('/outbox/letters/:id', letter.id);
  assert.deepEqual([body, headers['content-type']], ['%PDF-1.7', 'application/pdf']);
});

test('an unknown mail, a mail without HTML, and a letter that cannot be printed are not found', async () => {
  for (const [path, id] of [
    ['/outbox/mails/:id', 'none'],
    ['/outbox/mails/:id', mail.id],
    ['/outbox/letters/:id', 'none'],
    ['/outbox/letters/:id', 'broken'],
  ] as const) {
    const made = await answerOf(path, id);
    assert.equal('slug' in made && made.slug, 'not-found', `${path} ${id}`);
  }
});

test('the page of an empty outbox states that it is empty, and without a captured channel there is no outbox', async () => {
  const { body } = await pageOf('/outbox', '', { email: { mails: () => [] } });
  assert.match(body, /would have sent: 0,/);
  assert.doesNotMatch(body, /<article>/);
  assert.deepEqual(outboxPages({}), []);
});
