import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, WriteBusy, WriteUnknown } from '../../src/db/database.ts';
import { differentCode, openContactApp, problemNameOf } from '../support/contact-app.ts';
import { type Engine, engines } from '../support/database-engines.ts';

// The write of a request or a confirmation of a code fails, either before or after it was stored.
const citizens = { 'cit-ida': { email: 'ida@example.org', phone: '+4740000000' } };
const email = { channel: 'email', address: 'new@example.org' };

type Fault = 'none' | 'not-stored' | 'stored-outcome-lost';

async function open(t: TestContext, engine: Engine) {
  const db = await engine.open(t);
  const wires: { fault: Fault } = { fault: 'none' };
  const faulty: Database = {
    ...db,
    write: async (unit) => {
      const { fault } = wires;
      wires.fault = 'none';
      if (fault === 'not-stored') throw new WriteBusy('busy with others');
      const rows = await db.write(unit);
      if (fault === 'stored-outcome-lost') throw new WriteUnknown('the connection was lost');
      return rows;
    },
  };
  const of = await openContactApp(t, faulty, citizens);
  const counted = async (table: 'notification' | 'contact_code' | 'contact_code_count') => {
    const [row] = await db.read(`select count(*) as rows from ${table}`);
    return row?.['rows'];
  };
  return { ...of, counted, meet: (fault: Fault) => void Object.assign(wires, { fault }) };
}

for (const engine of engines) {
  test(`${engine.name}: a code that was not stored is neither sent nor counted`, async (t) => {
    const of = await open(t, engine);
    of.meet('not-stored');
    assert.equal(problemNameOf(await of.ask('cit-ida', email)), 'capacity-reduced');
    await of.run();
    const left = [
      await of.counted('notification'),
      await of.counted('contact_code'),
      await of.counted('contact_code_count'),
    ];
    assert.deepEqual([left, of.mails()], [[0, 0, 0], []]);
  });

  test(`${engine.name}: a code whose write has an unknown outcome is sent once, and a second request sends another code`, async (t) => {
    const of = await open(t, engine);
    of.meet('stored-outcome-lost');
    assert.equal(problemNameOf(await of.ask('cit-ida', email)), 'outcome-unknown');
    await of.run();
    assert.equal(of.mails().length, 1);
    await of.ask('cit-ida', email);
    await of.run();
    assert.equal(of.mails().length, 2);
    const confirmed = await of.confirm('cit-ida', { channel: 'email', code: await of.code('cit-ida') });
    assert.ok('verified' in confirmed, problemNameOf(confirmed));
  });

  test(`${engine.name}: a confirmation that was stored with an unknown outcome cannot be repeated, and the previous address is notified once`, async (t) => {
    const of = await open(t, engine);
    await of.ask('cit-ida', email);
    await of.run();
    const entered = { channel: 'email', code: await of.code('cit-ida') };
    of.meet('not-stored');
    assert.equal(problemNameOf(await of.confirm('cit-ida', entered)), 'capacity-reduced');
    assert.equal((await of.contactOf('cit-ida'))?.email, 'ida@example.org');
    of.meet('stored-outcome-lost');
    assert.equal(problemNameOf(await of.confirm('cit-ida', entered)), 'outcome-unknown');
    assert.equal(problemNameOf(await of.confirm('cit-ida', entered)), 'contact-code-needed');
    assert.equal((await of.contactOf('cit-ida'))?.email, 'new@example.org');
    await of.run();
    assert.equal(of.mails().filter((mail) => mail.startsWith('ida@example.org:')).length, 1);
  });

  test(`${engine.name}: a code is reported as wrong only after its try is counted`, async (t) => {
    const of = await open(t, engine);
    await of.ask('cit-ida', email);
    const wrong = { channel: 'email', code: differentCode(await of.code('cit-ida')) };
    const triesOf = async () => (await of.app.db.read('select tries from contact_code'))[0]?.['tries'];
    of.meet('not-stored');
    assert.deepEqual([problemNameOf(await of.confirm('cit-ida', wrong)), await triesOf()], ['capacity-reduced', 0]);
    of.meet('stored-outcome-lost');
    assert.deepEqual([problemNameOf(await of.confirm('cit-ida', wrong)), await triesOf()], ['outcome-unknown', 1]);
    assert.deepEqual([problemNameOf(await of.confirm('cit-ida', wrong)), await triesOf()], ['contact-code-wrong', 2]);
  });
}
