import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommandLine } from '../../src/cli/command.ts';
import { evidenceVerifyCommand } from '../../src/cli/evidence.ts';
import { parseId } from '../../src/kernel/id.ts';
import { signingKeyFrom } from '../../src/keys/signing-key.ts';
import { absentChannels, type Channel, type Outcome } from '../../src/notifications/channels/channel.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox.ts';
import { type CascadePolicy, standardPolicyFor } from '../../src/notifications/delivery/cascade.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { readEvidence } from '../../src/notifications/evidence/read-evidence.ts';
import { openMessage } from '../../src/notifications/inbox/citizen-inbox.ts';
import type { ChannelName } from '../../src/notifications/notification.ts';
import type { Contact } from '../../src/notifications/ports.ts';
import type { Db } from '../../src/store/db.ts';
import { createDeliveryHouse, linesOf, minute, type Shown } from '../delivery-house.ts';
import { engines } from '../engines.ts';
import { makeTestFolder } from '../test-folder.ts';

const day = 24 * 60 * minute;
const policy = standardPolicyFor(new Set(['sms', 'letter']));
const citizens: Record<string, Contact> = {
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

async function open(t: TestContext, db: Db, cascade: CascadePolicy = policy) {
  const { house, time, start, faults } = await createDeliveryHouse(t, db, { cascade, citizens });
  const begin = time.clock.now();
  const calls: string[] = [];
  const provider = (name: ChannelName, answer: Outcome = { outcome: 'sent' }): Channel => ({
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
  const run = async (answers: Partial<Record<ChannelName, Outcome>> = {}) => {
    const leaving = {
      email: provider('email', answers.email),
      sms: provider('sms', answers.sms),
      letter: provider('letter', answers.letter),
    };
    const delivering = await start({
      channels: { ...absentChannels, ...leaving, inbox: inboxChannel },
      timing: { pollMs: day, leaseMs: 60 * day, recoverMs: 60 * day },
    });
    const advance = async (days: number) => {
      delivering.wake();
      await time.advance(days * day, delivering.idle);
    };
    return { delivering, advance };
  };
  const evidence = async (id: string): Promise<string> => {
    const answer = await house.serve(readEvidence)({ params: { id } });
    if ('refused' in answer) throw new Error(JSON.stringify(answer.refused));
    return JSON.stringify(answer.json);
  };
  const read = async (citizenId: string, text: string) => {
    const id = parseId('notification', text);
    if (id === undefined) throw new Error('expected an id');
    const opened = await openMessage({ ...house, read: db.read }, citizenId, { id, now: time.clock.now() });
    if (opened === undefined) throw new Error('not in the inbox');
    await house.commit(opened.effect);
  };
  return { house, time, calls, run, evidence, read, faults };
}

for (const engine of engines) {
  test(`${engine.name}: who never reads gets mail, reminder, text message and letter on the days of the policy, in under a second`, async (t) => {
    const { house, calls, run, evidence, faults } = await open(t, await engine.open(t));
    const [begun, usedBefore] = [performance.now(), process.cpuUsage()];
    const { advance } = await run();
    const id = await house.accept({ citizenId: 'cit-ida', legalEffect: 'as-letter' });
    await advance(20);
    const bundle = await evidence(id);
    const { claims, keyTrusted } = verifyEvidence(bundle);
    const tookMs = performance.now() - begun;
    // Of processor time, since what else the machine does at the moment is no matter of ours.
    const used = process.cpuUsage(usedBefore);
    const usedMs = (used.user + used.system) / 1_000;
    t.diagnostic(`twenty days in ${Math.round(tookMs)} ms, ${Math.round(usedMs)} ms of processor time`);
    assert.deepEqual(calls, ['day 0 email', 'day 3 email reminder', 'day 5 sms', 'day 7 letter']);
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual([shown.status, shown.reason?.code], ['undeliverable', 'no-proof']);
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
        'ContentHandoverFailure -',
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
    assert.ok(usedMs < 1_000, `${Math.round(usedMs)} ms`);
  });

  test(`${engine.name}: reading the message ends what is left of the cascade`, async (t) => {
    const { house, calls, run, read } = await open(t, await engine.open(t));
    const { advance } = await run();
    const id = await house.accept({ citizenId: 'cit-ida', legalEffect: 'after-5-working-days' });
    await advance(4);
    await read('cit-ida', id);
    await advance(12);
    assert.deepEqual(calls, ['day 0 email', 'day 3 email reminder']);
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual(
      shown.deliveries.map(({ channel, status }) => `${channel} ${status}`),
      ['inbox delivered', 'email sent', 'email sent', 'sms skipped', 'letter skipped'],
    );
    assert.equal(shown.status, 'read');
  });

  test(`${engine.name}: as-letter takes effect with the opening that ends the cascade before the letter`, async (t) => {
    const { house, calls, run, read, evidence } = await open(t, await engine.open(t));
    const { advance } = await run();
    const id = await house.accept({ citizenId: 'cit-ida', legalEffect: 'as-letter' });
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

  test(`${engine.name}: a channel that fails lets the next one begin at once, down to the letter`, async (t) => {
    const { house, calls, run } = await open(t, await engine.open(t));
    const { advance } = await run({ sms: { outcome: 'permanent', reason: 'address-refused' } });
    const id = await house.accept({ citizenId: 'cit-paper' });
    await house.accept({ citizenId: 'cit-ida', channels: ['sms', 'letter'] });
    await advance(2);
    // The named channels begin at once, and so does the letter when the text message has failed.
    assert.deepEqual(calls.sort(), ['day 0 letter', 'day 0 letter', 'day 0 sms']);
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual(linesOf(shown).slice(0, 7), [
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

  test(`${engine.name}: a declined channel is left out, and the letter goes before deliverBy`, async (t) => {
    const { house, calls, run, time } = await open(t, await engine.open(t));
    const { advance } = await run();
    const deliverBy = new Date(time.clock.now() + 9 * day).toISOString();
    await house.accept({ citizenId: 'cit-quiet', deliverBy });
    await advance(9);
    assert.deepEqual(calls, ['day 0 email', 'day 3 email reminder', 'day 4 letter']);
  });

  test(`${engine.name}: quiet hours hold back all but urgent messages`, async (t) => {
    const quiet = { channels: ['email', 'sms'] as const, from: 8, until: 18, timeZone: 'Europe/Oslo' };
    const { house, calls, run } = await open(t, await engine.open(t), { ...policy, quiet });
    const { advance } = await run();
    // The clock begins at 10:00 in Oslo; half a day later it is 22:00.
    await advance(0.5);
    await house.accept({ citizenId: 'cit-ida' });
    await house.accept({ citizenId: 'cit-quiet', category: 'urgent', channels: ['email'] });
    await advance(1);
    assert.deepEqual(calls.slice(0, 2), ['day 0.5 email', 'day 0.92 email']);
  });
}

test('one changed bit of a bundle fails, whichever it is', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const { house, run, evidence } = await open(t, await engine.open(t));
  const { advance } = await run();
  const id = await house.accept({ citizenId: 'cit-ida' });
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

test('the command verifies a file offline, and ends in 1 for a changed one', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const { house, evidence } = await open(t, await engine.open(t));
  const folder = makeTestFolder('evidence-');
  t.after(() => rmSync(folder, { recursive: true }));
  const bundle = await evidence(await house.accept({ citizenId: 'cit-ida' }));
  writeFileSync(join(folder, 'good.json'), bundle);
  writeFileSync(join(folder, 'bad.json'), bundle.replace('A', 'B'));
  const other = { keys: [signingKeyFrom('evidence', new Uint8Array(32).fill(8)).publicJwk] };
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [house.ports.evidenceKey().publicJwk] }));
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
