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
import { type ScriptedReply, startScriptedSmtpServer } from '../support/scripted-smtp-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = Date.UTC(2026, 0, 15, 9);
const mint = createIdGenerator({ now: () => at }, (bytes) => new Uint8Array(bytes));
const sender = { address: 'no-reply@tax.example', messageIdHost: 'tax.example' };
/** How long a relay may be silent: what answers has answered by then, however busy the machine is. */
/** Longer than a busy machine stands still: what does come, comes within it. */
const limitMs = 2_500;

function message(): OutgoingMessage {
  return {
    ...{ notification: mint('notification'), delivery: mint('delivery'), attempt: 1, address: 'ada@example.org' },
    ...{ sender: 'Tax Office', subject: 'S', content: { message: 'T' }, reminder: false },
    ...{ category: 'information' as const, language: undefined, at },
  };
}

/** An email channel with at most two connections over a relay that speaks as told. */
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

test('smtp: the operator is told why mail waits, and nothing that a relay may repeat of an address or a password', async (t) => {
  const { relay, send, troubles } = await channelOver(t, ['AUTH PLAIN'], 'u:hunter2@');
  const refusals = [
    ['AUTH PLAIN', '535 5.7.8 hunter2 is not the password', 'AUTH PLAIN was answered 535 5.7.8'],
    ['RCPT', '550 5.7.1 <ada@example.org> relaying denied', 'RCPT TO was answered 550 5.7.1'],
    ['MAIL', '530 who are you', 'MAIL FROM was answered 530'],
  ] as const;
  for (const [command, say, told] of refusals) {
    relay.setReply(command, { say });
    assert.deepEqual(await send(), { outcome: 'temporary', reason: 'provider-refuses-us' });
    relay.resetReplies();
    assert.equal(troubles.pop(), told);
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

test('a provider that is away is told of once a minute, however many messages wait for it', () => {
  let now = at;
  const told: unknown[] = [];
  const log = { notice: (_: string, fields?: object) => void told.push(fields) };
  const trouble = createTroubleLog(log, 'email', { now: () => now });
  for (const ms of [0, 1, 59_999, 60_000, 60_001]) {
    now = at + ms;
    trouble(String(ms));
  }
  assert.deepEqual(told, [
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

/** One command at a time; and, as relays in use ask for it, the envelope at once (RFC 2920). */
const manners = [[], ['PIPELINING']] as const;

// Most of their time is silence, which they wait for side by side; who waits longest comes first.
describe('smtp: a relay that breaks off', { concurrency: 64 }, () => {
  test('smtp: a relay may look at a message longer than it may be silent before, and its late yes or no counts', async (t) => {
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

  test('smtp: a relay that says nothing to a message in its longer time leaves unknown', async (t) => {
    const { relay, send } = await channelOver(t, []);
    relay.setReply('.', 'silence');
    assert.deepEqual(await send(), { outcome: 'unknown' });
  });

  test('smtp: a handshake of TLS that never ends is temporary', async (t) => {
    const { relay, send } = await channelOver(t, ['STARTTLS']);
    relay.setReply('STARTTLS', { say: '220 go on' });
    assert.deepEqual(await send(), { outcome: 'temporary', reason: 'provider-unreachable' });
  });

  for (const [where, extensions, command] of breaks) {
    for (const reply of ['drop', 'silence'] as const satisfies ScriptedReply[]) {
      test(`smtp: ${reply} at ${where} is temporary each time, and takes no connection away`, async (t) => {
        const { relay, send } = await channelOver(t, extensions, 'u:p@');
        relay.setReply(command, reply);
        const outcomes = await Promise.all([send(), send(), send()]);
        assert.ok(
          relay.commands.some((line) => line.startsWith(command)),
          'it came that far',
        );
        assert.deepEqual(outcomes, Array(3).fill({ outcome: 'temporary', reason: 'provider-unreachable' }));
        relay.resetReplies();
        // It has no certificate, so TLS ends here.
        if (extensions.includes('STARTTLS')) return;
        assert.deepEqual(await send(), { outcome: 'sent' });
        assert.equal(relay.acceptedRecipients.length, 1);
      });
    }
  }

  for (const extensions of manners) breakOffAt(extensions);
});

/** Each command of the envelope, by that manner. */
function breakOffAt(extensions: readonly string[]): void {
  const manner = `smtp${extensions.length === 0 ? '' : ', pipelined'}`;
  for (const command of ['MAIL', 'RCPT', 'DATA']) {
    for (const say of ['hello there', '354 go on', '999 what']) {
      if (command === 'DATA' && say.startsWith('354')) continue;
      test(`${manner}: "${say}" as the answer to ${command} is no word about the citizen's address`, async (t) => {
        const { relay, send } = await channelOver(t, extensions);
        relay.setReply(command, { say });
        assert.deepEqual(await send(), { outcome: 'temporary', reason: 'provider-refuses-us' });
        assert.deepEqual(relay.acceptedRecipients, []);
      });
    }
    for (const reply of ['drop', 'silence'] as const) {
      test(`${manner}: ${reply} at ${command} is temporary, and the next mail goes out`, async (t) => {
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
    test(`${manner}: "${say}" as the answer to the message leaves unknown`, async (t) => {
      const { relay, send } = await channelOver(t, extensions);
      relay.setReply('.', { say });
      assert.deepEqual(await send(), { outcome: 'unknown' });
    });
  }
}

test('smtp: a mail that is larger than the relay takes is refused as what it is, and nothing of it is sent', async (t) => {
  const { relay, send } = await channelOver(t, ['SIZE 100']);
  assert.deepEqual(await send(), { outcome: 'permanent', reason: 'message-refused' });
  assert.deepEqual(
    relay.commands.filter((line) => !line.startsWith('EHLO')),
    [],
  );
});

test('smtp: a connection ends behind its last message, and behind the end of the channel', async (t) => {
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
    const line = await connections.acquire();
    assert.ok('smtp' in line);
    assert.equal(await connections.send(line, { from: 'a@b.example', to: 'c@d.example' }, Buffer.from('x')), undefined);
  }
  await waitUntil(async () => quits() === 2);
  connections.close();
  await waitUntil(async () => quits() === 3);
  assert.equal(relay.commands.filter((line) => line.startsWith('EHLO')).length, 3);
});

const refusals: ReadonlyArray<readonly [command: string, say: string, outcome: ProviderOutcome]> = [
  ['RCPT', '550 5.1.1 no such user, asked 10.5.2.2', { outcome: 'permanent', reason: 'address-refused' }],
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
  ['MAIL', '550 5.1.1 whoever', { outcome: 'temporary', reason: 'provider-refuses-us' }],
  ['DATA', '554 5.5.1 no valid recipients', { outcome: 'temporary', reason: 'provider-refuses-us' }],
  ['.', '550 5.1.1 no such user', { outcome: 'permanent', reason: 'address-refused' }],
  ['.', '552 5.2.2 over quota', { outcome: 'temporary', reason: 'mailbox-full' }],
  ['.', '452 4.2.2 over quota', { outcome: 'temporary', reason: 'mailbox-full' }],
  ['.', '552 5.2.3 too long', { outcome: 'permanent', reason: 'message-refused' }],
  ['.', '552 too much', { outcome: 'permanent', reason: 'message-refused' }],
  ['.', '554-5.7.1 spam\r\n554 5.7.1 or so', { outcome: 'permanent', reason: 'message-refused' }],
  ['.', '451 4.7.1 later', { outcome: 'temporary', reason: 'provider-busy' }],
];

for (const extensions of manners) {
  for (const [command, say, outcome] of refusals) {
    const manner = `smtp${extensions.length === 0 ? '' : ', pipelined'}`;
    test(`${manner}: ${JSON.stringify(say)} as the answer to ${command} means ${JSON.stringify(outcome)}`, async (t) => {
      const { relay, send } = await channelOver(t, extensions);
      relay.setReply(command, { say });
      assert.deepEqual(await send(), outcome);
      relay.resetReplies();
      assert.deepEqual(await send(), { outcome: 'sent' }, 'the session, or a new one, goes on');
      assert.equal(relay.acceptedRecipients.length, 1);
    });
  }
}

test('smtp, pipelined: what a relay says to DATA behind a refused recipient changes nothing', async (t) => {
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

test('a mailbox for bounces whose marked addresses no relay would take stops the start', () => {
  const root = rootKeyFromBytes(new Uint8Array(32));
  const of = (base: string) => bounceAddressesOf({ settings: readSettings({ BOUNCE_ADDRESS: base }), root });
  assert.throws(
    () => of('notifications-bounces@tax.example'),
    /^SettingError: BOUNCE_ADDRESS: expected at most 16 char/,
  );
  assert.notEqual(of('bounces@tax.example'), undefined);
});

describe('logins that break off', { concurrency: 4 }, () => {
  for (const engine of engines) {
    for (const reply of ['drop', 'silence'] as const) {
      test(`${engine.name}: mails go out after a time of ${reply} at each login, and those of that time too`, async (t) => {
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
