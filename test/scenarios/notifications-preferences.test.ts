import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommandLine } from '../../src/cli/command.ts';
import { contactCommands } from '../../src/cli/contacts.ts';
import { readSettings } from '../../src/config/settings.ts';
import type { Database } from '../../src/db/database.ts';
import { type CascadePolicy, defaultPolicyFor, planSteps } from '../../src/notifications/cascade/cascade.ts';
import { cascadeOf } from '../../src/notifications/cascade/cascade-file.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { noPreferences } from '../../src/notifications/contact/contact-preferences.ts';
import { findPreferences, withPreferences } from '../../src/notifications/contact/contact-preferences-store.ts';
import { type Channel, unconfiguredChannels } from '../../src/notifications/notification/channel.ts';
import type { ChannelName } from '../../src/notifications/notification/notification.ts';
import { nextAllowedTime } from '../../src/notifications/notification/quiet-hours.ts';
import { readPreferences } from '../../src/notifications/read-preferences.ts';
import { statePreferences } from '../../src/notifications/state-preferences.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, minuteMs, type NotificationView, timelineLines } from '../support/delivery-app.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const day = 24 * 60 * minuteMs;
/** The members about addresses when none is verified or awaits a code. */
const noAddresses = { verified: [], awaiting: [], confirmable: ['email', 'sms'] };
const policy = defaultPolicyFor(new Set(['sms', 'letter']));
const citizens = {
  'cit-ida': { name: 'Ida', email: 'ida@example.org', phone: '+4740000000', postalLines: ['Road 1', '0150 Oslo'] },
  'cit-jon': { name: 'Jon', email: 'jon@example.org', phone: '+4740000001', postalLines: ['Road 2', '0150 Oslo'] },
};

async function open(t: TestContext, db: Database, cascade: CascadePolicy = policy) {
  const { app, time, start, faults } = await createDeliveryApp(t, db, { cascade, citizens });
  const contactOf = withPreferences(app.contactOf, { read: db.read, citizenKeys: app.citizenKeys });
  // The operations hold a reference to these ports.
  Object.assign(app.ports, { contactOf });
  const startedAt = time.clock.now();
  const calls: string[] = [];
  const provider = (name: ChannelName): Channel => ({
    ...unconfiguredChannels.email,
    name,
    addressOf: (contact) =>
      ({ inbox: 'inbox', email: contact.email, sms: contact.phone, letter: contact.postalLines?.join(' ') })[name],
    prepare: async (message) => ({
      call: async () => {
        const days = Number(((time.clock.now() - startedAt) / day).toFixed(2));
        calls.push(`day ${days} ${name} ${message.address}`);
        return { outcome: 'sent' };
      },
      drop: () => undefined,
    }),
  });
  const channels = { inbox: inboxChannel, email: provider('email'), sms: provider('sms'), letter: provider('letter') };
  const timing = { pollMs: day, leaseMs: 60 * day, recoverMs: 60 * day };
  const worker = await start({ channels, contactOf, timing });
  const state = async (citizenId: string | undefined, body: object) => {
    const caller = citizenId === undefined ? {} : { citizenId };
    const answer = await app.serve(statePreferences)(
      { body: { ...noPreferences, ...body } },
      { clientId: 'my-pages', ...caller },
    );
    return 'refused' in answer ? answer.refused : answer.json;
  };
  const run = async (days: number) => {
    worker.wake();
    await time.advance(days * day, worker.idle);
  };
  return { app, time, calls, run, state, contactOf, faults };
}

for (const engine of engines) {
  test(`${engine.name}: the cascade uses the channels in the citizen's order, and never a declined one`, async (t) => {
    const { app, calls, run, state, faults } = await open(t, await engine.open(t));
    await state('cit-ida', { channels: ['sms', 'email'] });
    await state('cit-jon', { declined: ['email', 'sms'] });
    await app.accept({ citizenId: 'cit-ida' });
    const jon = await app.accept({ citizenId: 'cit-jon' });
    await run(13);
    const callsTo = (name: string) => calls.filter((call) => call.includes(name));
    assert.deepEqual(callsTo('ida@').concat(callsTo('+4740000000'), callsTo('Road 1')).sort(), [
      'day 0 sms +4740000000',
      'day 5 email ida@example.org',
      'day 7 letter Road 1 0150 Oslo',
      'day 8 email ida@example.org',
    ]);
    assert.deepEqual(callsTo('jon@').concat(callsTo('+4740000001'), callsTo('Road 2')), [
      'day 0 letter Road 2 0150 Oslo',
    ]);
    const lines = timelineLines((await app.show(jon)) as NotificationView);
    assert.ok(lines.includes('email skipped declined') && lines.includes('sms skipped declined'), lines.join());
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: the sender's order takes precedence, but a declined channel stays declined`, async (t) => {
    const { app, calls, run, state } = await open(t, await engine.open(t));
    await state('cit-ida', { channels: ['letter'], declined: ['sms'] });
    await app.accept({ citizenId: 'cit-ida', channels: ['sms', 'email'] });
    await run(1);
    assert.deepEqual(calls, ['day 0 email ida@example.org']);
  });

  test(`${engine.name}: the quiet hours of the citizen and of the policy both apply, except to urgent messages`, async (t) => {
    const quiet = { channels: ['email', 'sms'] as const, from: 8, until: 18, timeZone: 'Europe/Oslo' };
    const { app, calls, run, state } = await open(t, await engine.open(t), { ...policy, quiet });
    // The clock begins at 10:00 in Oslo.
    await state('cit-ida', { hours: { channels: ['email'], from: 16, until: 22, timeZone: 'Europe/Oslo' } });
    await app.accept({ citizenId: 'cit-ida', channels: ['email'] });
    await app.accept({ citizenId: 'cit-jon', channels: ['email'] });
    await app.accept({ citizenId: 'cit-ida', channels: ['email'], category: 'urgent', subject: 'Now' });
    await run(1);
    assert.deepEqual(calls.sort(), [
      'day 0 email ida@example.org',
      'day 0 email jon@example.org',
      'day 0.25 email ida@example.org',
    ]);
  });

  test(`${engine.name}: a scheduled notification shows its sender neither the citizen's preferences nor whether the citizen exists`, async (t) => {
    const { app, state } = await open(t, await engine.open(t));
    const hours = { channels: ['email', 'sms'], from: 10, until: 12, timeZone: 'Europe/Oslo' };
    for (const [citizenId, preferences] of [
      ['cit-ida', { channels: ['sms', 'email'] }],
      ['cit-jon', { hours }],
    ] as const)
      assert.deepEqual(await state(citizenId, preferences), { ...noPreferences, ...preferences, ...noAddresses });
    for (const deliverBy of ['2026-02-22T11:00:00Z', '2026-02-24T02:00:00Z', '2026-03-20T00:00:00Z']) {
      const seen: unknown[] = [];
      for (const citizenId of ['cit-ida', 'cit-jon', 'cit-nobody']) {
        const id = await app.accept({ citizenId, sendAt: '2026-02-15T03:00:00Z', deliverBy });
        const waiting = await app.show(id);
        const cancelled = await app.cancel(id);
        assert.ok('json' in cancelled);
        // Replaces what differs between any two notifications.
        const comparable = (json: object) =>
          JSON.stringify(json).replaceAll(/"(?:\w{3}_\w{26}|cit-\w+|\/v1\/\S+?)"/g, '"x"');
        seen.push([comparable(waiting), comparable(cancelled.json), comparable(await app.show(id))]);
      }
      assert.deepEqual(seen[1], seen[0]);
      assert.deepEqual(seen[2], seen[0]);
    }
    const knowing = { clientId: 'knowing office' };
    const id = await app.accept({ citizenId: 'cit-ida', sendAt: '2026-02-15T03:00:00Z' }, knowing);
    const { deliveries } = (await app.show(id, knowing)) as NotificationView;
    assert.ok(deliveries.every(({ nextAttemptAt }) => typeof nextAttemptAt === 'string'));
  });

  test(`${engine.name}: quiet hours that a citizen sets after the send delay the message, and the sender cannot see them`, async (t) => {
    const { app, calls, run, state } = await open(t, await engine.open(t));
    const hours = { channels: ['email', 'sms'], from: 16, until: 22, timeZone: 'Europe/Oslo' };
    const knowing = { clientId: 'knowing office' };
    const ids = [await app.accept({ citizenId: 'cit-ida' }), await app.accept({ citizenId: 'cit-ida' }, knowing)];
    await state('cit-ida', { hours });
    await run(0);
    const mailOf = async (id = '', caller = {}) =>
      ((await app.show(id, caller)) as NotificationView).deliveries.find(({ channel }) => channel === 'email');
    const [waiting, known] = [await mailOf(ids[0]), await mailOf(ids[1], knowing)];
    assert.deepEqual([calls, waiting?.['status'], waiting?.['attempts']], [[], 'queued', 0]);
    assert.equal(known?.['nextAttemptAt'], '2026-01-15T15:00:00.000Z');
    assert.equal(waiting?.['nextAttemptAt'], undefined);
  });

  test(`${engine.name}: the wish for large print applies to letters, and stays when later preferences leave it out`, async (t) => {
    const { state, contactOf } = await open(t, await engine.open(t));
    const largePrint = async () => (await contactOf('cit-ida'))?.largePrint;
    assert.equal(await largePrint(), undefined);
    const stated = { ...noPreferences, largePrint: true, ...noAddresses };
    assert.deepEqual(await state('cit-ida', { largePrint: true }), stated);
    assert.deepEqual(await state('cit-ida', {}), stated);
    assert.equal(await largePrint(), true);
    assert.deepEqual(await state('cit-ida', { largePrint: false }), { ...stated, largePrint: false });
    assert.equal(await largePrint(), false);
  });

  test(`${engine.name}: preferences are encrypted, replaced as a whole and used for their citizen only, and each use is recorded`, async (t) => {
    const db = await engine.open(t);
    const { app, state, contactOf } = await open(t, db);
    const hours = { channels: ['sms'], from: 20, until: 6, timeZone: 'Europe/Oslo' };
    const wished = { channels: ['sms'], declined: [], language: 'nn', hours };
    assert.deepEqual(await state('cit-ida', wished), { ...wished, ...noAddresses });
    const onlyLanguage = { ...noPreferences, language: 'se', ...noAddresses };
    assert.deepEqual(await state('cit-ida', { language: 'se' }), onlyLanguage);
    const own = await app.serve(readPreferences)({}, { clientId: 'my-pages', citizenId: 'cit-ida' });
    assert.ok('json' in own);
    assert.deepEqual(own.json, onlyLanguage);
    assert.equal((await contactOf('cit-ida'))?.language, 'se');
    const slugOf = async (answer: Promise<object>) =>
      'slug' in (await answer) ? ((await answer) as { slug: string }).slug : '';
    assert.equal(await slugOf(state(undefined, {})), 'citizen-token-needed');
    assert.equal(await slugOf(state('cit-nobody', {})), 'citizen-not-found');
    for (const wrong of [
      { channels: ['sms'], declined: ['sms'] },
      { declined: ['letter'] },
      { hours: { ...hours, timeZone: 'Oslo' } },
      { hours: { ...hours, until: 20 } },
      { email: 'x@example.org' },
      ...Object.keys(noPreferences).map((name) => ({ [name]: undefined })),
    ]) {
      assert.equal(await slugOf(state('cit-ida', wrong)), 'bad-request', JSON.stringify(wrong));
    }
    const [row] = await db.read('select preferences from contact_preference');
    const sealed = row?.['preferences'];
    assert.ok(sealed instanceof Uint8Array && !Buffer.from(sealed).includes('language'));
    const types = (await app.events()).filter((type) => type.startsWith('contact-wishes'));
    assert.deepEqual(types, ['contact-wishes.stated', 'contact-wishes.stated', 'contact-wishes.read']);
  });

  test(`${engine.name}: imported addresses take precedence over the register, and a cascade policy can require them`, async (t) => {
    const db = await engine.open(t);
    const verifiedOnly = ['sms'] as const;
    const { app, calls, run, state, time } = await open(t, db, { ...policy, verifiedOnly });
    const folder = makeTestFolder('contacts-');
    t.after(() => rmSync(folder, { recursive: true }));
    const at = '2026-01-02T00:00:00Z';
    const lines = [
      { citizenId: 'cit-ida', email: { address: 'new@example.org', verifiedAt: at } },
      {
        citizenId: 'cit-jon',
        phone: { address: '+4799999999', verifiedAt: at },
        wishes: { ...noPreferences, channels: ['sms'] },
      },
      { citizenId: 'cit-nobody', wishes: { ...noPreferences, language: 'nb' } },
      { citizenId: 'cit-jon', phone: { address: '40 00', verifiedAt: at } },
    ];
    // Some editors save a file with a byte order mark.
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    writeFileSync(join(folder, 'contacts.jsonl'), `\ufeff${text}`);
    const printed: string[] = [];
    const print = (text: string) => void printed.push(text);
    const terminal = { stdout: print, stderr: print, isInteractive: false, cwd: folder };
    const register = { exists: async (id: string) => id in citizens };
    const settings = { phoneCountry: undefined };
    const deps = { ...app, read: db.read, clock: time.clock, register, settings, operator: 'ops' };
    const commands = contactCommands(async (use) => await use(deps), terminal);
    assert.equal(await runCommandLine(['contacts', 'import', 'contacts.jsonl'], commands, terminal), 1);
    assert.match(
      printed.join(''),
      /line 3: the register has no citizen with this id\nline 4: \/phone\/address .*\n2 citizens stored, 2 lines refused/,
    );
    assert.doesNotMatch(printed.join(''), /40 00|cit-/);
    // New preferences of the citizen keep the verified address.
    await state('cit-ida', { declined: [] });
    const { verified } = await findPreferences({ read: db.read, citizenKeys: app.citizenKeys }, 'cit-ida');
    assert.equal(verified.email?.address, 'new@example.org');
    const ida = await app.accept({ citizenId: 'cit-ida', channels: ['email', 'sms'] });
    await app.accept({ citizenId: 'cit-jon' });
    await run(6);
    assert.ok(calls.includes('day 0 email new@example.org') && calls.includes('day 0 sms +4799999999'), calls.join());
    const shown = (await app.show(ida)) as NotificationView;
    assert.ok(timelineLines(shown).includes('sms skipped no-contact'));
  });
}

test("the citizen's order of channels keeps the delays of the policy, and the other channels follow", () => {
  const options = { wanted: undefined, begin: 0, deliverBy: 30 * day, urgent: false };
  const planned = (order: readonly ChannelName[]) =>
    planSteps(policy, { ...options, preferences: { order } }).map((step) => `${step.channel} ${step.runAt / day}`);
  assert.deepEqual(planned(['letter']), ['inbox 0', 'letter 0', 'email 5', 'sms 7', 'email 8']);
  assert.deepEqual(planned([]), ['inbox 0', 'email 0', 'email 3', 'sms 5', 'letter 7']);
});

test('quiet hours across midnight apply, and the first list decides when two lists have no common hour', () => {
  const at = (hour: number) => Date.UTC(2026, 0, 15, hour);
  const hours = (from: number, until: number) => ({ channels: ['sms'] as const, from, until, timeZone: 'UTC' });
  const hourOf = (all: Parameters<typeof nextAllowedTime>[0], hour: number) =>
    (nextAllowedTime(all, 'sms', at(hour)) - at(0)) / (60 * minuteMs);
  assert.deepEqual(
    [21, 23, 3, 6, 12].map((hour) => hourOf([hours(22, 6)], hour)),
    [22, 23, 3, 22, 22],
  );
  assert.equal(hourOf([hours(8, 18), hours(16, 22)], 9), 16);
  assert.equal(hourOf([hours(8, 12), hours(13, 18)], 6), 8);
  assert.equal(hourOf([undefined, hours(8, 18)], 9), 9);
});

test('a cascade file sets the policy, and an invalid file stops the start with a pointer to the issue', (t) => {
  const folder = makeTestFolder('cascade-');
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'cascade.json');
  const read = (file: unknown, more: Record<string, string> = {}) => {
    writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file));
    return cascadeOf(readSettings({ CASCADE_POLICY: path, ...more }), false);
  };
  const providers = { SMTP_URL: 'smtp://mail.example', SMS_URL: 'https://sms.example/', LETTER_SPOOL: folder };
  const quietHours = { channels: ['sms'], from: 8, until: 20, timeZone: 'Europe/Oslo' };
  const steps = [
    { channel: 'sms' },
    { channel: 'email', afterDays: 0.5 },
    { channel: 'sms', afterDays: 2, reminder: true },
  ];
  assert.deepEqual(read({ steps, letterLeadDays: 3, quietHours, verifiedOnly: ['sms'] }, providers), {
    steps: [
      { channel: 'inbox', afterMs: 0 },
      { channel: 'sms', afterMs: 0 },
      { channel: 'email', afterMs: day / 2 },
      { channel: 'sms', afterMs: 2 * day, reminder: true },
    ],
    letterLeadMs: 3 * day,
    providers: new Set(['email', 'sms', 'letter']),
    quiet: quietHours,
    verifiedOnly: ['sms'],
  });
  const wrong: Array<[unknown, RegExp]> = [
    ['{', /CASCADE_POLICY: .*expected JSON, received a fault in line 1, column 2\. See/],
    ['{ "steps": secret', /CASCADE_POLICY: .*expected JSON, received another text\. See/],
    [{ steps: [] }, /\/steps/],
    [{ steps: [{ channel: 'fax' }] }, /\/steps\/0/],
    [{ steps: [{ channel: 'email' }], more: 1 }, /\/more: is not a known member/],
    [{ steps: [{ channel: 'sms' }] }, /expected a provider for sms; set SMS_URL, or remove the step/],
    [{ steps: [{ channel: 'email' }, { channel: 'email', afterDays: 2 }] }, /set "reminder": true/],
    [{ steps: [{ channel: 'email', reminder: true }] }, /expected a reminder after the first step/],
    [{ steps: [{ channel: 'email' }], quietHours: { ...quietHours, timeZone: 'X' } }, /\/quietHours: timeZone/],
  ];
  for (const [file, fault] of wrong) assert.throws(() => read(file), fault, JSON.stringify(file));
});
