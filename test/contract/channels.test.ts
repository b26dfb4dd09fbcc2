import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import PostalMime from 'postal-mime';
import { readSettings } from '../../src/config/settings.ts';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { createLetterOutbox, createOutbox, createSmsOutbox } from '../../src/notifications/channels/demo-outbox.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { createSmtpEmail, parseRelayUrl } from '../../src/notifications/channels/smtp-email.ts';
import { loadLetterParts } from '../../src/notifications/letters/letter-settings.ts';
import type { Channel, OutgoingMessage, ProviderOutcome } from '../../src/notifications/notification/channel.ts';
import { unconfiguredChannel } from '../../src/notifications/notification/channel.ts';
import { type SmtpBehaviour, startTestSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

const at = Date.UTC(2026, 0, 15, 9);
const newId = createIdGenerator({ now: () => at }, (bytes) => new Uint8Array(bytes));
const sender = { address: 'no-reply@tax.example', messageIdHost: 'tax.example' };

function message(more: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    notification: newId('notification'),
    delivery: newId('delivery'),
    attempt: 1,
    address: 'ada@example.org',
    sender: 'Tax Office',
    subject: 'Your assessment',
    content: { message: 'Your assessment for 2025 is ready.\n\nSecond paragraph.' },
    reminder: false,
    category: 'information',
    language: 'en-GB',
    at,
    ...more,
  };
}

/** Prepares and calls like the worker. */
async function send(channel: Channel, what: OutgoingMessage): Promise<ProviderOutcome> {
  const ready = await channel.prepare(what);
  return 'outcome' in ready ? ready : await ready.call();
}

async function smtp(
  t: TestContext,
  more: { replyTimeoutMs?: number; dataReplyTimeoutMs?: number } = {},
): Promise<{ sink: TestSmtpServer; email: Channel }> {
  const sink = await startTestSmtpServer(t);
  const email = createSmtpEmail({ url: sink.url, sender, ...more });
  t.after(() => email.close());
  return { sink, email };
}

const channels: ReadonlyArray<{ name: string; make: (t: TestContext) => Promise<Channel>; success: object }> = [
  { name: 'inbox', make: async () => inboxChannel, success: { outcome: 'sent' } },
  { name: 'outbox', make: async () => createOutbox(sender), success: { outcome: 'delivered' } },
  { name: 'smtp', make: async (t) => (await smtp(t)).email, success: { outcome: 'sent' } },
];

for (const { name, make, success } of channels) {
  test(`${name}: a message to a citizen with all contacts is sent`, async (t) => {
    const channel = await make(t);
    const address = channel.addressOf({ email: 'ada@example.org', phone: '+47 400 00 000' });
    assert.notEqual(address, undefined);
    assert.deepEqual(await send(channel, message({ address: address ?? '' })), success);
  });

  test(`${name}: the channel sends as many messages in parallel as its concurrency`, async (t) => {
    const channel = await make(t);
    const all = await Promise.all(Array.from({ length: channel.concurrency }, () => send(channel, message())));
    assert.deepEqual(new Set(all.map((outcome) => outcome.outcome)).size, 1);
    assert.deepEqual(all[0], success);
  });
}

test('a citizen without an email address has no address on the channel', () => {
  assert.equal(createOutbox(sender).addressOf({ phone: '+47 400 00 000' }), undefined);
  assert.equal(inboxChannel.addressOf({}), 'inbox');
});

test('a channel without a provider fails with channel-not-configured', async () => {
  const outcome = await send(unconfiguredChannel('email'), message());
  assert.deepEqual(outcome, { outcome: 'permanent', reason: 'channel-not-configured' });
});

test('smtp: a mail has the whole text, the sender, the notification and the id of the attempt', async (t) => {
  const { sink, email } = await smtp(t);
  const text = 'Grüezi Żółć Ελλάδα العربية\n.\n..\nFrom here on\nlast line';
  const sent = message({ content: { message: text }, subject: 'Bescheid für Ελλάδα', attempt: 3 });
  await send(email, sent);
  const mail = await PostalMime.parse(sink.mails[0]?.raw ?? '');
  const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]));
  assert.deepEqual(
    {
      from: mail.from,
      to: mail.to,
      subject: mail.subject,
      messageId: mail.messageId,
      date: mail.date,
      text: mail.text?.replaceAll('\r\n', '\n'),
      auto: [headers['auto-submitted'], headers['x-auto-response-suppress']],
      language: headers['content-language'],
      notification: headers['notification-id'],
    },
    {
      from: { name: 'Tax Office', address: 'no-reply@tax.example' },
      to: [{ name: '', address: 'ada@example.org' }],
      subject: 'Bescheid für Ελλάδα',
      messageId: `<${sent.delivery}.3@tax.example>`,
      date: '2026-01-15T09:00:00.000Z',
      text: `${text}\n\n-- \nTax Office\nMessage number: ${sent.notification}\n`,
      auto: ['auto-generated', 'OOF, AutoReply'],
      language: 'en-GB',
      notification: sent.notification,
    },
  );
});

test('smtp: a mail without a subject has the sender as subject', async (t) => {
  const { sink, email } = await smtp(t);
  await send(email, message({ subject: undefined }));
  assert.equal((await PostalMime.parse(sink.mails[0]?.raw ?? '')).subject, 'Message from Tax Office');
});

const evilAddresses = [
  'a@example.org, b@example.org',
  'a@example.org\r\nBcc: b@example.org',
  '<a@example.org> b@example.org',
  '"a@example.org" <b@example.org>',
  'group:a@example.org;',
  'a@b@example.org',
  'ada',
  'ada@',
  'ådå@example.org',
  '',
];

for (const make of [
  (_t: TestContext) => Promise.resolve(createOutbox(sender)),
  async (t: TestContext) => (await smtp(t)).email,
]) {
  test('an address with a second recipient is address-invalid', async (t) => {
    const email = await make(t);
    for (const address of evilAddresses) {
      assert.deepEqual(await send(email, message({ address })), { outcome: 'permanent', reason: 'address-invalid' });
    }
  });
}

test('smtp: a mail to a non-ASCII domain is addressed to its ASCII name', async (t) => {
  const { sink, email } = await smtp(t);
  await send(email, message({ address: 'ada@blåbær.example' }));
  assert.match(sink.mails[0]?.raw ?? '', /^To: ada@xn--blbr-roah\.example$/m);
});

test('smtp: line breaks in sender, subject and language add no header', async (t) => {
  const { sink, email } = await smtp(t);
  const evil = 'x\r\nBcc: eve@example.org\u0085X-A: 1\u2028X-B: 2';
  await send(email, message({ sender: evil, subject: evil, language: evil }));
  const mail = await PostalMime.parse(sink.mails[0]?.raw ?? '');
  assert.deepEqual(sink.mails[0]?.to, ['ada@example.org']);
  assert.deepEqual(
    mail.headers.map(({ key }) => key).filter((key) => ['bcc', 'x-a', 'x-b'].includes(key)),
    [],
  );
});

const meanings: ReadonlyArray<[SmtpBehaviour, object]> = [
  [
    { refuse: 'recipient', code: 550, text: '5.1.1 no such user' },
    { outcome: 'permanent', reason: 'address-refused' },
  ],
  [
    { refuse: 'recipient', code: 554, text: '5.7.1 relay access denied' },
    { outcome: 'temporary', reason: 'provider-refuses-us' },
  ],
  [
    { refuse: 'recipient', code: 452, text: '4.2.2 mailbox full' },
    { outcome: 'temporary', reason: 'mailbox-full' },
  ],
  [
    { refuse: 'recipient', code: 552, text: 'quota' },
    { outcome: 'temporary', reason: 'mailbox-full' },
  ],
  [
    { refuse: 'recipient', code: 451, text: '4.7.1 greylisted' },
    { outcome: 'temporary', reason: 'provider-busy' },
  ],
  [
    { refuse: 'recipient', code: 450, text: 'later' },
    { outcome: 'temporary', reason: 'provider-busy' },
  ],
  [
    { refuse: 'sender', code: 550, text: 'who are you' },
    { outcome: 'temporary', reason: 'provider-refuses-us' },
  ],
  [
    { refuse: 'sender', code: 421, text: 'closing' },
    { outcome: 'temporary', reason: 'provider-busy' },
  ],
  [
    { refuse: 'message', code: 554, text: '5.6.0 content refused' },
    { outcome: 'permanent', reason: 'message-refused' },
  ],
  [
    { refuse: 'message', code: 451, text: 'try again' },
    { outcome: 'temporary', reason: 'provider-busy' },
  ],
  ['drop-at-recipient', { outcome: 'temporary', reason: 'provider-unreachable' }],
  ['drop-after-data', { outcome: 'unknown' }],
  ['silent-after-data', { outcome: 'unknown' }],
];

// In parallel, because some of them wait for a timeout.
describe('smtp: behaviour of a relay', { concurrency: 16 }, () => {
  for (const [behaviour, meaning] of meanings) {
    test(`smtp: ${JSON.stringify(behaviour)} of the relay means ${JSON.stringify(meaning)}, and the next mail is sent`, async (t) => {
      const { sink, email } = await smtp(t, { replyTimeoutMs: 6_000, dataReplyTimeoutMs: 6_000 });
      sink.setBehaviour(() => behaviour);
      assert.deepEqual(await send(email, message()), meaning);
      const before = sink.mails.length;
      assert.ok(before <= 1, 'one call hands the mail over at most once');
      sink.setBehaviour(() => 'accept');
      assert.deepEqual(await send(email, message()), { outcome: 'sent' });
      assert.equal(sink.mails.length, before + 1);
    });
  }

  test('smtp: a mail that was lost over a reused connection is not sent over another', async (t) => {
    for (const behaviour of ['drop-after-data', 'silent-after-data'] as const) {
      const { sink, email } = await smtp(t, { replyTimeoutMs: 6_000, dataReplyTimeoutMs: 6_000 });
      assert.deepEqual(await send(email, message()), { outcome: 'sent' });
      sink.setBehaviour(() => behaviour);
      assert.deepEqual(await send(email, message()), { outcome: 'unknown' });
      assert.deepEqual({ sessions: sink.sessions, mails: sink.mails.length }, { sessions: 1, mails: 2 });
    }
  });
});

test('smtp: a refused connection is a temporary failure', async () => {
  const email = createSmtpEmail({ url: 'smtp://127.0.0.1:1', sender });
  assert.deepEqual(await send(email, message()), { outcome: 'temporary', reason: 'provider-unreachable' });
});

test('smtp: a connection is reused, and a dead one is replaced without a failure', async (t) => {
  const { sink, email } = await smtp(t);
  for (let count = 0; count < 5; count += 1) await send(email, message());
  assert.equal(sink.sessions, 1);
  sink.closeSessions();
  assert.deepEqual(await send(email, message()), { outcome: 'sent' });
  assert.deepEqual({ sessions: sink.sessions, mails: sink.mails.length }, { sessions: 2, mails: 6 });
});

test('a message that is dropped after prepare is not sent, and its connection is reused', async (t) => {
  const { sink, email } = await smtp(t);
  const ready = await email.prepare(message());
  assert.ok('drop' in ready);
  ready.drop();
  assert.deepEqual(await send(email, message()), { outcome: 'sent' });
  assert.deepEqual({ sessions: sink.sessions, mails: sink.mails.length }, { sessions: 1, mails: 1 });
  const outbox = createOutbox(sender);
  const captured = await outbox.prepare(message());
  if ('drop' in captured) captured.drop();
  assert.deepEqual(outbox.mails(), []);
});

test('smtp: mail to another machine must be encrypted unless the URL has tls=optional', () => {
  const requireTls = (url: string) => parseRelayUrl(url, 1_000).connection.requireTLS;
  assert.deepEqual(
    ['smtp://relay.example', 'smtp://relay.example?tls=optional', 'smtp://localhost:25', 'smtps://relay.example'].map(
      requireTls,
    ),
    [true, false, false, false],
  );
  assert.throws(() => parseRelayUrl('smtp://relay.example?logger=true', 1_000), /unknown parameter logger/);
});

test('the outbox keeps the latest 200 mails, newest first, and nothing after it is closed', async () => {
  const outbox = createOutbox(sender);
  for (let count = 1; count <= 201; count += 1) await send(outbox, message({ subject: `mail ${count}` }));
  const mails = outbox.mails();
  assert.deepEqual([mails.length, mails[0]?.subject, mails.at(-1)?.subject], [200, 'mail 201', 'mail 2']);
  await outbox.close();
  assert.deepEqual(outbox.mails(), []);
});

test('the demo captures a text message with its sender and its link, and rejects an address that is no number', async () => {
  const outbox = createSmsOutbox((id) => `https://tax.example/${id}`);
  const sent = message({ address: '+46 70 174 06 06', noticeOnly: true });
  assert.deepEqual(await send(outbox, sent), { outcome: 'delivered' });
  const refused = await send(outbox, message());
  assert.deepEqual(refused, { outcome: 'permanent', reason: 'address-invalid' });
  const [text, ...others] = outbox.texts();
  assert.deepEqual([text?.from, text?.to, text?.capturedAt, others], ['Tax Office', '+46701740606', at, []]);
  assert.ok(text?.text.includes(`https://tax.example/${sent.notification}`), text?.text);
  await outbox.close();
  assert.deepEqual(outbox.texts(), []);
});

test('the demo captures a letter, and typesets it when it is opened', async (t) => {
  const outbox = createLetterOutbox(() => loadLetterParts(readSettings({})));
  t.after(() => outbox.close());
  const sent = message({ address: 'Ada Lovelace\n14 Park Row\nBristol' });
  assert.deepEqual(await send(outbox, sent), { outcome: 'sent' });
  const refused = await send(outbox, message({ address: 'Ada Lovelace' }));
  assert.deepEqual(refused, { outcome: 'permanent', reason: 'address-invalid' });
  assert.deepEqual(
    outbox.letters().map(({ letter }) => letter.subject),
    ['Your assessment'],
  );
  const pdf = await outbox.pdfOf(`${sent.delivery}.1`);
  assert.ok(pdf instanceof Uint8Array);
  assert.equal(Buffer.from(pdf).toString('latin1', 0, 5), '%PDF-');
  assert.equal(await outbox.pdfOf('other'), undefined);
});
