import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { releaseAllLeases } from '../../src/jobs/lease.ts';
import type { WriteWithoutEvent } from '../../src/jobs/write-without-event.ts';
import { deliveryTiming } from '../../src/notifications/delivery/start-delivery.ts';
import type { ProviderOutcome } from '../../src/notifications/notification/channel.ts';
import { engines } from '../support/database-engines.ts';
import {
  advanceUntil,
  createDeliveryApp,
  createScriptedChannel,
  minuteMs,
  type NotificationView,
  timelineLines,
  waitForDatabaseIdle,
  waitOnEventLoopUntil,
} from '../support/delivery-app.ts';

const day = 24 * 60 * minuteMs;
/** The timer of a dead process: it renews no lease. */
const stopped = () => () => undefined;
const never = () => new Promise<ProviderOutcome>(() => undefined);

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Database) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  check('a clock that jumps forward makes no process recover the jobs of a running process', async (t, db) => {
    const { time, app, start, faults } = await createDeliveryApp(t, db);
    let forward = 0;
    const clock = { now: () => time.clock.now() + forward };
    const response = Promise.withResolvers<ProviderOutcome>();
    const provider = createScriptedChannel(() => response.promise);
    // It polls first at each instant. The clock jumps between a renewal of the other process and the next poll.
    const observer = await start({ email: provider, clock, timing: deliveryTiming });
    let renewals: Promise<unknown> = Promise.resolve();
    const claim: WriteWithoutEvent = (statement) => {
      const done = app.claim(statement);
      renewals = Promise.allSettled([renewals, done]);
      return done;
    };
    const calling = await start({ email: provider, clock, claim, timing: deliveryTiming });
    await Promise.all([observer.idle(), calling.idle()]);
    const settle = async () => {
      await renewals;
      await observer.idle();
    };
    const id = await app.accept({ citizenId: 'cit-ada' });
    calling.wake();
    await waitOnEventLoopUntil(async () => provider.calls.length === 1);
    await time.advance(5_500, settle);
    forward = minuteMs;
    await time.advance(20_000, settle);
    assert.deepEqual(await db.read("select id from delivery where status = 'unknown'"), []);
    response.resolve({ outcome: 'sent' });
    await calling.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual([shown.status, timelineLines(shown).at(-1), faults], ['sending', 'email sent 1', []]);
    // After the length of a lease the process judges leases again, and finds the lost job.
    const dead = await start({ email: createScriptedChannel(never), clock, timing: deliveryTiming, timer: stopped });
    const lost = await app.accept({ citizenId: 'cit-bo' });
    dead.wake();
    await waitOnEventLoopUntil(
      async () => (await db.read('select id from delivery where started_at is not null')).length === 1,
    );
    await time.advance(10_000, observer.idle);
    assert.equal(((await app.show(lost)) as NotificationView).reason?.code, 'outcome-unknown');
  });

  check('the jobs of a dead process are recovered in time although its clock was hours ahead', async (t, db) => {
    const { time, app, start } = await createDeliveryApp(t, db);
    const clock = { now: () => time.clock.now() + 120 * minuteMs };
    const email = createScriptedChannel(never);
    const dead = await start({ email, clock, timing: deliveryTiming, timer: stopped });
    const id = await app.accept({ citizenId: 'cit-ada' });
    dead.wake();
    await waitOnEventLoopUntil(async () => email.calls.length === 1);
    const living = await start({ timing: deliveryTiming });
    await time.advance(10_000, living.idle);
    assert.equal(((await app.show(id)) as NotificationView).reason?.code, 'outcome-unknown');
  });

  check('a process does not recover its own running job after its lease was taken', async (t, db) => {
    const { time, app, start } = await createDeliveryApp(t, db);
    const response = Promise.withResolvers<ProviderOutcome>();
    const provider = createScriptedChannel(() => response.promise);
    const worker = await start({ email: provider, timing: deliveryTiming });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await waitOnEventLoopUntil(async () => provider.calls.length === 1);
    await db.write([releaseAllLeases]);
    await time.advance(5_000, async () => db.read('select 1 as one'));
    response.resolve({ outcome: 'sent' });
    await worker.idle();
    assert.equal(timelineLines((await app.show(id)) as NotificationView).at(-1), 'email sent 1');
  });

  const answers: ReadonlyArray<readonly [ProviderOutcome, readonly unknown[]]> = [
    [{ outcome: 'delivered' }, ['delivered', ['email delivered'], null]],
    [{ outcome: 'sent', providerRef: 'r1' }, ['sent', ['email sent', 'sent'], 'r1']],
    [
      { outcome: 'permanent', reason: 'address-refused' },
      ['undeliverable', ['email failed address-refused', 'undeliverable'], null],
    ],
    [
      { outcome: 'temporary', reason: 'provider-busy' },
      ['undeliverable', ['email failed provider-busy', 'undeliverable'], null],
    ],
  ];
  check('a provider response to a process whose job was recovered is applied', async (t, db) => {
    for (const [answer, expected] of answers) {
      const { time, app, faults, start, takeOver } = await createDeliveryApp(t, db);
      const stuck = Promise.withResolvers<ProviderOutcome>();
      const slow = createScriptedChannel(() => stuck.promise);
      const first = await start({ email: slow });
      const id = await app.accept({ citizenId: 'cit-ada' });
      first.wake();
      await waitOnEventLoopUntil(async () => slow.calls.length === 1);
      const second = await takeOver();
      await second.idle();
      assert.equal(((await app.show(id)) as NotificationView).reason?.code, 'outcome-unknown');
      await time.advance(1_000, second.idle);
      stuck.resolve(answer);
      await first.idle();
      const shown = (await app.show(id)) as NotificationView;
      const [row] = await db.read(
        "select provider_ref from delivery where notification_id = $1 and channel = 'email'",
        [id],
      );
      const lines = timelineLines(shown);
      assert.deepEqual(lines.slice(3, 5), ['email unknown 1 outcome-unknown', 'unknown']);
      assert.deepEqual([shown.status, lines.slice(5), row?.['provider_ref'], faults], [...expected, []]);
      for (const worker of [first, second]) await worker.stop(1_000);
    }
  });

  check('a failed outcome query is repeated, and its result is stored', async (t, db) => {
    const { time, app, faults, start, takeOver } = await createDeliveryApp(t, db);
    const first = await start({ email: createScriptedChannel(never, never), timer: stopped });
    const ids = [await app.accept({ citizenId: 'cit-ada' }), await app.accept({ citizenId: 'cit-bo' })];
    first.wake();
    await waitOnEventLoopUntil(
      async () => (await db.read('select id from delivery where started_at is not null')).length === 2,
    );
    const queriedAt: number[] = [];
    const queryOutcome = async (): Promise<ProviderOutcome> => {
      queriedAt.push(time.clock.now());
      if (queriedAt.length <= 4) throw new Error('no session could be opened');
      return { outcome: 'sent' };
    };
    const second = await takeOver({
      email: { ...createScriptedChannel(), queryOutcome },
      timing: { pollMs: 60 * minuteMs, leaseMs: 60 * minuteMs, recoverMs: minuteMs / 2 },
    });
    await second.idle();
    assert.equal(queriedAt.length, 1);
    assert.equal((await app.show(ids[0] ?? ''))['status'], 'sending');
    await time.advance(60 * minuteMs, second.idle);
    const shown = await Promise.all(
      ids.map(async (id) => timelineLines((await app.show(id)) as NotificationView).at(-1)),
    );
    assert.deepEqual([shown, queriedAt.length, faults.length], [['email sent 1', 'email sent 1'], 6, 4]);
  });

  check('an outcome is unknown if its query fails until deliverBy, and no other message is delayed', async (t, db) => {
    const { time, app, start, takeOver } = await createDeliveryApp(t, db);
    const first = await start({ email: createScriptedChannel(never), timer: stopped });
    const deliverBy = new Date(time.clock.now() + 10 * day).toISOString();
    const id = await app.accept({ citizenId: 'cit-ada', deliverBy });
    first.wake();
    await waitOnEventLoopUntil(
      async () => (await db.read('select id from delivery where started_at is not null')).length === 1,
    );
    let queries = 0;
    const queryOutcome = async (): Promise<ProviderOutcome> => {
      queries += 1;
      throw new Error('no session could be opened');
    };
    const second = await takeOver({ email: { ...createScriptedChannel(), queryOutcome } });
    const other = await app.accept({ citizenId: 'cit-bo' });
    second.wake();
    await second.idle();
    assert.equal((await app.show(other))['status'], 'delivered');
    await time.advance(10 * day + 60 * minuteMs, second.idle);
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual([shown.status, shown.reason?.code], ['unknown', 'outcome-unknown']);
    // The pauses grow to ten minutes, and recovery runs every hour.
    assert.ok(queries > 100 && queries < 300, `queried ${queries} times`);
  });

  check('an outcome query that failed while the clock was ahead is repeated after the correction', async (t, db) => {
    const { time, app, start, takeOver } = await createDeliveryApp(t, db);
    const first = await start({ email: createScriptedChannel(never), timer: stopped });
    const deliverBy = new Date(time.clock.now() + 300 * day).toISOString();
    await app.accept({ citizenId: 'cit-ada', deliverBy });
    first.wake();
    await waitOnEventLoopUntil(
      async () => (await db.read('select id from delivery where started_at is not null')).length === 1,
    );
    let ahead = 200 * day;
    let queries = 0;
    const queryOutcome = async (): Promise<ProviderOutcome> => {
      queries += 1;
      throw new Error('no session could be opened');
    };
    const clock = { now: () => time.clock.now() + ahead };
    const second = await takeOver({ email: { ...createScriptedChannel(), queryOutcome }, clock });
    await time.advance(60 * minuteMs, second.idle);
    assert.equal(queries, 2);
    ahead = 0;
    await time.advance(60 * minuteMs, second.idle);
    assert.equal(queries, 3);
  });

  check('450 jobs of a dead process are recovered in one run', async (t, db) => {
    const { app, takeOver } = await createDeliveryApp(t, db);
    await Promise.all(Array.from({ length: 450 }, () => app.accept({ citizenId: 'cit-ada' })));
    const email = createScriptedChannel();
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

  check('a failed outcome query for 250 jobs does not stop the recovery of the jobs after them', async (t, db) => {
    const { app, takeOver } = await createDeliveryApp(t, db);
    await Promise.all(Array.from({ length: 251 }, () => app.accept({ citizenId: 'cit-ada' })));
    const [last] = await db.read("select max(id) as id from delivery where status = 'queued'");
    await db.write([
      {
        sql: `update delivery set status = 'sending', attempts = 1, started_at = run_at,
            locked_by = 'worker/a' where status = 'queued' and id <> $1`,
        args: [String(last?.['id'])],
      },
      { sql: "update delivery set status = 'sending', attempts = 1, locked_by = 'worker/b' where status = 'queued'" },
    ]);
    let queries = 0;
    const queryOutcome = async (): Promise<ProviderOutcome> => {
      queries += 1;
      throw new Error('no session could be opened');
    };
    const worker = await takeOver({ email: { ...createScriptedChannel(), queryOutcome } });
    await worker.idle();
    const waiting = await db.read(
      "select locked_by, count(*) as n from delivery where status = 'sending' group by locked_by",
    );
    assert.deepEqual([waiting.map((row) => ({ ...row })), queries], [[{ locked_by: 'worker/a', n: 250 }], 1]);
  });

  check('a new process deletes the leases of dead processes, and keeps those of running processes', async (t, db) => {
    const { time, start } = await createDeliveryApp(t, db);
    const names = async () => (await db.read('select name from lease order by name')).map((row) => String(row['name']));
    await start({ timer: stopped });
    const [gone = ''] = await names();
    const living = await start();
    await time.advance(2 * day, living.idle);
    assert.equal((await names()).length, 2);
    await start();
    const left = await names();
    assert.deepEqual([left.length, left.includes(gone)], [2, false]);
  });

  check('a worker that stops claims nothing more while an outcome query hangs', async (t, db) => {
    const { time, app, faults, start, takeOver } = await createDeliveryApp(t, db);
    const dead = await start({ email: createScriptedChannel(never), timer: stopped });
    await app.accept({ citizenId: 'cit-ada' });
    dead.wake();
    await waitOnEventLoopUntil(
      async () => (await db.read('select id from delivery where started_at is not null')).length === 1,
    );
    let isQueried = false;
    const queryOutcome = async (): Promise<ProviderOutcome | undefined> => {
      if (faults.length === 0) throw new Error('no session could be opened');
      isQueried = true;
      return await never();
    };
    const email = { ...createScriptedChannel(), queryOutcome };
    const policy = { attempts: 4, firstDelayMs: 1_000, longestDelayMs: 1_000 };
    const worker = await takeOver({ email, policy, timing: deliveryTiming });
    await advanceUntil({ time, db }, async () => isQueried);
    const stopping = worker.stop(1_000);
    await waitForDatabaseIdle(db);
    await app.accept({ citizenId: 'cit-bo' });
    worker.wake();
    await time.advance(5_000, () => waitForDatabaseIdle(db));
    assert.equal(await stopping, false);
    assert.deepEqual(email.calls, []);
  });
}
