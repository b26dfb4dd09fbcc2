import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { localeFor } from '../../src/locales/locale.ts';
import { formatMessage } from '../../src/locales/message-format.ts';
import type { CascadePolicy } from '../../src/notifications/cascade/cascade.ts';
import { createOutbox } from '../../src/notifications/channels/demo-outbox.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { createSmsGateway } from '../../src/notifications/channels/sms-gateway.ts';
import { defaultSmsMapping } from '../../src/notifications/channels/sms-mapping.ts';
import { unconfiguredChannels } from '../../src/notifications/notification/channel.ts';
import type { CitizenContact } from '../../src/notifications/notification/contact.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, minuteMs, type NotificationView } from '../support/delivery-app.ts';

const day = 24 * 60 * minuteMs;
const cases = 120;
const knowing = { clientId: 'knowing office' };
const confirmLink = (delivery: string) => `https://gov.example/received/${delivery}`;
// No provider for letters: letter-return-address.test.ts tests a preview of letters.
const cascade: CascadePolicy = {
  steps: [
    { channel: 'email', afterMs: 0 },
    { channel: 'sms', afterMs: 0 },
    { channel: 'letter', afterMs: 0 },
    { channel: 'email', afterMs: day, reminder: true },
  ],
  letterLeadMs: 5 * day,
  verifiedOnly: ['sms'],
  providers: new Set(['email', 'sms']),
};

const some = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const hours = { channels: ['email', 'sms'] as const, from: 8, until: 20, timeZone: 'America/New_York' };
const contact: fc.Arbitrary<CitizenContact> = fc.record({
  name: some('Ada', 'Ada Lovelace'),
  email: some(undefined, 'ada@example.org', 'ada@example.org', 'no address'),
  phone: some(undefined, '+4740000000', '+47 400 00 000', '0800'),
  language: some(undefined, 'de', 'ar', 'nn-NO'),
  declined: some(undefined, ['email'] as const, ['sms'] as const),
  hours: some(undefined, hours),
  verified: some(undefined, ['sms'] as const, ['sms'] as const, ['sms'] as const),
});
const sendAt = some(undefined, undefined, undefined, '2026-01-16T09:00:00Z', '2020-01-01T00:00:00Z');
// The third is the end of the quiet hours of 15 January.
const deliverBy = some(undefined, '2026-01-15T12:00:00Z', '2026-01-15T13:00:00Z', '2026-01-17T00:00:00Z');
const common = {
  deliverBy,
  language: some(undefined, undefined, undefined, 'fr', 'de', 'ar', 'x'),
  channels: some(undefined, undefined, ['sms'], ['letter', 'email'], ['email', 'sms'], ['inbox']),
  category: some('urgent', 'decision'),
  reference: some(undefined, 'TA-2026-118'),
  legalEffect: some(undefined, undefined, 'opened', 'after-3-days-or-confirmed'),
  sendAt,
};
const plain = fc.record({
  ...common,
  message: some('Ready.', '# Now\n\n* one\n* **two**', 'See [this](https://gov.example/x).', 'ض'.repeat(500), ' '),
  subject: some(undefined, 'Permit', 'Permit', 'Permit', 'two\nlines'),
});
const template = fc.record({
  ...common,
  message: some('Dear ((name)), **come**.'),
  subject: some(undefined, 'For ((name))'),
  personalisation: some({ name: 'Zoë <b>' }, { name: 'two\nlines' }, {}),
});
const body = fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: template });

for (const engine of engines) {
  test(`${engine.name}: a preview predicts the outcome of the same request`, async (t) => {
    const drawn = fc.sample(fc.record({ contact: fc.option(contact, { freq: 8, nil: undefined }), body }), {
      numRuns: cases,
      seed: 4,
    });
    const known = drawn.flatMap((one, at) => (one.contact === undefined ? [] : [[`cit-${at}`, one.contact] as const]));
    const more = { cascade, citizens: Object.fromEntries(known) };
    const { app, time, start, faults } = await createDeliveryApp(t, await engine.open(t), more);
    const outbox = createOutbox({ address: 'no-reply@tax.example', messageIdHost: 'tax.example', confirmLink });
    const { sms, texts } = await gateway(t);
    const channels = { ...unconfiguredChannels, inbox: inboxChannel, email: outbox, sms };
    const worker = await start({ channels, timing: { pollMs: day, leaseMs: 60 * day, recoverMs: 60 * day } });
    const sent: { readonly id: string; readonly shown: readonly PreviewedChannel[] }[] = [];
    let refused = 0;
    for (const [at, { body: asked }] of drawn.entries()) {
      const whole = { citizenId: `cit-${at}`, ...asked };
      const [preview, real] = [await app.preview(whole, knowing), await app.send(whole, knowing)];
      if ('refused' in preview) {
        assert.deepEqual(real, preview, JSON.stringify(whole));
        refused += 1;
      } else if (drawn[at]?.contact === undefined) {
        assert.ok(
          'refused' in real && real.refused.slug === 'citizen-not-found' && preview.json['citizenKnown'] === false,
        );
      } else {
        assert.ok('json' in real, JSON.stringify(real));
        sent.push({ id: String(real.json['id']), shown: preview.json['channels'] as readonly PreviewedChannel[] });
      }
    }
    worker.wake();
    await time.advance(3 * day, worker.idle);
    for (const { id, shown } of sent) {
      const { deliveries } = (await app.show(id, knowing)) as NotificationView;
      assert.deepEqual(
        deliveries.map(ended).sort(),
        shown.map(({ channel, reminder, reason }) => [channel, reminder === true, reason?.code].join(' ')).sort(),
      );
      const mails = outbox.mails().filter((mail) => mail.headers['Notification-Id'] === id);
      const mailed = mails.map(({ subject, text: whole, html }) =>
        [subject, whole, html].map((part) => bare(part, id)),
      );
      const predicted = shown.filter(({ channel, reachable }) => channel === 'email' && reachable);
      assert.deepEqual(
        mailed.reverse(),
        predicted.map(({ subject, text: whole, html }) => [subject, whole, html]),
      );
      const messages = deliveries.flatMap((one) => texts.get(String(one['id'])) ?? []);
      const announced = shown.filter(({ channel, reachable }) => channel === 'sms' && reachable);
      assert.deepEqual(
        messages,
        announced.map((one) => one.text),
      );
    }

    assert.ok(refused > 5 && sent.length > 20 && texts.size > 3 && outbox.mails().length > 10);
    assert.deepEqual(faults, []);
  });
}

type PreviewedChannel = {
  readonly channel: string;
  readonly reachable: boolean;
  readonly text: string;
  readonly reminder?: boolean;
  readonly subject?: string;
  readonly html?: string;
  readonly reason?: { readonly code: string };
};

function ended({ channel, reminder, reason }: NotificationView['deliveries'][number]): string {
  return [channel, reminder === true, (reason as { code: string } | undefined)?.code].join(' ');
}

/** A part of a mail without the ids that a preview does not have: those of the notification and in the link. */
function bare(part: string | undefined, id: string): string | undefined {
  const locales = ['en', 'de', 'fr', 'nb'].map(localeFor);
  let left = part;
  for (const { language, message } of locales) {
    const number = formatMessage(language, message.messageNumber, { id });
    left = left?.replace(new RegExp(`\n(?:<p [^>]*>)?${number}(?:</p>)?\n`), '\n');
  }
  left = left?.replace(/<p [^>]*><a href="https:\/\/gov.example\/received[^\n]*\n/, '');
  for (const { legalEffect } of locales) {
    const note = `(?:${legalEffect.linkCounts}|${legalEffect.linkDoesNotCount})`;
    left = left?.replace(new RegExp(`\n<p [^>]*>${note}</p>`), '').replace(new RegExp(`\n\n${note}`), '');
  }
  for (const { message } of locales)
    left = left?.replace(new RegExp(`${message.confirmReceipt}:\\nhttps://gov.example/received/\\S+\\n\\n`), '');
  return left;
}

/** A gateway on loopback that accepts every message. It has the texts by the id of the delivery. */
async function gateway(t: TestContext) {
  const texts = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const { id, text: said } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Record<string, string>;
    texts.set(id?.split('.')[0] ?? '', said ?? '');
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo;
  return {
    sms: createSmsGateway({ url: `http://127.0.0.1:${port}/`, mapping: defaultSmsMapping, clock: { now: () => 0 } }),
    texts,
  };
}
