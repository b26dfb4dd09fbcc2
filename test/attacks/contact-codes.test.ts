import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { parseId } from '../../src/kernel/id.ts';
import { withPreferences } from '../../src/notifications/contact/contact-preferences-store.ts';
import type { CitizenContact } from '../../src/notifications/notification/contact.ts';
import { openInboxMessage } from '../../src/notifications/open-inbox-message.ts';
import { contactCascade, createCitizenCalls, differentCode, problemNameOf } from '../support/contact-app.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { createNotificationApp } from '../support/notification-app.ts';
import { createVirtualTime } from '../support/virtual-time.ts';

// Who is signed in as somebody else, or wants an address that is not the own one: guesses codes, has many of them sent, and does
// both by several processes at once.
const citizens: Readonly<Record<string, CitizenContact>> = {
  'cit-ida': { email: 'ida@example.org', phone: '+4740000000' },
  'cit-jon': { email: 'jon@example.org', phone: '+4740000001' },
  'cit-eva': { email: 'eva@example.org', phone: '+4740000002' },
};

/** Two processes on one database, each with connections of its own where the engine allows that. */
async function twoProcesses(t: TestContext, engine: Engine) {
  const { clock } = createVirtualTime();
  const place = await engine.createLocation(t);
  const first = await engine.openAt(place);
  t.after(() => first.close());
  await migrate(first, clock);
  const second = engine.name === 'sqlite' ? first : await engine.openAt(place);
  if (second !== first) t.after(() => second.close());
  const houses = [
    await createNotificationApp(first, clock, citizens, { cascade: contactCascade }),
    await createNotificationApp(second, clock, {}, { cascade: contactCascade }),
  ] as const;
  return houses.map((app) => {
    const registered = async (citizenId: string) => citizens[citizenId];
    const contactOf = withPreferences(registered, { read: app.db.read, citizenKeys: app.citizenKeys });
    // The operations of the house were given its ports by reference.
    Object.assign(app.ports, { contactOf });
    return { ...createCitizenCalls(app), app };
  });
}

type Asking = Awaited<ReturnType<typeof twoProcesses>>[number];

/** Asks so many times at once, in turn of the one and the other; gives the names of the problems, `ok` for what went through. */
async function atOnce(processes: readonly Asking[], times: number, ask: (by: Asking, at: number) => Promise<object>) {
  const answers = await Promise.all(
    Array.from({ length: times }, async (_, at) => {
      const answer = await ask(processes[at % processes.length] ?? assert.fail(), at);
      return 'slug' in answer ? problemNameOf(answer) : 'ok';
    }),
  );
  return Map.groupBy(answers, (answer) => answer);
}

const email = { channel: 'email', address: 'new@example.org' };

for (const engine of engines) {
  test(`${engine.name}: who guesses by two processes at once has five tries, and the code is over`, async (t) => {
    const processes = await twoProcesses(t, engine);
    const [one = assert.fail(), other = assert.fail()] = processes;
    await one.ask('cit-ida', email);
    const code = await one.code('cit-ida');
    const guessed = await atOnce(processes, 80, (by, at) =>
      by.confirm('cit-ida', { channel: 'email', code: differentCode(code, at + 1) }),
    );
    assert.equal(guessed.has('ok'), false);
    for (const by of processes)
      assert.equal(problemNameOf(await by.confirm('cit-ida', { channel: 'email', code })), 'contact-code-needed');
    assert.equal((await other.preferences('cit-ida')) !== undefined, true);
    const [row] = await one.app.db.read('select tries from contact_code');
    assert.ok(Number(row?.['tries']) >= 5);
    const contact = await other.app.ports.contactOf('cit-ida');
    assert.deepEqual([contact?.email, contact?.verified], ['ida@example.org', []]);
  });

  test(`${engine.name}: a right code counts for nothing where five wrong ones were stored since it was compared`, async (t) => {
    const [one = assert.fail(), other = assert.fail()] = await twoProcesses(t, engine);
    await one.ask('cit-ida', email);
    const code = await one.code('cit-ida');
    const { contactOf } = one.app.ports;
    let left = 5;
    // What is asked between the comparison and the commit.
    const slowly = async (citizenId: string) => {
      for (; left > 0; left -= 1) await other.confirm('cit-ida', { channel: 'email', code: differentCode(code, left) });
      return await contactOf(citizenId);
    };
    Object.assign(one.app.ports, { contactOf: slowly });
    assert.equal(problemNameOf(await one.confirm('cit-ida', { channel: 'email', code })), 'contact-code-needed');
    assert.equal(left, 0);
    assert.deepEqual((await contactOf('cit-ida'))?.verified, []);
  });

  test(`${engine.name}: a code is good once, by whichever process it is entered`, async (t) => {
    const processes = await twoProcesses(t, engine);
    await processes[1]?.ask('cit-ida', email);
    const code = (await processes[0]?.code('cit-ida')) ?? '';
    const entered = await atOnce(processes, 12, (by) => by.confirm('cit-ida', { channel: 'email', code }));
    assert.deepEqual([entered.get('ok')?.length, entered.get('contact-code-needed')?.length], [1, 11]);
    const told = (await processes[0]?.app.events())?.filter((type) => type === 'contact-address.confirmed');
    assert.equal(told?.length, 1);
  });

  test(`${engine.name}: a day has ten codes of a citizen and five for an address, by however many processes`, async (t) => {
    const processes = await twoProcesses(t, engine);
    const own = await atOnce(processes, 30, (by, at) =>
      by.ask('cit-ida', { channel: 'email', address: `n${at}@example.org` }),
    );
    assert.deepEqual([own.get('ok')?.length, own.get('too-many-contact-codes')?.length], [10, 20]);
    const others = await atOnce(processes, 20, (by, at) =>
      by.ask(at % 4 < 2 ? 'cit-jon' : 'cit-eva', { channel: 'sms', address: '+4799999999' }),
    );
    assert.deepEqual([others.get('ok')?.length, others.get('too-many-contact-codes')?.length], [5, 15]);
    const [messages] = (await processes[0]?.app.db.read('select count(*) as sent from notification')) ?? [];
    assert.equal(messages?.['sent'], 15, 'and what was refused is not sent');
  });

  test(`${engine.name}: one mailbox is sent five codes a day, by whichever of its addresses they are asked for`, async (t) => {
    const [by] = await twoProcesses(t, engine);
    const ways = [
      'them@example.org',
      'them+1@example.org',
      'Them+2@Example.org',
      'them@example.org.',
      'them+a+b@example.org',
    ];
    const asked = [...ways, 'them+3@example.org', 'them@example.org'].map(async (address, at) => {
      return problemNameOf((await by?.ask(at % 2 === 0 ? 'cit-jon' : 'cit-eva', { channel: 'email', address })) ?? {});
    });
    const refused = (await Promise.all(asked)).filter((answer) => answer === 'too-many-contact-codes');
    assert.equal(refused.length, 2);
    assert.notEqual(
      problemNameOf((await by?.ask('cit-jon', { channel: 'email', address: '+1@example.org' })) ?? {}),
      refused[0],
    );
  });

  test(`${engine.name}: two addresses that are confirmed at once are both kept`, async (t) => {
    const processes = await twoProcesses(t, engine);
    const [one = assert.fail(), other = assert.fail()] = processes;
    for (const citizenId of ['cit-ida', 'cit-jon', 'cit-eva']) {
      await one.ask(citizenId, { ...email, address: `${citizenId}@new.example` });
      await other.ask(citizenId, { channel: 'sms', address: '+4799999999' });
      const [mailed, texted] = [await one.code(citizenId), await one.code(citizenId, 'sms')];
      await Promise.all([
        one.confirm(citizenId, { channel: 'email', code: mailed }),
        other.confirm(citizenId, { channel: 'sms', code: texted }),
      ]);
      const contact = await one.app.ports.contactOf(citizenId);
      assert.deepEqual([contact?.email, contact?.phone], [`${citizenId}@new.example`, '+4799999999']);
    }
  });

  test(`${engine.name}: who is signed in cannot open the message with the code, though the log of uses names it`, async (t) => {
    const [one = assert.fail()] = await twoProcesses(t, engine);
    await one.ask('cit-ida', email);
    const [row] = await one.app.db.read('select id from notification');
    const id = parseId('notification', String(row?.['id'])) ?? assert.fail();
    const opened = await one.app.serve(openInboxMessage)(
      { params: { id } },
      { clientId: 'my-pages', citizenId: 'cit-ida' },
    );
    assert.ok('refused' in opened);
    assert.equal(opened.refused.slug, 'notification-not-found');
    // Nor the service that some client is, since none sent it.
    const shown = await one.app.read(id);
    assert.ok('refused' in shown);
    assert.equal(shown.refused.slug, 'notification-not-found');
  });
}
