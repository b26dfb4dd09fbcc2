import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parseId } from '../../src/kernel/id.ts';
import { eraseCitizen } from '../../src/ledger/erase-citizen.ts';
import { deriveContentKey, openEventContent } from '../../src/ledger/event-content.ts';
import { deleteContactCodes } from '../../src/notifications/contact/contact-code-store.ts';
import { contentDigestOf, openMessageContent } from '../../src/notifications/notification/message-content.ts';
import { contactCascade, differentCode, oneDayMs, openContactApp, problemNameOf } from '../support/contact-app.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { minuteMs } from '../support/delivery-app.ts';

// Citizens verify addresses by a code that goes there.
const citizens = {
  'cit-ida': { name: 'Ida', email: 'ida@example.org', phone: '+4740000000', postalLines: ['Road 1', '0150 Oslo'] },
  'cit-jon': { name: 'Jon', phone: '+4740000001' },
};
const email = { channel: 'email', address: 'new@example.org' };
const gone = 'Official messages for you do not go to the email address of before any more.';

const open = async (t: TestContext, engine: Engine) => await openContactApp(t, await engine.open(t), citizens);
type ContactHouse = Awaited<ReturnType<typeof open>>;

async function verify(of: ContactHouse, citizenId: string, body: { channel: string; address: string }) {
  assert.equal('slug' in (await of.ask(citizenId, body)), false);
  await of.run();
  const confirmed = await of.confirm(citizenId, {
    channel: body.channel,
    code: await of.code(citizenId, body.channel),
  });
  assert.equal('slug' in confirmed, false, problemNameOf(confirmed));
  return confirmed;
}

for (const engine of engines) {
  test(`${engine.name}: an address counts once the code that came there was entered, and the one of before is told`, async (t) => {
    const of = await open(t, engine);
    const asked = await of.ask('cit-ida', email);
    assert.deepEqual(asked, { channel: 'email', endsAt: '2026-01-15T09:15:00.000Z' });
    await of.run();
    const code = /^new@example\.org: Your code is (\d{6})\. Enter it within 15 minutes/.exec(of.mails().join())?.[1];
    assert.equal(code, await of.code('cit-ida'));
    const awaiting = [{ ...email, endsAt: '2026-01-15T09:15:00.000Z' }];
    const confirmable = ['email', 'sms'];
    assert.deepEqual(await of.preferences('cit-ida'), { verified: [], awaiting, confirmable });
    assert.equal((await of.contactOf('cit-ida'))?.email, 'ida@example.org');
    const wrong = await of.confirm('cit-ida', { channel: 'email', code: differentCode(code ?? '') });
    assert.equal(problemNameOf(wrong), 'contact-code-wrong');
    const verified = [{ ...email, verifiedAt: '2026-01-15T09:00:00.000Z' }];
    const confirmed = await of.confirm('cit-ida', { channel: 'email', code });
    assert.deepEqual(confirmed, { verified, awaiting: [], confirmable });
    await of.run();
    const [, news = ''] = of.mails();
    assert.ok(news.startsWith(`ida@example.org: ${gone}`), news);
    await of.app.accept({ citizenId: 'cit-ida', message: 'Your permit is ready.' });
    await of.run();
    assert.match(of.mails()[2] ?? '', /^new@example\.org: Your permit is ready\./);
    // Used once, it is no code any more.
    assert.equal(problemNameOf(await of.confirm('cit-ida', { channel: 'email', code })), 'contact-code-needed');
    assert.deepEqual(of.faults, []);
  });

  test(`${engine.name}: a code that nobody enters is noted as that, and not as a message that did not come`, async (t) => {
    const of = await open(t, engine);
    await of.ask('cit-ida', email);
    await of.run(20 * minuteMs);
    assert.deepEqual(await of.app.events(), [
      ...['contact-address.asked', 'notification.accepted'],
      ...['notification.delivery-ended', 'contact-address.code-unused'],
    ]);
    assert.deepEqual(of.faults, []);
  });

  test(`${engine.name}: a code stands in no inbox, and nowhere in clear; its message ends as read when it was entered`, async (t) => {
    const of = await open(t, engine);
    await of.ask('cit-ida', email);
    await of.run();
    const code = await of.code('cit-ida');
    for (const sql of [
      'select sealed as kept from contact_code',
      'select content as kept from notification',
      'select content as kept from ledger_event',
      'select data as kept from feed_event',
    ]) {
      const rows = await of.app.db.read(sql);
      assert.ok(rows.length > 0, sql);
      for (const { kept } of rows) {
        const text = kept instanceof Uint8Array ? Buffer.from(kept).toString('latin1') : String(kept);
        for (const address of ['new@example.org', 'ida@example.org']) assert.ok(!text.includes(address), sql);
        // By itself: six digits behind each other stand in an id by chance.
        assert.doesNotMatch(text, new RegExp(`\\b${code}\\b`), sql);
      }
    }
    await assertSalted(of.app, 'cit-ida');
    assert.deepEqual(await of.inbox('cit-ida'), { items: [] });
    await of.confirm('cit-ida', { channel: 'email', code });
    const inbox = (await of.inbox('cit-ida')) as unknown as { items: { subject: string; opened: boolean }[] };
    assert.deepEqual(
      inbox.items.map(({ subject, opened }) => [subject, opened]),
      [['Your email address for official messages was changed', false]],
    );
    const [row] = await of.app.db.read('select status from notification order by id limit 1');
    assert.equal(row?.['status'], 'read');
    const events = (await of.app.events()).filter((type) => !type.startsWith('inbox.'));
    assert.deepEqual(events, [
      ...['contact-address.asked', 'notification.accepted', 'notification.delivery-ended'],
      ...['contact-address.confirmed', 'notification.accepted', 'notification.opened'],
    ]);
  });

  test(`${engine.name}: five wrong ones end a code, and so does a quarter of an hour; then a new one is needed`, async (t) => {
    const of = await open(t, engine);
    await of.ask('cit-ida', email);
    const code = await of.code('cit-ida');
    for (const by of [1, 2, 3, 4, 5])
      assert.equal(
        problemNameOf(await of.confirm('cit-ida', { channel: 'email', code: differentCode(code, by) })),
        'contact-code-wrong',
      );
    assert.equal(problemNameOf(await of.confirm('cit-ida', { channel: 'email', code })), 'contact-code-needed');
    assert.deepEqual(((await of.preferences('cit-ida')) as { awaiting?: unknown }).awaiting, []);
    // The new one has five tries again, and the old one is none of them.
    await of.ask('cit-ida', email);
    const next = await of.code('cit-ida');
    if (next !== code)
      assert.equal(problemNameOf(await of.confirm('cit-ida', { channel: 'email', code })), 'contact-code-wrong');
    assert.equal(problemNameOf(await of.confirm('cit-ida', { channel: 'sms', code: next })), 'contact-code-needed');
    assert.equal(problemNameOf(await of.confirm('cit-jon', { channel: 'email', code: next })), 'contact-code-needed');
    await of.run(15 * minuteMs - 1);
    assert.equal('verified' in (await of.confirm('cit-ida', { channel: 'email', code: next })), true);
    await of.ask('cit-ida', email);
    await of.run(15 * minuteMs);
    const late = { channel: 'email', code: await of.code('cit-ida') };
    assert.equal(problemNameOf(await of.confirm('cit-ida', late)), 'contact-code-needed');
  });

  test(`${engine.name}: a relay that is busy is asked again, but not for a code that is over`, async (t) => {
    const of = await open(t, engine);
    of.sink.setBehaviour((_to, before) =>
      before < 2 ? { refuse: 'recipient', code: 451, text: '4.2.1 later' } : 'accept',
    );
    await of.ask('cit-ida', email);
    await of.run(10 * minuteMs);
    assert.equal(of.mails().length, 1);
    of.sink.setBehaviour(() => ({ refuse: 'recipient', code: 451, text: '4.2.1 later' }));
    await of.ask('cit-ida', email);
    await of.run(20 * minuteMs);
    of.sink.setBehaviour(() => 'accept');
    await of.run(oneDayMs);
    assert.equal(of.mails().length, 1);
  });

  test(`${engine.name}: a citizen asks for ten codes a day, and five go to one address, whoever asks`, async (t) => {
    const of = await open(t, engine);
    const ask = async (citizenId: string, address: string) =>
      problemNameOf(await of.ask(citizenId, { channel: 'email', address }));
    for (let times = 0; times < 5; times += 1) assert.match(await ask('cit-ida', 'New@Example.org'), /endsAt/);
    assert.equal(await ask('cit-jon', 'new@example.ORG'), 'too-many-contact-codes');
    // What was refused counts for nothing.
    for (let times = 0; times < 5; times += 1) assert.match(await ask('cit-ida', `n${times}@example.org`), /endsAt/);
    const code = await of.code('cit-ida');
    const refused = await of.ask('cit-ida', { channel: 'sms', address: '+4799999999' });
    assert.ok('slug' in refused && 'headers' in refused);
    assert.deepEqual(
      [refused.slug, refused.headers],
      ['too-many-contact-codes', { 'retry-after': String(15 * 3_600) }],
    );
    assert.equal(await of.code('cit-ida'), code, 'a code that was not sent takes the place of none');
    for (let times = 0; times < 10; times += 1) assert.match(await ask('cit-jon', `j${times}@example.org`), /endsAt/);
    await of.run(15 * 60 * minuteMs);
    assert.match(await ask('cit-jon', 'new@example.org'), /endsAt/);
    const [counts] = await of.app.db.read('select count(*) as rows from contact_code_count');
    assert.equal(counts?.['rows'], 2, 'those of yesterday are gone');
    const [codes] = await of.app.db.read('select count(*) as rows from contact_code');
    assert.equal(codes?.['rows'], 1, 'and so are codes that are over');
  });

  test(`${engine.name}: a phone number is verified by a text message, besides a mail address, whatever was declined`, async (t) => {
    const of = await open(t, engine);
    await of.state('cit-jon', { declined: ['sms'], language: 'nb' });
    await verify(of, 'cit-jon', { channel: 'sms', address: '+47 999 99 999' });
    await verify(of, 'cit-jon', email);
    await of.run();
    const [code = '', news = '', ...more] = of.texts;
    assert.match(code, /^\+4799999999: Koden din er \d{6}\./);
    assert.match(
      news,
      /^\+4740000001: Offentlige meldinger til deg sendes ikke lenger til det tidligere telefonnummeret/,
    );
    assert.deepEqual(more, []);
    const contact = await of.contactOf('cit-jon');
    assert.deepEqual(
      [contact?.email, contact?.phone, contact?.verified, contact?.declined],
      ['new@example.org', '+4799999999', ['email', 'sms'], ['sms']],
    );
  });

  test(`${engine.name}: where there was no address, the news goes by the whole cascade`, async (t) => {
    const of = await open(t, engine);
    await verify(of, 'cit-jon', email);
    await of.run(6 * oneDayMs);
    assert.deepEqual(
      of.texts.map((text) => text.slice(0, 24)),
      ['+4740000001: Official me'],
    );
    // To verify the same once more changes nothing, and is told to nobody.
    const before = of.mails().length;
    await verify(of, 'cit-jon', email);
    await of.run(6 * oneDayMs);
    assert.equal(of.mails().length, before + 1);
  });

  test(`${engine.name}: a verified address is removed, told so, and the register's counts again`, async (t) => {
    const of = await open(t, engine);
    await verify(of, 'cit-ida', email);
    await verify(of, 'cit-ida', { channel: 'sms', address: '+4799999999' });
    const removed = await of.remove('cit-ida', 'email');
    const verified = [{ channel: 'sms', address: '+4799999999', verifiedAt: '2026-01-15T09:00:00.000Z' }];
    assert.deepEqual(removed, { verified, awaiting: [], confirmable: ['email', 'sms'] });
    assert.equal((await of.contactOf('cit-ida'))?.email, 'ida@example.org');
    await of.run();
    assert.ok(of.mails().at(-1)?.startsWith(`new@example.org: ${gone}`));
    assert.equal(problemNameOf(await of.remove('cit-ida', 'email')), 'contact-address-not-found');
    assert.equal((await of.app.events()).filter((type) => type === 'contact-address.removed').length, 1);
  });

  test(`${engine.name}: what is no address of the channel, or cannot be sent here, is refused, and so is who is no citizen`, async (t) => {
    const of = await open(t, engine);
    for (const wrong of [
      { channel: 'email', address: '+4799999999' },
      { channel: 'email', address: 'a@example.org, b@example.org' },
      { channel: 'email', address: 'a@example.org\r\nBcc: b@example.org' },
      { channel: 'sms', address: '40 00 00 00' },
      { channel: 'letter', address: 'Road 1, Oslo' },
      { ...email, code: '123456' },
    ])
      assert.equal(problemNameOf(await of.ask('cit-ida', wrong)), 'bad-request', JSON.stringify(wrong));
    for (const code of ['12345', '1234567', '12345a', '１２３４５６', ''])
      assert.equal(problemNameOf(await of.confirm('cit-ida', { channel: 'email', code })), 'bad-request', code);
    assert.equal(problemNameOf(await of.ask(undefined, email)), 'citizen-token-needed');
    assert.equal(
      problemNameOf(await of.confirm(undefined, { channel: 'email', code: '123456' })),
      'citizen-token-needed',
    );
    assert.equal(problemNameOf(await of.remove(undefined, 'email')), 'citizen-token-needed');
    assert.equal(problemNameOf(await of.ask('cit-nobody', email)), 'citizen-not-found');
    assert.equal(problemNameOf(await of.remove('cit-nobody', 'email')), 'citizen-not-found');
    Object.assign(of.app.ports, { cascade: { ...contactCascade, providers: new Set(['email']) } });
    assert.equal(problemNameOf(await of.ask('cit-ida', { channel: 'sms', address: '+4799999999' })), 'bad-request');
    assert.deepEqual(((await of.preferences('cit-ida')) as { confirmable?: unknown }).confirmable, ['email']);
    await of.run();
    assert.deepEqual([of.mails(), of.texts], [[], []]);
  });

  test(`${engine.name}: of a citizen who is erased no code is left, and none can be entered`, async (t) => {
    const of = await open(t, engine);
    const { app, time } = of;
    await of.ask('cit-ida', email);
    const code = await of.code('cit-ida');
    const parts = { ...app, read: app.db.read, clock: time.clock, actor: { operator: 'ops' } };
    assert.equal(await eraseCitizen({ ...parts, extraStatements: (id) => [deleteContactCodes(id)] }, 'cit-ida'), true);
    assert.deepEqual(await app.db.read('select citizen_id from contact_code'), []);
    assert.equal(problemNameOf(await of.confirm('cit-ida', { channel: 'email', code })), 'contact-code-needed');
    await of.run();
    assert.deepEqual(of.mails(), []);
  });
}

/** Whoever has the citizen's own log has the digest of the message with the code: it must not lead to the code. */
async function assertSalted({ db, citizenKeys }: Awaited<ReturnType<typeof open>>['app'], citizenId: string) {
  const [row] = await db.read('select id, accepted_event, content from notification order by id limit 1');
  const [id, event] = [parseId('notification', String(row?.['id'])), parseId('event', String(row?.['accepted_event']))];
  assert.ok(id !== undefined && event !== undefined);
  const content = await openMessageContent(citizenKeys, { id, citizenId }, row?.['content'] as Uint8Array);
  const [entry] = await db.read('select content from ledger_event where id = $1', [event]);
  const key = deriveContentKey(await citizenKeys.keyOf(citizenId), event);
  const said = openEventContent(key, event, entry?.['content'] as Uint8Array);
  assert.ok(content !== undefined);
  assert.equal(said['contentDigest'], contentDigestOf(content));
  const { salt, ...known } = content;
  assert.deepEqual([typeof salt, said['contentDigest'] === contentDigestOf(known)], ['string', false]);
}
