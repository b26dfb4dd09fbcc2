import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { rootKeyFromBytes } from '../../src/crypto/root-key.ts';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { createTroubleLog } from '../../src/notifications/channels/create-channels.ts';
import { createSmtpEmail, parseRelayUrl } from '../../src/notifications/channels/smtp-email.ts';
import { createSmtpPool } from '../../src/notifications/channels/smtp-pool.ts';
import type { OutgoingMessage, ProviderOutcome } from '../../src/notifications/notification/channel.ts';
import { bounceAddressesOf } from '../../src/notifications/provider-webhooks/provider-settings.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, minuteMs, type NotificationView } from '../support/delivery-app.ts';
import { type ScriptedReply, startScriptedSmtpServer } from '../support/smtp-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = Date.UTC(2026, 0, 15, 9);
const newId = createIdGenerator({ now: () => at }, (bytes) => new Uint8Array(bytes));
const sender = { address: 'no-reply@tax.example', messageIdHost: 'tax.example' };
/** How long a relay may be silent. It is long enough for a response on a busy machine. */
const limitMs = 2_500;

function message(): OutgoingMessage {
  return {
    notification: newId('notification'),
    delivery: newId('delivery'),
    attempt: 1,
    address: 'ada@example.org',
    sender: 'Tax Office',
    subject: 'S',
    content: { message: 'T' },
    reminder: false,
    category: 'information' as const,
    language: undefined,
    at,
  };
}

/** An email channel with at most two connections to a scripted relay. */
async function channelOver(t: TestContext, extensions: readonly string[], login = '', dataReplyTimeoutMs = limitMs) {
  const relay = await startScriptedSmtpServer(t, extensions);
  const url = `smtp://${login}127.0.0.1:${relay.port}?connections=2`;
  const troubles: string[] = [];
  const onProviderFailure = (why: string) => void troubles.push(why);
  const email = createSmtpEmail({ url, sender, replyTimeoutMs: limitMs, dataReplyTimeoutMs, onProviderFailure });
  t.after(() => email.close());
  const send = async (): Promise<ProviderOutcome> => {
    const ready = await email.prepare(message());
    return 'outcome' in ready ? ready : await ready.call();
  };
  return { relay, email, send, troubles };
}

test('smtp: the reported problem has the codes of the relay, and no address or password from its reply', async (t) => {
  const { relay, send, troubles } = await channelOver(t, ['AUTH PLAIN'], 'u:hunter2@');
  const refusals = [
    ['AUTH PLAIN', '535 5.7.8 hunter2 is not the password', 'AUTH PLAIN was answered 535 5.7.8'],
    ['RCPT', '550 5.7.1 <ada@example.org> relaying denied', 'RCPT TO was answered 550 5.7.1'],
    ['MAIL', '530 who are you', 'MAIL FROM was answered 530'],
  ] as const;
  for (const [command, say, problem] of refusals) {
    relay.setReply(command, { say });
    assert.deepEqual(await send(), { outcome: 'temporary', reason: 'provider-refuses-us' });
    relay.resetReplies();
    assert.equal(troubles.pop(), problem);
  }
  for (const say of ['550 5.1.1 no such mailbox', '452 4.2.2 mailbox full', '451 4.3.0 later']) {
    relay.setReply('RCPT', { say });
    await send();
  }
  assert.equal(troubles.length, 0);
  const away = createSmtpEmail({
    url: 'smtp://127.0.0.1:1',
    sender,
    onProviderFailure: (why) => void troubles.push(why),
  });
  await away.prepare(message());
  assert.deepEqual(troubles, ['connect ECONNREFUSED 127.0.0.1:1']);
});

test('an unavailable provider is logged as a warning at most once a minute', () => {
  let now = at;
  const logged: unknown[] = [];
  const log = { warning: (_: string, fields?: object) => void logged.push(fields) };
  const trouble = createTroubleLog(log, 'email', { now: () => now });
  for (const ms of [0, 1, 59_999, 60_000, 60_001]) {
    now = at + ms;
    trouble(String(ms));
  }
  assert.deepEqual(logged, [
    { channel: 'email', why: '0' },
    { channel: 'email', why: '60000' },
  ]);
});

const breaks: ReadonlyArray<readonly [where: string, extensions: readonly string[], command: string]> = [
  ['EHLO', [], 'EHLO'],
  ['the request for TLS', ['STARTTLS'], 'STARTTLS'],
  ['the login', ['AUTH PLAIN'], 'AUTH PLAIN'],
  ['the name in the login', ['AUTH LOGIN'], 'AUTH LOGIN'],
  ['the password in the login', ['AUTH LOGIN'], 'cA=='],
  ['the challenge of the login', ['AUTH CRAM-MD5'], 'dSA'],
];

/** One command at a time, and the envelope in one piece (RFC 2920), as common relays request it. */
const extensionSets = [[], ['PIPELINING']] as const;

// In parallel, because they mostly wait for timeouts; the longest comes first.
describe('smtp: a relay that disconnects or is silent', { concurrency: 64 }, () => {
  test('smtp: a relay may take longer to reply to the message than to other commands, and its late reply counts', async (t) => {
    const { relay, send } = await channelOver(t, [], '', 20_000);
    const slowly = (say: string) => relay.setReply('.', { say, afterMs: 1.2 * limitMs });
    slowly('250 2.0.0 looked at it');
    assert.deepEqual(await send(), { outcome: 'sent' });
    slowly('554 5.7.1 looked at it');
    assert.deepEqual(await send(), { outcome: 'permanent', reason: 'message-refused' });
    // The same connection, again with the short limit.
    relay.setReply('MAIL', 'silence');
    assert.deepEqual(await send(), { outcome: 'temporary', reason: 'provider-unreachable' });
    assert.equal(relay.acceptedRecipients.length, 1);
  });

  test('smtp: the outcome is unknown if the relay is silent after the message', async (t) => {
    const { relay, send } = await channelOver(t, []);
    relay.setReply('.', 'silence');
    assert.deepEqual(await send(), { outcome: 'unknown' });
  });

  test('smtp: a TLS handshake that never ends is a temporary failure', async (t) => {
    const { relay, send } = await channelOver(t, ['STARTTLS']);
    relay.setReply('STARTTLS', { say: '220 go on' });
    assert.deepEqual(await send(), { outcome: 'temporary', reason: 'provider-unreachable' });
  });

  for (const [where, extensions, command] of breaks) {
    for (const reply of ['drop', 'silence'] as const satisfies ScriptedReply[]) {
      test(`smtp: the behaviour "${reply}" of the relay at ${where} is a temporary failure each time, and leaks no connection`, async (t) => {
        const { relay, send } = await channelOver(t, extensions, 'u:p@');
        relay.setReply(command, reply);
        const outcomes = await Promise.all([send(), send(), send()]);
        assert.ok(
          relay.commands.some((line) => line.startsWith(command)),
          'the command was sent',
        );
        assert.deepEqual(outcomes, Array(3).fill({ outcome: 'temporary', reason: 'provider-unreachable' }));
        relay.resetReplies();
        // The relay has no certificate, so no mail is possible after STARTTLS.
        if (extensions.includes('STARTTLS')) return;
        assert.deepEqual(await send(), { outcome: 'sent' });
        assert.equal(relay.acceptedRecipients.length, 1);
      });
    }
  }

  for (const extensions of extensionSets) testEnvelopeFailures(extensions);
});

/** Tests of each command of the envelope, with these extensions. */
function testEnvelopeFailures(extensions: readonly string[]): void {
  const title = `smtp${extensions.length === 0 ? '' : ', pipelined'}`;
  for (const command of ['MAIL', 'RCPT', 'DATA']) {
    for (const say of ['hello there', '354 go on', '999 what']) {
      if (command === 'DATA' && say.startsWith('354')) continue;
      test(`${title}: the reply "${say}" to ${command} does not count as a fault of the address`, async (t) => {
        const { relay, send } = await channelOver(t, extensions);
        relay.setReply(command, { say });
        assert.deepEqual(await send(), { outcome: 'temporary', reason: 'provider-refuses-us' });
        assert.deepEqual(relay.acceptedRecipients, []);
      });
    }
    for (const reply of ['drop', 'silence'] as const) {
      test(`${title}: the behaviour "${reply}" of the relay at ${command} is a temporary failure, and the next mail is sent`, async (t) => {
        const { relay, send } = await channelOver(t, extensions);
        relay.setReply(command, reply);
        assert.deepEqual(await send(), { outcome: 'temporary', reason: 'provider-unreachable' });
        relay.resetReplies();
        assert.deepEqual(await send(), { outcome: 'sent' });
        assert.equal(relay.acceptedRecipients.length, 1);
      });
    }
  }

  for (const say of ['hello there', '354 go on', '999 what']) {
    test(`${title}: the outcome is unknown after the reply "${say}" to the message`, async (t) => {
      const { relay, send } = await channelOver(t, extensions);
      relay.setReply('.', { say });
      assert.deepEqual(await send(), { outcome: 'unknown' });
    });
  }
}

test('smtp: a mail above the size limit of the relay is refused as message-refused without a command', async (t) => {
  const { relay, send } = await channelOver(t, ['SIZE 100']);
  assert.deepEqual(await send(), { outcome: 'permanent', reason: 'message-refused' });
  assert.deepEqual(
    relay.commands.filter((line) => !line.startsWith('EHLO')),
    [],
  );
});

test('smtp: a connection ends after its last message, and after the channel is closed', async (t) => {
  const { relay, email } = await channelOver(t, []);
  const quits = () => relay.commands.filter((line) => line === 'QUIT').length;
  const ready = await email.prepare(message());
  assert.ok('call' in ready);
  await email.close();
  assert.deepEqual([await ready.call(), quits()], [{ outcome: 'sent' }, 0]);
  await waitUntil(async () => quits() === 1);
  const at = { ...parseRelayUrl(`smtp://127.0.0.1:${relay.port}`, limitMs), messagesPerConnection: 2 };
  const connections = createSmtpPool({ ...at, replyTimeoutMs: limitMs, dataReplyTimeoutMs: limitMs });
  for (let sent = 0; sent < 3; sent += 1) {
    const session = await connections.acquire();
    assert.ok('smtp' in session);
    assert.equal(
      await connections.send(session, { from: 'a@b.example', to: 'c@d.example' }, Buffer.from('x')),
      undefined,
    );
  }
  await waitUntil(async () => quits() === 2);
  connections.close();
  await waitUntil(async () => quits() === 3);
  assert.equal(relay.commands.filter((line) => line.startsWith('EHLO')).length, 3);
});

const refusals: ReadonlyArray<readonly [command: string, say: string, outcome: ProviderOutcome]> = [
  ['RCPT', '550 5.1.1 no such user, from 10.5.2.2', { outcome: 'permanent', reason: 'address-refused' }],
  ['RCPT', '550-5.1.1 no such user\r\n550 5.7.1 see the pages', { outcome: 'permanent', reason: 'address-refused' }],
  ['RCPT', '550', { outcome: 'permanent', reason: 'address-refused' }],
  ['RCPT', '550 mailbox 5.2.2.', { outcome: 'permanent', reason: 'address-refused' }],
  ['RCPT', '552 5.2.2 over quota', { outcome: 'temporary', reason: 'mailbox-full' }],
  ['RCPT', '552 5.3.4 too big', { outcome: 'permanent', reason: 'message-refused' }],
  ['RCPT', '550 5.4.4 no route', { outcome: 'permanent', reason: 'destination-unreachable' }],
  ['RCPT', '553 5.1.8 who is the sender', { outcome: 'temporary', reason: 'provider-refuses-us' }],
  ['RCPT', '450 4.1.8 who is the sender', { outcome: 'temporary', reason: 'provider-refuses-us' }],
  ['RCPT', '554 5.3.2 not accepting', { outcome: 'temporary', reason: 'provider-refuses-us' }],
  ['MAIL', '552 5.3.4 too big', { outcome: 'permanent', reason: 'message-refused' }],
  ['MAIL', '550 5.1.1 who are you', { outcome: 'temporary', reason: 'provider-refuses-us' }],
  ['DATA', '554 5.5.1 no valid recipients', { outcome: 'temporary', reason: 'provider-refuses-us' }],
  ['.', '550 5.1.1 no such user', { outcome: 'permanent', reason: 'address-refused' }],
  ['.', '552 5.2.2 over quota', { outcome: 'temporary', reason: 'mailbox-full' }],
  ['.', '452 4.2.2 over quota', { outcome: 'temporary', reason: 'mailbox-full' }],
  ['.', '552 5.2.3 too long', { outcome: 'permanent', reason: 'message-refused' }],
  ['.', '552 too much', { outcome: 'permanent', reason: 'message-refused' }],
  ['.', '554-5.7.1 spam\r\n554 5.7.1 or so', { outcome: 'permanent', reason: 'message-refused' }],
  ['.', '451 4.7.1 later', { outcome: 'temporary', reason: 'provider-busy' }],
];

for (const extensions of extensionSets) {
  for (const [command, say, outcome] of refusals) {
    const title = `smtp${extensions.length === 0 ? '' : ', pipelined'}`;
    test(`${title}: the reply ${JSON.stringify(say)} to ${command} means ${JSON.stringify(outcome)}`, async (t) => {
      const { relay, send } = await channelOver(t, extensions);
      relay.setReply(command, { say });
      assert.deepEqual(await send(), outcome);
      relay.resetReplies();
      assert.deepEqual(await send(), { outcome: 'sent' }, 'the same session or a new one continues');
      assert.equal(relay.acceptedRecipients.length, 1);
    });
  }
}

test('smtp, pipelined: the reply to DATA after a rejected recipient changes nothing', async (t) => {
  for (const say of ['354 go on', '554 5.5.1 no valid recipients', '503 5.5.1 RCPT first', '421 4.3.2 closing']) {
    const { relay, send } = await channelOver(t, ['PIPELINING']);
    relay.setReply('RCPT', { say: '550 5.1.1 no such user' });
    relay.setReply('DATA', { say });
    assert.deepEqual(await send(), { outcome: 'permanent', reason: 'address-refused' }, say);
    relay.resetReplies();
    assert.deepEqual(await send(), { outcome: 'sent' }, say);
    assert.equal(relay.acceptedRecipients.length, 1);
  }
});

test('a BOUNCE_ADDRESS that is too long for bounce addresses stops the start', () => {
  const root = rootKeyFromBytes(new Uint8Array(32));
  const of = (base: string) => bounceAddressesOf({ settings: readSettings({ BOUNCE_ADDRESS: base }), root });
  assert.throws(
    () => of('notifications-bounces@tax.example'),
    /^SettingError: BOUNCE_ADDRESS: expected at most 16 char/,
  );
  assert.notEqual(of('bounces@tax.example'), undefined);
});

describe('failing logins', { concurrency: 4 }, () => {
  for (const engine of engines) {
    for (const reply of ['drop', 'silence'] as const) {
      test(`${engine.name}: mails are sent after the relay had the behaviour "${reply}" at logins, also the mails that had failed`, async (t) => {
        const db = await engine.open(t);
        const { app, time, start, faults } = await createDeliveryApp(t, db);
        const { relay, email } = await channelOver(t, ['AUTH PLAIN'], 'u:p@');
        relay.setReply('AUTH', reply);
        const worker = await start({ email });
        const ids = [];
        for (let count = 0; count < 4; count += 1) ids.push(await app.accept({ citizenId: 'cit-ada' }));
        worker.wake();
        await worker.idle();
        relay.resetReplies();
        ids.push(await app.accept({ citizenId: 'cit-bo' }));
        worker.wake();
        await worker.idle();
        assert.deepEqual(relay.acceptedRecipients, ['<bo@example.org>']);
        await time.advance(3 * minuteMs, worker.idle);
        const emails = await Promise.all(
          ids.map(async (id) =>
            ((await app.show(id)) as NotificationView).deliveries.find(({ channel }) => channel === 'email'),
          ),
        );
        assert.deepEqual(
          emails.map((delivery) => [delivery?.['status'], delivery?.['attempts']]),
          [...Array(4).fill(['sent', 2]), ['sent', 1]],
        );
        assert.deepEqual([relay.acceptedRecipients.length, faults], [5, []]);
      });
    }
  }
});
