import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Claim } from '../../src/jobs/claim.ts';
import { endLeases } from '../../src/jobs/lease.ts';
import type { Outcome } from '../../src/notifications/channels/channel.ts';
import { deliveryTiming } from '../../src/notifications/delivery/start-delivery.ts';
import type { Db } from '../../src/store/db.ts';
import {
  createDeliveryHouse,
  linesOf,
  minute,
  type Shown,
  scripted,
  settled,
  until,
  untilLater,
} from '../delivery-house.ts';
import { engines } from '../engines.ts';

const day = 24 * 60 * minute;
/** The timer of a process that died: it renews nothing. */
const stopped = () => () => undefined;
const never = () => new Promise<Outcome>(() => undefined);

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Db) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  check('a clock that is set forward makes no process take a living one for lost, nor itself', async (t, db) => {
    const { time, house, start, faults } = await createDeliveryHouse(t, db);
    let forward = 0;
    const clock = { now: () => time.clock.now() + forward };
    const answer = Promise.withResolvers<Outcome>();
    const provider = scripted(() => answer.promise);
    // It looks first at each instant, and the clock jumps between a renewal of the other and the next look.
    const beside = await start({ email: provider, clock, timing: deliveryTiming });
    let renewals: Promise<unknown> = Promise.resolve();
    const claim: Claim = (statement) => {
      const done = house.claim(statement);
      renewals = Promise.allSettled([renewals, done]);
      return done;
    };
    const calling = await start({ email: provider, clock, claim, timing: deliveryTiming });
    await Promise.all([beside.idle(), calling.idle()]);
    const settle = async () => {
      await renewals;
      await beside.idle();
    };
    const id = await house.accept({ citizenId: 'cit-ada' });
    calling.wake();
    await until(async () => provider.calls.length === 1);
    await time.advance(5_500, settle);
    forward = minute;
    await time.advance(20_000, settle);
    assert.deepEqual(await db.read("select id from delivery where status = 'unknown'"), []);
    answer.resolve({ outcome: 'sent' });
    await calling.idle();
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual([shown.status, linesOf(shown).at(-1), faults], ['sending', 'email sent 1', []]);
    // Who stood still judges again after the length of a lease: what is lost then is found.
    const dead = await start({ email: scripted(never), clock, timing: deliveryTiming, timer: stopped });
    const lost = await house.accept({ citizenId: 'cit-bo' });
    dead.wake();
    await until(async () => (await db.read('select id from delivery where started_at is not null')).length === 1);
    await time.advance(10_000, beside.idle);
    assert.equal(((await house.show(lost)) as Shown).reason?.code, 'outcome-unknown');
  });

  check('what a process had in hand is recovered as soon though its clock was hours ahead', async (t, db) => {
    const { time, house, start } = await createDeliveryHouse(t, db);
    const clock = { now: () => time.clock.now() + 120 * minute };
    const email = scripted(never);
    const dead = await start({ email, clock, timing: deliveryTiming, timer: stopped });
    const id = await house.accept({ citizenId: 'cit-ada' });
    dead.wake();
    await until(async () => email.calls.length === 1);
    const living = await start({ timing: deliveryTiming });
    await time.advance(10_000, living.idle);
    assert.equal(((await house.show(id)) as Shown).reason?.code, 'outcome-unknown');
  });

  check('a process does not recover what it has at hand, whatever its lease says', async (t, db) => {
    const { time, house, start } = await createDeliveryHouse(t, db);
    const answer = Promise.withResolvers<Outcome>();
    const provider = scripted(() => answer.promise);
    const worker = await start({ email: provider, timing: deliveryTiming });
    const id = await house.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await until(async () => provider.calls.length === 1);
    await db.write([endLeases]);
    await time.advance(5_000, async () => db.read('select 1 as one'));
    answer.resolve({ outcome: 'sent' });
    await worker.idle();
    assert.equal(linesOf((await house.show(id)) as Shown).at(-1), 'email sent 1');
  });

  const answers: ReadonlyArray<readonly [Outcome, readonly unknown[]]> = [
    [{ outcome: 'delivered' }, ['delivered', 'email delivered']],
    [{ outcome: 'sent', providerRef: 'r1' }, ['undeliverable', 'email sent', 'r1']],
    [{ outcome: 'permanent', reason: 'address-refused' }, ['undeliverable', 'email failed address-refused']],
    [{ outcome: 'temporary', reason: 'provider-busy' }, ['undeliverable', 'email failed provider-busy']],
  ];
  check('the answer that comes to a process that was taken for lost is learnt', async (t, db) => {
    for (const [answer, expected] of answers) {
      const { time, house, faults, start, takeOver } = await createDeliveryHouse(t, db);
      const stuck = Promise.withResolvers<Outcome>();
      const slow = scripted(() => stuck.promise);
      const first = await start({ email: slow });
      const id = await house.accept({ citizenId: 'cit-ada' });
      first.wake();
      await until(async () => slow.calls.length === 1);
      const second = await takeOver();
      await second.idle();
      assert.equal(((await house.show(id)) as Shown).reason?.code, 'outcome-unknown');
      await time.advance(1_000, second.idle);
      stuck.resolve(answer);
      await first.idle();
      const shown = (await house.show(id)) as Shown;
      const [row] = await db.read(
        "select provider_ref from delivery where notification_id = $1 and channel = 'email'",
        [id],
      );
      const lines = linesOf(shown);
      assert.deepEqual(lines.slice(3, 4), ['email unknown 1 outcome-unknown']);
      assert.deepEqual(
        [shown.status, lines.at(-1), ...[row?.['provider_ref'] ?? []].flat(), faults],
        [...expected, []],
      );
      for (const worker of [first, second]) await worker.stop(1_000);
    }
  });

  check('a provider that cannot be asked is asked again, and what it knows is learnt', async (t, db) => {
    const { time, house, faults, start, takeOver } = await createDeliveryHouse(t, db);
    const first = await start({ email: scripted(never, never), timer: stopped });
    const ids = [await house.accept({ citizenId: 'cit-ada' }), await house.accept({ citizenId: 'cit-bo' })];
    first.wake();
    await until(async () => (await db.read('select id from delivery where started_at is not null')).length === 2);
    const asked: number[] = [];
    const ask = async (): Promise<Outcome> => {
      asked.push(time.clock.now());
      if (asked.length <= 4) throw new Error('no session could be opened');
      return { outcome: 'sent' };
    };
    const second = await takeOver({
      email: { ...scripted(), ask },
      timing: { pollMs: 60 * minute, leaseMs: 60 * minute, recoverMs: minute / 2 },
    });
    await second.idle();
    assert.equal(asked.length, 1);
    assert.equal((await house.show(ids[0] ?? ''))['status'], 'sending');
    await time.advance(60 * minute, second.idle);
    const shown = await Promise.all(ids.map(async (id) => linesOf((await house.show(id)) as Shown).at(-1)));
    assert.deepEqual([shown, asked.length, faults.length], [['email sent 1', 'email sent 1'], 6, 4]);
  });

  check('a provider that cannot be asked until deliverBy leaves unknown, and holds up nobody', async (t, db) => {
    const { time, house, start, takeOver } = await createDeliveryHouse(t, db);
    const first = await start({ email: scripted(never), timer: stopped });
    const deliverBy = new Date(time.clock.now() + 10 * day).toISOString();
    const id = await house.accept({ citizenId: 'cit-ada', deliverBy });
    first.wake();
    await until(async () => (await db.read('select id from delivery where started_at is not null')).length === 1);
    let asked = 0;
    const ask = async (): Promise<Outcome> => {
      asked += 1;
      throw new Error('no session could be opened');
    };
    const second = await takeOver({ email: { ...scripted(), ask } });
    const other = await house.accept({ citizenId: 'cit-bo' });
    second.wake();
    await second.idle();
    assert.equal((await house.show(other))['status'], 'delivered');
    await time.advance(10 * day + 60 * minute, second.idle);
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual([shown.status, shown.reason?.code], ['undeliverable', 'outcome-unknown']);
    // Its pauses grow to ten minutes here, and it is looked at each hour.
    assert.ok(asked > 100 && asked < 300, `asked ${asked} times`);
  });

  check('who could not be asked while the clock was ahead is asked when it is right', async (t, db) => {
    const { time, house, start, takeOver } = await createDeliveryHouse(t, db);
    const first = await start({ email: scripted(never), timer: stopped });
    const deliverBy = new Date(time.clock.now() + 300 * day).toISOString();
    await house.accept({ citizenId: 'cit-ada', deliverBy });
    first.wake();
    await until(async () => (await db.read('select id from delivery where started_at is not null')).length === 1);
    let [ahead, asked] = [200 * day, 0];
    const ask = async (): Promise<Outcome> => {
      asked += 1;
      throw new Error('no session could be opened');
    };
    const clock = { now: () => time.clock.now() + ahead };
    const second = await takeOver({ email: { ...scripted(), ask }, clock });
    await time.advance(60 * minute, second.idle);
    assert.equal(asked, 2);
    ahead = 0;
    await time.advance(60 * minute, second.idle);
    assert.equal(asked, 3);
  });

  check('all that a process had in hand is recovered in one look, however much it was', async (t, db) => {
    const { house, takeOver } = await createDeliveryHouse(t, db);
    await Promise.all(Array.from({ length: 450 }, () => house.accept({ citizenId: 'cit-ada' })));
    const email = scripted();
    await db.write([
      {
        sql: `update delivery set status = 'sending', attempts = 1, locked_by = 'worker/dead',
            started_at = case when id like '%0' then run_at end where status = 'queued'`,
      },
    ]);
    const [begun] = await db.read('select count(*) as n from delivery where started_at is not null');
    const worker = await takeOver({ email });
    assert.deepEqual(await db.read("select id from delivery where locked_by = 'worker/dead'"), []);
    await worker.idle();
    const [unknown] = await db.read("select count(*) as n from delivery where status = 'unknown'");
    assert.deepEqual([unknown, email.calls.length], [begun, 450 - Number(begun?.['n'])]);
  });

  check('however many wait for a provider that cannot be asked, what lies behind them is recovered', async (t, db) => {
    const { house, takeOver } = await createDeliveryHouse(t, db);
    await Promise.all(Array.from({ length: 251 }, () => house.accept({ citizenId: 'cit-ada' })));
    const [last] = await db.read("select max(id) as id from delivery where status = 'queued'");
    await db.write([
      {
        sql: `update delivery set status = 'sending', attempts = 1, started_at = run_at,
            locked_by = 'worker/a' where status = 'queued' and id <> $1`,
        args: [String(last?.['id'])],
      },
      { sql: "update delivery set status = 'sending', attempts = 1, locked_by = 'worker/b' where status = 'queued'" },
    ]);
    let asked = 0;
    const ask = async (): Promise<Outcome> => {
      asked += 1;
      throw new Error('no session could be opened');
    };
    const worker = await takeOver({ email: { ...scripted(), ask } });
    await worker.idle();
    const waiting = await db.read(
      "select locked_by, count(*) as n from delivery where status = 'sending' group by locked_by",
    );
    assert.deepEqual([waiting.map((row) => ({ ...row })), asked], [[{ locked_by: 'worker/a', n: 250 }], 1]);
  });

  check(
    'the leases of processes that are gone are forgotten by a later one, those of the living are not',
    async (t, db) => {
      const { time, start } = await createDeliveryHouse(t, db);
      const names = async () =>
        (await db.read('select name from lease order by name')).map((row) => String(row['name']));
      await start({ timer: stopped });
      const [gone = ''] = await names();
      const living = await start();
      await time.advance(2 * day, living.idle);
      assert.equal((await names()).length, 2);
      await start();
      const left = await names();
      assert.deepEqual([left.length, left.includes(gone)], [2, false]);
    },
  );

  check('who stops takes nothing more, though a provider that is asked does not answer', async (t, db) => {
    const { time, house, faults, start, takeOver } = await createDeliveryHouse(t, db);
    const dead = await start({ email: scripted(never), timer: stopped });
    await house.accept({ citizenId: 'cit-ada' });
    dead.wake();
    await until(async () => (await db.read('select id from delivery where started_at is not null')).length === 1);
    let isAsked = false;
    const ask = async (): Promise<Outcome | undefined> => {
      if (faults.length === 0) throw new Error('no session could be opened');
      isAsked = true;
      return await never();
    };
    const email = { ...scripted(), ask };
    const policy = { attempts: 4, firstDelayMs: 1_000, longestDelayMs: 1_000 };
    const worker = await takeOver({ email, policy, timing: deliveryTiming });
    await untilLater({ time, db }, async () => isAsked);
    const stopping = worker.stop(1_000);
    await settled(db);
    await house.accept({ citizenId: 'cit-bo' });
    worker.wake();
    await time.advance(5_000, () => settled(db));
    assert.equal(await stopping, false);
    assert.deepEqual(email.calls, []);
  });
}
