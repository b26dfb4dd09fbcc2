import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommandLine } from '../../src/cli/command.ts';
import { evidenceVerifyCommand } from '../../src/cli/evidence.ts';
import { signingKeyFromSeed } from '../../src/crypto/signing-key.ts';
import type { Database } from '../../src/db/database.ts';
import { parseId } from '../../src/kernel/id.ts';
import { type CascadePolicy, defaultPolicyFor } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { openMessageOfCitizen } from '../../src/notifications/inbox/citizen-inbox.ts';
import {
  type Channel,
  type ProviderOutcome,
  unconfiguredChannels,
} from '../../src/notifications/notification/channel.ts';
import type { CitizenContact } from '../../src/notifications/notification/contact.ts';
import type { ChannelName } from '../../src/notifications/notification/notification.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, minuteMs, type NotificationView, timelineLines } from '../support/delivery-app.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const day = 24 * 60 * minuteMs;
const policy = defaultPolicyFor(new Set(['sms', 'letter']));
const citizens: Record<string, CitizenContact> = {
  'cit-ida': { name: 'Ida', email: 'ida@example.org', phone: '+4740000000', postalLines: ['Road 1', '0150 Oslo'] },
  'cit-paper': { name: 'Pia', postalLines: ['Road 2', '0150 Oslo'] },
  'cit-quiet': {
    name: 'Quin',
    email: 'q@example.org',
    phone: '+4740000001',
    declined: ['sms'],
    postalLines: ['Road 3', 'Oslo'],
  },
};

async function open(t: TestContext, db: Database, cascade: CascadePolicy = policy) {
  const { app, time, start, faults } = await createDeliveryApp(t, db, { cascade, citizens });
  const begin = time.clock.now();
  const calls: string[] = [];
  const provider = (name: ChannelName, answer: ProviderOutcome = { outcome: 'sent' }): Channel => ({
    name,
    concurrency: 4,
    addressOf: (contact) =>
      ({ inbox: 'inbox', email: contact.email, sms: contact.phone, letter: contact.postalLines?.join('\n') })[name],
    prepare: async (message) => ({
      call: async () => {
        const days = (time.clock.now() - begin) / day;
        calls.push(`day ${Number(days.toFixed(2))} ${name}${message.reminder ? ' reminder' : ''}`);
        return answer;
      },
      drop: () => undefined,
    }),
    close: async () => undefined,
  });
  const run = async (answers: Partial<Record<ChannelName, ProviderOutcome>> = {}) => {
    const external = {
      email: provider('email', answers.email),
      sms: provider('sms', answers.sms),
      letter: provider('letter', answers.letter),
    };
    const delivering = await start({
      channels: { ...unconfiguredChannels, ...external, inbox: inboxChannel },
      timing: { pollMs: day, leaseMs: 60 * day, recoverMs: 60 * day },
    });
    const advance = async (days: number) => {
      delivering.wake();
      await time.advance(days * day, delivering.idle);
    };
    return { delivering, advance };
  };
  const evidence = async (id: string): Promise<string> => {
    const answer = await app.serve(readEvidence)({ params: { id } });
    if ('refused' in answer) throw new Error(JSON.stringify(answer.refused));
    return JSON.stringify(answer.json);
  };
  const read = async (citizenId: string, text: string) => {
    const id = parseId('notification', text);
    if (id === undefined) throw new Error('expected an id');
    const opened = await openMessageOfCitizen({ ...app, read: db.read }, citizenId, { id, now: time.clock.now() });
    if (opened === undefined) throw new Error('not in the inbox');
    await app.commit(opened.effect);
  };
  return { app, time, calls, run, evidence, read, faults };
}

for (const engine of engines) {
  test(`${engine.name}: a citizen who never reads gets mail, reminder, text message and letter on the days of the policy`, async (t) => {
    const { app, calls, run, evidence, faults } = await open(t, await engine.open(t));
    const { advance } = await run();
    const id = await app.accept({ citizenId: 'cit-ida', legalEffect: 'as-letter' });
    await advance(20);
    const bundle = await evidence(id);
    const { claims, keyTrusted } = verifyEvidence(bundle);
    assert.deepEqual(calls, ['day 0 email', 'day 3 email reminder', 'day 5 sms', 'day 7 letter']);
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual([shown.status, shown.reason?.code], ['sent', 'no-proof']);
    const events = claims['evidence'] as Array<{ event: string; channel?: string }>;
    assert.deepEqual(
      events.map(({ event, channel = '-' }) => `${event.slice('http://uri.etsi.org/19522/Event/'.length)} ${channel}`),
      [
        'SubmissionAcceptance -',
        'ContentConsignment inbox',
        'RelayToNonERDS email',
        'RelayToNonERDS email',
        'RelayToNonERDS sms',
        'RelayToNonERDS letter',
      ],
    );
    assert.deepEqual(claims['legalEffect'], {
      rule: 'as-letter',
      effectiveAt: '2026-01-28T00:00:00.000Z',
      basis: '3 working days after the letter was handed over',
      counting: {
        from: '2026-01-22T09:00:00.000Z',
        workingDays: 3,
        notCounted: { weekdays: ['Saturday', 'Sunday'], holidays: [] },
      },
    });
    assert.equal(keyTrusted, false);
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: reading the message skips the remaining steps`, async (t) => {
    const { app, calls, run, read } = await open(t, await engine.open(t));
    const { advance } = await run();
    const id = await app.accept({ citizenId: 'cit-ida', legalEffect: 'after-5-working-days' });
    await advance(4);
    await read('cit-ida', id);
    await advance(12);
    assert.deepEqual(calls, ['day 0 email', 'day 3 email reminder']);
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      shown.deliveries.map(({ channel, status }) => `${channel} ${status}`),
      ['inbox delivered', 'email sent', 'email sent', 'sms skipped', 'letter skipped'],
    );
    assert.equal(shown.status, 'read');
  });

  test(`${engine.name}: as-letter takes effect when the message is opened before the letter`, async (t) => {
    const { app, calls, run, read, evidence } = await open(t, await engine.open(t));
    const { advance } = await run();
    const id = await app.accept({ citizenId: 'cit-ida', legalEffect: 'as-letter' });
    await advance(1);
    await read('cit-ida', id);
    await advance(365);
    assert.deepEqual(calls, ['day 0 email']);
    assert.deepEqual(verifyEvidence(await evidence(id)).claims['legalEffect'], {
      rule: 'as-letter',
      effectiveAt: '2026-01-16T09:00:00.000Z',
      basis: 'the citizen opened the message',
    });
  });

  test(`${engine.name}: a failed channel starts the next one at once, including the last one`, async (t) => {
    const { app, calls, run } = await open(t, await engine.open(t));
    const { advance } = await run({ sms: { outcome: 'permanent', reason: 'address-refused' } });
    const id = await app.accept({ citizenId: 'cit-paper' });
    await app.accept({ citizenId: 'cit-ida', channels: ['sms', 'letter'] });
    await advance(2);
    // The named channels start at once, and the letter starts when the text message has failed.
    assert.deepEqual(calls.sort(), ['day 0 letter', 'day 0 letter', 'day 0 sms']);
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(timelineLines(shown).slice(0, 7), [
      'accepted',
      'inbox sent',
      'email skipped no-contact',
      'email skipped nothing-to-remind',
      'sms skipped no-contact',
      'letter sending 1',
      'letter sent 1',
    ]);
    await advance(4);
    assert.equal(calls.length, 3);
  });

  test(`${engine.name}: a declined channel is skipped, and the letter is sent before deliverBy`, async (t) => {
    const { app, calls, run, time } = await open(t, await engine.open(t));
    const { advance } = await run();
    const deliverBy = new Date(time.clock.now() + 9 * day).toISOString();
    await app.accept({ citizenId: 'cit-quiet', deliverBy });
    await advance(9);
    assert.deepEqual(calls, ['day 0 email', 'day 3 email reminder', 'day 4 letter']);
  });

  test(`${engine.name}: quiet hours delay every message except urgent ones`, async (t) => {
    const quiet = { channels: ['email', 'sms'] as const, from: 8, until: 18, timeZone: 'Europe/Oslo' };
    const { app, calls, run } = await open(t, await engine.open(t), { ...policy, quiet });
    const { advance } = await run();
    // The clock begins at 10:00 in Oslo; half a day later it is 22:00.
    await advance(0.5);
    await app.accept({ citizenId: 'cit-ida' });
    await app.accept({ citizenId: 'cit-quiet', category: 'urgent', channels: ['email'] });
    await advance(1);
    assert.deepEqual(calls.slice(0, 2), ['day 0.5 email', 'day 0.92 email']);
  });
}

test('a bundle with any single changed bit fails the verification', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const { app, run, evidence } = await open(t, await engine.open(t));
  const { advance } = await run();
  const id = await app.accept({ citizenId: 'cit-ida' });
  await advance(1);
  const good = Buffer.from(await evidence(id));
  verifyEvidence(good.toString());
  let passed = 0;
  for (let bit = 0; bit < good.length * 8; bit += 1) {
    const bad = Buffer.from(good);
    bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if (isGood(bad.toString('latin1'))) passed += 1;
  }
  t.diagnostic(`${good.length * 8} bits tried`);
  assert.equal(passed, 0);
});

test('evidence verify checks a file offline, and exits with 1 for a changed one', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const { app, evidence } = await open(t, await engine.open(t));
  const folder = makeTestFolder('evidence-');
  t.after(() => rmSync(folder, { recursive: true }));
  const bundle = await evidence(await app.accept({ citizenId: 'cit-ida' }));
  writeFileSync(join(folder, 'good.json'), bundle);
  writeFileSync(join(folder, 'bad.json'), bundle.replace('A', 'B'));
  const other = { keys: [signingKeyFromSeed('evidence', new Uint8Array(32).fill(8)).publicJwk] };
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [app.ports.evidenceKey().publicJwk] }));
  writeFileSync(join(folder, 'other.json'), JSON.stringify(other));
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const terminal = { stdout: print, stderr: print, isInteractive: false, cwd: folder };
  const verify = (...args: string[]) =>
    runCommandLine(['evidence', 'verify', ...args], [evidenceVerifyCommand(terminal)], terminal);
  assert.deepEqual(
    [
      await verify('good.json', '--keys', 'keys.json'),
      await verify('good.json'),
      await verify('bad.json'),
      await verify('good.json', '--keys', 'other.json'),
    ],
    [0, 0, 1, 1],
  );
  const digest = createHash('sha256').update('{"message":"Hello."}').digest('hex');
  for (const line of ['recipient: {"citizenId":"cit-ida"}', `contentDigest: sha-256:${digest}`])
    assert.ok(printed.join('').split('\n').includes(line), line);
  assert.match(printed.join(''), /SubmissionAcceptance[\s\S]*Verified: signed by the trusted key/);
});

function isGood(text: string): boolean {
  try {
    verifyEvidence(text);
    return true;
  } catch {
    return false;
  }
}
