import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { ClientMessages } from '../../src/auth/client-messages.ts';
import type { Database } from '../../src/db/database.ts';
import type { CascadePolicy } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { createSmsGateway } from '../../src/notifications/channels/sms-gateway.ts';
import { defaultSmsMapping } from '../../src/notifications/channels/sms-mapping.ts';
import { createSmtpEmail } from '../../src/notifications/channels/smtp-email.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { createConfirmLinks } from '../../src/notifications/inbox/confirm-receipt.ts';
import { createInboxLink } from '../../src/notifications/inbox/inbox-link.ts';
import type { OutgoingMessage } from '../../src/notifications/notification/channel.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, createScriptedChannel, minuteMs } from '../support/delivery-app.ts';

const day = 24 * 60 * minuteMs;
const cascade: CascadePolicy = {
  steps: [
    { channel: 'email', afterMs: 0 },
    { channel: 'sms', afterMs: 0 },
    { channel: 'letter', afterMs: 0 },
    { channel: 'email', afterMs: day, reminder: true },
  ],
  letterLeadMs: 5 * day,
  providers: new Set(['email', 'sms', 'letter']),
};
const citizens = { 'cit-eva': { email: 'eva@example.org', phone: '+4740000000', postalLines: ['A', 'B'] } };
const inboxLink = createInboxLink('https://gov.example/me/messages/{id}');
const links = createConfirmLinks('https://gov.example', new Uint8Array(32).fill(3));
const decision = {
  citizenId: 'cit-eva',
  category: 'decision',
  subject: 'Zirconium benefit',
  message: '# Rejected\n\nYour **application** failed because of quarterly income.',
  reference: 'CASE-77',
};
const secretWords = /zirconium|benefit|rejected|application|failed|because|quarterly|income|CASE-77|received\//i;

/** A service with these settings, and everything that its messages send. */
async function open(t: TestContext, db: Database, messages: ClientMessages, hasInboxPage = true) {
  const { app, time, sink, start, faults } = await createDeliveryApp(t, db, { cascade, citizens });
  const senderOf = async () => ({ name: 'Tax Office', messages });
  const link = hasInboxPage ? { inboxLink } : {};
  Object.assign(app.ports, { senderOf, ...link });
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    texts.push(Buffer.concat(await request.toArray()).toString());
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // It listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo;
  const sms = createSmsGateway({
    url: `http://127.0.0.1:${port}/`,
    mapping: defaultSmsMapping,
    clock: time.clock,
    ...link,
  });
  const sender = { address: 'no-reply@tax.example', messageIdHost: 'tax.example', confirmLink: links.linkFor, ...link };
  const email = createSmtpEmail({ url: sink.url, sender });
  t.after(() => email.close());
  const letters: OutgoingMessage[] = [];
  const printed = createScriptedChannel({ outcome: 'sent' });
  const letter = {
    ...printed,
    name: 'letter' as const,
    addressOf: () => 'x',
    prepare: (message: OutgoingMessage) => {
      letters.push(message);
      return printed.prepare(message);
    },
  };
  const worker = await start({ senderOf, channels: { inbox: inboxChannel, email, sms, letter } });
  const run = async (ms: number) => {
    worker.wake();
    await time.advance(ms, worker.idle);
  };
  const mails = () => sink.mails.map(({ raw }) => raw.replaceAll('=\r\n', '').replaceAll('=3D', '='));
  return { app, run, mails, texts, letters, faults };
}

for (const engine of engines) {
  test(`${engine.name}: the mails and text message of a decision have no word of it, and its letter has all`, async (t) => {
    const { app, run, mails, texts, letters, faults } = await open(t, await engine.open(t), {});
    const id = await app.accept({ ...decision, legalEffect: 'opened' });
    await run(2 * day);
    assert.equal(mails().length, 2);
    for (const mail of mails()) {
      assert.doesNotMatch(mail, secretWords);
      assert.match(mail, /^Subject: (?:Reminder: )?Message from Tax Office\r$/m);
      assert.match(mail, new RegExp(`https://gov\\.example/me/messages/${id}\r`));
      assert.match(mail, /This message counts as delivered when you open it in your inbox\./);
    }
    assert.equal(texts.length, 1);
    assert.doesNotMatch(texts[0] ?? '', secretWords);
    const text = `Tax Office: you have a new message. The message counts as delivered when you open it in your inbox. Read it at https://gov.example/me/messages/${id}`;
    assert.equal((JSON.parse(texts[0] ?? '{}') as { text: string }).text, text);
    assert.deepEqual(
      letters.map(({ subject, content }) => [subject, content.message]),
      [[decision.subject, decision.message]],
    );
    const answer = await app.serve(readEvidence)({ params: { id } });
    assert.ok('json' in answer);
    const { evidence } = verifyEvidence(JSON.stringify(answer.json)).claims as { evidence: Record<string, string>[] };
    assert.deepEqual(
      evidence.map(({ event = '', channel = '-' }) => `${event.split('/').at(-1)} ${channel}`).toSorted(),
      [
        'ConsignmentNotification email',
        'ConsignmentNotification email',
        'ConsignmentNotification sms',
        'ContentConsignment inbox',
        'RelayToNonERDS letter',
        'SubmissionAcceptance -',
      ],
    );
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: a preview shows the notices instead of the message`, async (t) => {
    const { app } = await open(t, await engine.open(t), {});
    const shown = await app.preview(decision);
    assert.ok('json' in shown);
    const channels = shown.json['channels'] as { channel: string; noticeOnly?: boolean }[];
    for (const one of channels) {
      const isNotice = one.channel === 'email' || one.channel === 'sms';
      assert.equal(one.noticeOnly, isNotice ? true : undefined, one.channel);
      assert.equal(secretWords.test(JSON.stringify(one)), !isNotice, one.channel);
    }
    const other = await app.preview({ ...decision, category: 'information' });
    assert.doesNotMatch(JSON.stringify(other), /noticeOnly/);
  });

  test(`${engine.name}: a client chooses the categories, and a server without an inbox page sends decisions whole`, async (t) => {
    const categories = ['information', 'decision', 'reminder', 'urgent'] as const;
    const noticesFor = async (messages: ClientMessages, hasInboxPage?: boolean) => {
      const { app, run, mails } = await open(t, await engine.open(t), messages, hasInboxPage);
      const ids = new Map<string, string>();
      for (const category of categories) ids.set(await app.accept({ ...decision, category }), category);
      await run(minuteMs);
      const notices = mails().filter((mail) => !secretWords.test(mail));
      const idOf = (mail: string) => /Notification-Id: (ntf_\w+)/.exec(mail)?.[1] ?? '';
      return notices.map((mail) => ids.get(idOf(mail))).toSorted();
    };
    assert.deepEqual(await noticesFor({}), ['decision']);
    assert.deepEqual(await noticesFor({}, false), []);
    assert.deepEqual(await noticesFor({ noticeOnly: [] }), []);
    assert.deepEqual(await noticesFor({ noticeOnly: ['information', 'urgent'] }, false), ['information', 'urgent']);
  });
}
