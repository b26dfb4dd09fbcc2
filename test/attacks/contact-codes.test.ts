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

// An attacker who is signed in as another citizen, or wants to verify an address of another person, guesses codes and requests many
// of them, in several processes at once.
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
  const apps = [
    await createNotificationApp(first, clock, citizens, { cascade: contactCascade }),
    await createNotificationApp(second, clock, {}, { cascade: contactCascade }),
  ] as const;
  return apps.map((app) => {
    const registered = async (citizenId: string) => citizens[citizenId];
    const contactOf = withPreferences(registered, { read: app.db.read, citizenKeys: app.citizenKeys });
    // The operations of the app received its ports by reference.
    Object.assign(app.ports, { contactOf });
    return { ...createCitizenCalls(app), app };
  });
}

type Asking = Awaited<ReturnType<typeof twoProcesses>>[number];

/** Sends `times` concurrent requests to the processes in turn. Groups the results: the name of the problem, or `ok`. */
async function askConcurrently(
  processes: readonly Asking[],
  times: number,
  ask: (by: Asking, at: number) => Promise<object>,
) {
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
  test(`${engine.name}: a code accepts five wrong tries over two processes, and then no more`, async (t) => {
    const processes = await twoProcesses(t, engine);
    const [one = assert.fail(), other = assert.fail()] = processes;
    await one.ask('cit-ida', email);
    const code = await one.code('cit-ida');
    const guessed = await askConcurrently(processes, 80, (by, at) =>
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

  test(`${engine.name}: a correct code is refused if five wrong tries were stored after its comparison`, async (t) => {
    const [one = assert.fail(), other = assert.fail()] = await twoProcesses(t, engine);
    await one.ask('cit-ida', email);
    const code = await one.code('cit-ida');
    const { contactOf } = one.app.ports;
    let left = 5;
    // The confirmation calls this between the comparison and the commit.
    const slowly = async (citizenId: string) => {
      for (; left > 0; left -= 1) await other.confirm('cit-ida', { channel: 'email', code: differentCode(code, left) });
      return await contactOf(citizenId);
    };
    Object.assign(one.app.ports, { contactOf: slowly });
    assert.equal(problemNameOf(await one.confirm('cit-ida', { channel: 'email', code })), 'contact-code-needed');
    assert.equal(left, 0);
    assert.deepEqual((await contactOf('cit-ida'))?.verified, []);
  });

  test(`${engine.name}: a code is accepted once over all processes`, async (t) => {
    const processes = await twoProcesses(t, engine);
    await processes[1]?.ask('cit-ida', email);
    const code = (await processes[0]?.code('cit-ida')) ?? '';
    const entered = await askConcurrently(processes, 12, (by) => by.confirm('cit-ida', { channel: 'email', code }));
    assert.deepEqual([entered.get('ok')?.length, entered.get('contact-code-needed')?.length], [1, 11]);
    const confirmations = (await processes[0]?.app.events())?.filter((type) => type === 'contact-address.confirmed');
    assert.equal(confirmations?.length, 1);
  });

  test(`${engine.name}: a citizen gets at most ten codes a day, and an address at most five, over all processes`, async (t) => {
    const processes = await twoProcesses(t, engine);
    const own = await askConcurrently(processes, 30, (by, at) =>
      by.ask('cit-ida', { channel: 'email', address: `n${at}@example.org` }),
    );
    assert.deepEqual([own.get('ok')?.length, own.get('too-many-contact-codes')?.length], [10, 20]);
    const others = await askConcurrently(processes, 20, (by, at) =>
      by.ask(at % 4 < 2 ? 'cit-jon' : 'cit-eva', { channel: 'sms', address: '+4799999999' }),
    );
    assert.deepEqual([others.get('ok')?.length, others.get('too-many-contact-codes')?.length], [5, 15]);
    const [messages] = (await processes[0]?.app.db.read('select count(*) as sent from notification')) ?? [];
    assert.equal(messages?.['sent'], 15, 'refused requests send nothing');
  });

  test(`${engine.name}: the spelling variants of an address share its limit of five codes a day`, async (t) => {
    const [by] = await twoProcesses(t, engine);
    const ways = [
      'them@example.org',
      'them+1@example.org',
      'Them+2@Example.org',
      'THEM@EXAMPLE.ORG',
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

  test(`${engine.name}: two addresses that are confirmed concurrently are both stored`, async (t) => {
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

  test(`${engine.name}: a signed-in citizen cannot open the message with the code, although the access log names it`, async (t) => {
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
    // The sender cannot open it either.
    const shown = await one.app.read(id);
    assert.ok('refused' in shown);
    assert.equal(shown.refused.slug, 'notification-not-found');
  });
}
