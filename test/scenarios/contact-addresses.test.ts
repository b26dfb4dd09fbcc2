import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parseId } from '../../src/kernel/id.ts';
import { eraseCitizen } from '../../src/ledger/erase-citizen.ts';
import { deriveContentKey, openEventContent } from '../../src/ledger/event-content.ts';
import { inboxAndEmailPolicy } from '../../src/notifications/cascade/cascade.ts';
import { deleteContactCodes } from '../../src/notifications/contact/contact-code-store.ts';
import { contentDigestOf, openMessageContent } from '../../src/notifications/notification/message-content.ts';
import { contactCascade, differentCode, oneDayMs, openContactApp, problemNameOf } from '../support/contact-app.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { minuteMs } from '../support/delivery-app.ts';

// Citizens verify an address by a code that is sent to it.
const citizens = {
  'cit-ida': { name: 'Ida', email: 'ida@example.org', phone: '+4740000000', postalLines: ['Road 1', '0150 Oslo'] },
  'cit-jon': { name: 'Jon', phone: '+4740000001' },
};
const email = { channel: 'email', address: 'new@example.org' };
const changeNotice = 'The email address that we use for your official messages was changed or removed.';

const open = async (t: TestContext, engine: Engine) => await openContactApp(t, await engine.open(t), citizens);
type ContactApp = Awaited<ReturnType<typeof open>>;

async function verify(contactApp: ContactApp, citizenId: string, body: { channel: string; address: string }) {
  assert.equal('slug' in (await contactApp.ask(citizenId, body)), false);
  await contactApp.run();
  const confirmed = await contactApp.confirm(citizenId, {
    channel: body.channel,
    code: await contactApp.code(citizenId, body.channel),
  });
  assert.equal('slug' in confirmed, false, problemNameOf(confirmed));
  return confirmed;
}

const noPreferences = { channels: [], declined: [], hours: null, language: null };

for (const engine of engines) {
  test(`${engine.name}: an address is verified by the code that was sent to it, and the previous address is notified`, async (t) => {
    const contactApp = await open(t, engine);
    const requested = await contactApp.ask('cit-ida', email);
    assert.deepEqual(requested, { channel: 'email', endsAt: '2026-01-15T09:15:00.000Z' });
    await contactApp.run();
    const code = /^new@example\.org: Your code is (\d{6})\. Enter it within 15 minutes/.exec(
      contactApp.mails().join(),
    )?.[1];
    assert.equal(code, await contactApp.code('cit-ida'));
    const awaiting = [{ ...email, endsAt: '2026-01-15T09:15:00.000Z' }];
    const confirmable = ['email', 'sms'];
    assert.deepEqual(await contactApp.preferences('cit-ida'), {
      ...noPreferences,
      verified: [],
      awaiting,
      confirmable,
    });
    assert.equal((await contactApp.contactOf('cit-ida'))?.email, 'ida@example.org');
    const wrong = await contactApp.confirm('cit-ida', { channel: 'email', code: differentCode(code ?? '') });
    assert.equal(problemNameOf(wrong), 'contact-code-wrong');
    const verified = [{ ...email, verifiedAt: '2026-01-15T09:00:00.000Z' }];
    const confirmed = await contactApp.confirm('cit-ida', { channel: 'email', code });
    assert.deepEqual(confirmed, { ...noPreferences, verified, awaiting: [], confirmable });
    await contactApp.run();
    const [, notice = ''] = contactApp.mails();
    assert.ok(notice.startsWith(`ida@example.org: ${changeNotice}`), notice);
    await contactApp.app.accept({ citizenId: 'cit-ida', message: 'Your permit is ready.' });
    await contactApp.run();
    assert.match(contactApp.mails()[2] ?? '', /^new@example\.org: Your permit is ready\./);
    // A used code is not valid any more.
    assert.equal(problemNameOf(await contactApp.confirm('cit-ida', { channel: 'email', code })), 'contact-code-needed');
    assert.deepEqual(contactApp.faults, []);
  });

  test(`${engine.name}: a code that was not entered is recorded as unused, not as an undeliverable message`, async (t) => {
    const contactApp = await open(t, engine);
    await contactApp.ask('cit-ida', email);
    await contactApp.run(20 * minuteMs);
    assert.deepEqual(await contactApp.app.events(), [
      'contact-address.asked',
      'notification.accepted',
      'notification.delivery-ended',
      'contact-address.code-unused',
    ]);
    assert.deepEqual(contactApp.faults, []);
  });

  test(`${engine.name}: a code is neither in the inbox nor stored in plain text, and its message is read when the code is entered`, async (t) => {
    const contactApp = await open(t, engine);
    await contactApp.ask('cit-ida', email);
    await contactApp.run();
    const code = await contactApp.code('cit-ida');
    for (const sql of [
      'select sealed as stored from contact_code',
      'select content as stored from notification',
      'select content as stored from ledger_event',
      'select data as stored from feed_event',
    ]) {
      const rows = await contactApp.app.db.read(sql);
      assert.ok(rows.length > 0, sql);
      for (const { stored } of rows) {
        const text = stored instanceof Uint8Array ? Buffer.from(stored).toString('latin1') : String(stored);
        for (const address of ['new@example.org', 'ida@example.org']) assert.ok(!text.includes(address), sql);
        // With word boundaries, because an id can contain the six digits by chance.
        assert.doesNotMatch(text, new RegExp(`\\b${code}\\b`), sql);
      }
    }
    await assertSalted(contactApp.app, 'cit-ida');
    assert.deepEqual(await contactApp.inbox('cit-ida'), { items: [], next: null, unreadCount: 0, senders: [] });
    await contactApp.confirm('cit-ida', { channel: 'email', code });
    const inbox = (await contactApp.inbox('cit-ida')) as unknown as { items: { subject: string; opened: boolean }[] };
    assert.deepEqual(
      inbox.items.map(({ subject, opened }) => [subject, opened]),
      [['Your email address for official messages was changed', false]],
    );
    const [row] = await contactApp.app.db.read('select status from notification order by id limit 1');
    assert.equal(row?.['status'], 'read');
    const events = (await contactApp.app.events()).filter((type) => !type.startsWith('inbox.'));
    assert.deepEqual(events, [
      'contact-address.asked',
      'notification.accepted',
      'notification.delivery-ended',
      'contact-address.confirmed',
      'notification.accepted',
      'notification.opened',
    ]);
  });

  test(`${engine.name}: a code expires after five wrong entries or 15 minutes`, async (t) => {
    const contactApp = await open(t, engine);
    await contactApp.ask('cit-ida', email);
    const code = await contactApp.code('cit-ida');
    for (const by of [1, 2, 3, 4, 5])
      assert.equal(
        problemNameOf(await contactApp.confirm('cit-ida', { channel: 'email', code: differentCode(code, by) })),
        'contact-code-wrong',
      );
    assert.equal(problemNameOf(await contactApp.confirm('cit-ida', { channel: 'email', code })), 'contact-code-needed');
    assert.deepEqual(((await contactApp.preferences('cit-ida')) as { awaiting?: unknown }).awaiting, []);
    // A new code has five tries, and the old one counts as a wrong entry.
    await contactApp.ask('cit-ida', email);
    const next = await contactApp.code('cit-ida');
    if (next !== code)
      assert.equal(
        problemNameOf(await contactApp.confirm('cit-ida', { channel: 'email', code })),
        'contact-code-wrong',
      );
    assert.equal(
      problemNameOf(await contactApp.confirm('cit-ida', { channel: 'sms', code: next })),
      'contact-code-needed',
    );
    assert.equal(
      problemNameOf(await contactApp.confirm('cit-jon', { channel: 'email', code: next })),
      'contact-code-needed',
    );
    await contactApp.run(15 * minuteMs - 1);
    assert.equal('verified' in (await contactApp.confirm('cit-ida', { channel: 'email', code: next })), true);
    await contactApp.ask('cit-ida', email);
    await contactApp.run(15 * minuteMs);
    const late = { channel: 'email', code: await contactApp.code('cit-ida') };
    assert.equal(problemNameOf(await contactApp.confirm('cit-ida', late)), 'contact-code-needed');
  });

  test(`${engine.name}: a code is sent again after a busy relay, but not after its expiry`, async (t) => {
    const contactApp = await open(t, engine);
    contactApp.sink.setBehaviour((_to, before) =>
      before < 2 ? { refuse: 'recipient', code: 451, text: '4.2.1 later' } : 'accept',
    );
    await contactApp.ask('cit-ida', email);
    await contactApp.run(10 * minuteMs);
    assert.equal(contactApp.mails().length, 1);
    contactApp.sink.setBehaviour(() => ({ refuse: 'recipient', code: 451, text: '4.2.1 later' }));
    await contactApp.ask('cit-ida', email);
    await contactApp.run(20 * minuteMs);
    contactApp.sink.setBehaviour(() => 'accept');
    await contactApp.run(oneDayMs);
    assert.equal(contactApp.mails().length, 1);
  });

  test(`${engine.name}: a citizen gets at most ten codes a day, and an address at most five for all citizens together`, async (t) => {
    const contactApp = await open(t, engine);
    const ask = async (citizenId: string, address: string) =>
      problemNameOf(await contactApp.ask(citizenId, { channel: 'email', address }));
    for (let count = 0; count < 5; count += 1) assert.match(await ask('cit-ida', 'New@Example.org'), /endsAt/);
    assert.equal(await ask('cit-jon', 'new@example.ORG'), 'too-many-contact-codes');
    // A refused request is not counted.
    for (let count = 0; count < 5; count += 1) assert.match(await ask('cit-ida', `n${count}@example.org`), /endsAt/);
    const code = await contactApp.code('cit-ida');
    const refused = await contactApp.ask('cit-ida', { channel: 'sms', address: '+4799999999' });
    assert.ok('slug' in refused && 'headers' in refused);
    assert.deepEqual(
      [refused.slug, refused.headers],
      ['too-many-contact-codes', { 'retry-after': String(15 * 3_600) }],
    );
    assert.equal(await contactApp.code('cit-ida'), code, 'a refused request does not replace a code');
    for (let count = 0; count < 10; count += 1) assert.match(await ask('cit-jon', `j${count}@example.org`), /endsAt/);
    await contactApp.run(15 * 60 * minuteMs);
    assert.match(await ask('cit-jon', 'new@example.org'), /endsAt/);
    const [counts] = await contactApp.app.db.read('select count(*) as rows from contact_code_count');
    assert.equal(counts?.['rows'], 2, 'counters of yesterday are deleted');
    const [codes] = await contactApp.app.db.read('select count(*) as rows from contact_code');
    assert.equal(codes?.['rows'], 1, 'expired codes are deleted');
  });

  test(`${engine.name}: a phone number is verified by a text message, in addition to a mail address, even if the channel is declined`, async (t) => {
    const contactApp = await open(t, engine);
    await contactApp.state('cit-jon', { declined: ['sms'], language: 'nb' });
    await verify(contactApp, 'cit-jon', { channel: 'sms', address: '+47 999 99 999' });
    await verify(contactApp, 'cit-jon', email);
    await contactApp.run();
    const [code = '', notice = '', ...rest] = contactApp.texts;
    assert.match(code, /^\+4799999999: Koden din er \d{6}\./);
    assert.match(
      notice,
      /^\+4740000001: Telefonnummeret som vi bruker for offentlige meldinger til deg, er endret eller fjernet/,
    );
    assert.deepEqual(rest, []);
    const contact = await contactApp.contactOf('cit-jon');
    assert.deepEqual(
      [contact?.email, contact?.phone, contact?.verified, contact?.declined],
      ['new@example.org', '+4799999999', ['email', 'sms'], ['sms']],
    );
  });

  test(`${engine.name}: an address of a channel without a provider gets no code`, async (t) => {
    const contactApp = await open(t, engine);
    Object.assign(contactApp.app.ports, { cascade: inboxAndEmailPolicy });
    const phone = { channel: 'sms', address: '+46701740606' };
    assert.equal(problemNameOf(await contactApp.ask('cit-ida', phone)), 'bad-request');
    assert.equal(await contactApp.code('cit-ida', 'sms'), 'none');
  });

  test(`${engine.name}: an address is verified without its invisible characters, and a phone number with the country of the settings`, async (t) => {
    const contactApp = await open(t, engine);
    const mail = { channel: 'email', address: '\u200bnew@exam\u00adple.org\u202c' };
    const phone = { channel: 'sms', address: '\u202a07700\u2010900123\u202c' };
    assert.equal(problemNameOf(await contactApp.ask('cit-ida', phone)), 'bad-request');
    Object.assign(contactApp.app.ports, { phoneCountry: 'GB' });
    await verify(contactApp, 'cit-ida', mail);
    await verify(contactApp, 'cit-ida', phone);
    const contact = await contactApp.contactOf('cit-ida');
    assert.deepEqual([contact?.email, contact?.phone], ['new@example.org', '+447700900123']);
  });

  test(`${engine.name}: the notice of a change goes through the whole cascade when there was no previous address`, async (t) => {
    const contactApp = await open(t, engine);
    await verify(contactApp, 'cit-jon', email);
    await contactApp.run(6 * oneDayMs);
    assert.deepEqual(
      contactApp.texts.map((text) => text.slice(0, 24)),
      ['+4740000001: The email a'],
    );
    // Verifying the same address again changes nothing and sends no notice.
    const before = contactApp.mails().length;
    await verify(contactApp, 'cit-jon', email);
    await contactApp.run(6 * oneDayMs);
    assert.equal(contactApp.mails().length, before + 1);
  });

  test(`${engine.name}: the removal of an address is sent to that address, and the address of the register is used again`, async (t) => {
    const contactApp = await open(t, engine);
    await verify(contactApp, 'cit-ida', email);
    await verify(contactApp, 'cit-ida', { channel: 'sms', address: '+4799999999' });
    const removed = await contactApp.remove('cit-ida', 'email');
    const verified = [{ channel: 'sms', address: '+4799999999', verifiedAt: '2026-01-15T09:00:00.000Z' }];
    assert.deepEqual(removed, { ...noPreferences, verified, awaiting: [], confirmable: ['email', 'sms'] });
    assert.equal((await contactApp.contactOf('cit-ida'))?.email, 'ida@example.org');
    await contactApp.run();
    assert.ok(contactApp.mails().at(-1)?.startsWith(`new@example.org: ${changeNotice}`));
    assert.equal(problemNameOf(await contactApp.remove('cit-ida', 'email')), 'contact-address-not-found');
    assert.equal((await contactApp.app.events()).filter((type) => type === 'contact-address.removed').length, 1);
  });

  test(`${engine.name}: an address or channel that is not allowed, and a caller who is not a citizen, are refused`, async (t) => {
    const contactApp = await open(t, engine);
    for (const wrong of [
      { channel: 'email', address: '+4799999999' },
      { channel: 'email', address: 'a@example.org, b@example.org' },
      { channel: 'email', address: 'a@example.org\r\nBcc: b@example.org' },
      { channel: 'sms', address: '40 00 00 00' },
      { channel: 'letter', address: 'Road 1, Oslo' },
      { ...email, code: '123456' },
    ])
      assert.equal(problemNameOf(await contactApp.ask('cit-ida', wrong)), 'bad-request', JSON.stringify(wrong));
    for (const code of ['12345', '1234567', '12345a', '１２３４５６', ''])
      assert.equal(problemNameOf(await contactApp.confirm('cit-ida', { channel: 'email', code })), 'bad-request', code);
    assert.equal(problemNameOf(await contactApp.ask(undefined, email)), 'citizen-token-needed');
    assert.equal(
      problemNameOf(await contactApp.confirm(undefined, { channel: 'email', code: '123456' })),
      'citizen-token-needed',
    );
    assert.equal(problemNameOf(await contactApp.remove(undefined, 'email')), 'citizen-token-needed');
    assert.equal(problemNameOf(await contactApp.ask('cit-nobody', email)), 'citizen-not-found');
    assert.equal(problemNameOf(await contactApp.remove('cit-nobody', 'email')), 'citizen-not-found');
    Object.assign(contactApp.app.ports, { cascade: { ...contactCascade, providers: new Set(['email']) } });
    assert.equal(
      problemNameOf(await contactApp.ask('cit-ida', { channel: 'sms', address: '+4799999999' })),
      'bad-request',
    );
    assert.deepEqual(((await contactApp.preferences('cit-ida')) as { confirmable?: unknown }).confirmable, ['email']);
    await contactApp.run();
    assert.deepEqual([contactApp.mails(), contactApp.texts], [[], []]);
  });

  test(`${engine.name}: the codes of an erased citizen are deleted and cannot be entered`, async (t) => {
    const contactApp = await open(t, engine);
    const { app, time } = contactApp;
    await contactApp.ask('cit-ida', email);
    const code = await contactApp.code('cit-ida');
    const parts = { ...app, read: app.db.read, clock: time.clock, actor: { operator: 'ops' } };
    assert.equal(
      await eraseCitizen({ ...parts, extraStatements: ({ citizenId }) => [deleteContactCodes(citizenId)] }, 'cit-ida'),
      true,
    );
    assert.deepEqual(await app.db.read('select citizen_id from contact_code'), []);
    assert.equal(problemNameOf(await contactApp.confirm('cit-ida', { channel: 'email', code })), 'contact-code-needed');
    await contactApp.run();
    assert.deepEqual(contactApp.mails(), []);
  });
}

/** Asserts that the digest of the message with the code, which is in the access log, does not reveal the code. */
async function assertSalted({ db, citizenKeys }: Awaited<ReturnType<typeof open>>['app'], citizenId: string) {
  const [row] = await db.read('select id, accepted_event, content from notification order by id limit 1');
  const [id, event] = [parseId('notification', String(row?.['id'])), parseId('event', String(row?.['accepted_event']))];
  assert.ok(id !== undefined && event !== undefined);
  const content = await openMessageContent(citizenKeys, { id, citizenId }, row?.['content'] as Uint8Array);
  const [entry] = await db.read('select content from ledger_event where id = $1', [event]);
  const key = deriveContentKey(await citizenKeys.keyOf(citizenId), event);
  const logged = openEventContent(key, event, entry?.['content'] as Uint8Array);
  assert.ok(content !== undefined);
  assert.equal(logged['contentDigest'], contentDigestOf(content));
  const { salt, ...known } = content;
  assert.deepEqual([typeof salt, logged['contentDigest'] === contentDigestOf(known)], ['string', false]);
}
