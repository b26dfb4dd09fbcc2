import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Secret } from '../../src/kernel/secret.ts';
import { createSmtpEmail } from '../../src/notifications/channels/smtp-email.ts';
import {
  confirmationUrlIn,
  lateReportsInMailEvents,
  parseMailEvents,
} from '../../src/notifications/provider-webhooks/mail-events.ts';
import { createProviderWebhook, receiptParser } from '../../src/notifications/provider-webhooks/provider-webhook.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, minuteMs, type NotificationView } from '../support/delivery-app.ts';
import { startTestSmtpServer } from '../support/smtp-server.ts';

/** The mapping in docs/operate/channels.md that contains `mark`. */
function mappingWith(mark: string) {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operate/channels.md'), 'utf8');
  const [text, ...others] = [...page.matchAll(/```json\n([\s\S]*?)```/g)]
    .map(([, block = '']) => block)
    .filter((block) => block.includes(mark));
  assert.ok(text !== undefined && others.length === 0);
  return parseMailEvents(text);
}

const ses = mappingWith('"/Message"');
const mandrill = mappingWith('"/mandrill_events"');

/** Mails that were sent with the headers of a mapping, and a function that posts as its provider. */
async function sentWith(t: TestContext, engine: (typeof engines)[number], mapping: typeof ses, count: number) {
  const db = await engine.open(t);
  const { app, time, start, faults } = await createDeliveryApp(t, db);
  const sink = await startTestSmtpServer(t);
  const sender = { address: 'no-reply@tax.example', messageIdHost: 'tax.example', headers: mapping.headers };
  const email = createSmtpEmail({ url: sink.url, sender });
  t.after(() => email.close());
  const worker = await start({ email });
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent += 1) ids.push(await app.accept({ citizenId: 'cit-ada' }));
  worker.wake();
  await time.advance(minuteMs, worker.idle);
  const server = createServer(
    createProviderWebhook(
      { ...app, read: db.read, clock: time.clock, onFault: (fault) => faults.push(fault) },
      {
        token: new Secret('t0ken'),
        limitBytes: 100_000,
        read: receiptParser((body) => lateReportsInMailEvents(mapping, body)),
      },
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // It listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo;
  const raws = ids.map((id) => sink.mails.find(({ raw }) => raw.includes(id))?.raw.replaceAll('\r\n ', ' ') ?? '');
  const outcomes = async () =>
    await Promise.all(
      ids.map(async (id) => {
        const email = ((await app.show(id)) as NotificationView).deliveries.find(({ channel }) => channel === 'email');
        return [email?.['status'], (email?.['reason'] as { code?: string } | undefined)?.code];
      }),
    );
  /** Both providers send the user and password of the URL. */
  const authorization = `Basic ${Buffer.from('provider:t0ken').toString('base64')}`;
  const post = async (type: string, body: string) =>
    (
      await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: { authorization, 'content-type': type },
        body,
      })
    ).status;
  assert.deepEqual(faults, []);
  return { raws, outcomes, post };
}

/** A post of SNS. */
const fromSns = (message: object | string, more: object = {}) =>
  JSON.stringify({
    Type: 'Notification',
    MessageId: '0f5c4ba3-4b7e-5b8c-9d53-1a4f5a9f6a10',
    TopicArn: 'arn:aws:sns:eu-west-1:123456789012:mail-events',
    Subject: 'Amazon SES Email Event Notification',
    Message: typeof message === 'string' ? message : JSON.stringify(message),
    Timestamp: '2026-01-15T09:01:00.000Z',
    SignatureVersion: '1',
    Signature: 'c2lnbmF0dXJl',
    SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService.pem',
    UnsubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe',
    ...more,
  });
const snsType = 'text/plain; charset=UTF-8';

/** The member `mail` of an SES notification. */
const sesMail = (messageId: string) => ({
  timestamp: '2026-01-15T09:00:00.000Z',
  source: 'no-reply@tax.example',
  messageId: '0102019bbf3d-0000-4000-8000-000000000000-000000',
  destination: ['ada@example.org'],
  headersTruncated: false,
  headers: [
    { name: 'From', value: '"Tax Office" <no-reply@tax.example>' },
    { name: 'Message-ID', value: messageId },
  ],
  commonHeaders: { from: ['Tax Office <no-reply@tax.example>'], to: ['ada@example.org'], messageId, subject: 'S' },
});

const bounced = (bounceType: string, bounceSubType: string, mail: object, report: object = { action: 'failed' }) => ({
  notificationType: 'Bounce',
  bounce: {
    bounceType,
    bounceSubType,
    timestamp: '2026-01-15T09:00:30.000Z',
    feedbackId: '0102-feedback',
    bouncedRecipients: [{ emailAddress: 'ada@example.org', ...report }],
    reportingMTA: 'dsn; a.amazonses.com',
  },
  mail,
});

for (const engine of engines) {
  test(`${engine.name}: reports of SES through SNS are accepted with the mapping in the documentation`, async (t) => {
    const { raws, outcomes, post } = await sentWith(t, engine, ses, 8);
    const mails = raws.map((raw) => sesMail(/^Message-ID: (\S+)/im.exec(raw)?.[1] ?? ''));
    const messages = [
      { notificationType: 'Delivery', mail: mails[0], delivery: { recipients: ['ada@example.org'] } },
      bounced('Permanent', 'General', mails[1] ?? {}),
      bounced('Transient', 'MailboxFull', mails[2] ?? {}),
      bounced('Transient', 'General', mails[3] ?? {}),
      bounced('Transient', 'AttachmentRejected', mails[4] ?? {}),
      { notificationType: 'Complaint', mail: mails[5], complaint: { complainedRecipients: [] } },
      // Out-of-office replies.
      bounced('Transient', 'General', mails[6] ?? {}, {}),
      bounced('Undetermined', 'Undetermined', mails[7] ?? {}, {}),
    ];
    for (const message of messages) assert.equal(await post(snsType, fromSns(message)), 200);
    assert.deepEqual(await outcomes(), [
      ['delivered', undefined],
      ['failed', 'address-refused'],
      ['failed', 'mailbox-full'],
      ['failed', 'destination-unreachable'],
      ['failed', 'message-refused'],
      ['sent', undefined],
      ['sent', undefined],
      ['sent', undefined],
    ]);
    assert.equal(await post(snsType, fromSns('Successfully validated SNS topic.')), 400);
  });

  test(`${engine.name}: reports of Mandrill with the metadata of a mail are accepted with the mapping in the documentation`, async (t) => {
    const { raws, outcomes, post } = await sentWith(t, engine, mandrill, 4);
    const metadata = raws.map((raw) => JSON.parse(/^X-MC-Metadata: (.*)$/im.exec(raw)?.[1] ?? '{}') as object);
    const about = (index: number, event: string) => {
      const msg = {
        _id: `id-${index}`,
        email: 'ada@example.org',
        sender: 'no-reply@tax.example',
        tags: [],
        state: 'sent',
      };
      return { event, _id: `id-${index}`, ts: 1_768_467_630, msg: { ...msg, metadata: metadata[index] } };
    };
    const batch = [about(0, 'delivered'), about(1, 'hard_bounce'), about(2, 'soft_bounce'), about(3, 'open')];
    const form = (events: unknown) => new URLSearchParams({ mandrill_events: JSON.stringify(events) }).toString();
    const type = 'application/x-www-form-urlencoded';
    // Mandrill first tests the URL with an empty list.
    assert.equal(await post(type, form([])), 200);
    assert.equal(await post(type, form(batch)), 200);
    assert.deepEqual(await outcomes(), [
      ['delivered', undefined],
      ['failed', 'address-refused'],
      ['failed', 'destination-unreachable'],
      ['sent', undefined],
    ]);
    assert.equal(await post(type, 'mandrill_events=%5B'), 400);
  });
}

test('only a subscription message of SNS has a URL to confirm', () => {
  const url = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f';
  const subscription = { Type: 'SubscriptionConfirmation', Token: '2336412f', SubscribeURL: url };
  const of = (body: string) => confirmationUrlIn(ses, JSON.parse(body));
  assert.equal(of(fromSns('You have chosen to subscribe to the topic.', subscription)), url);
  assert.equal(of(fromSns({ notificationType: 'Delivery' })), undefined);
  for (const SubscribeURL of ['http://sns.example/', `${url}\n`, 7, `https://sns.example/${'a'.repeat(2_001)}`])
    assert.equal(of(fromSns('', { SubscribeURL })), undefined);
});
