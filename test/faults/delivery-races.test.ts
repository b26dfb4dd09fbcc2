import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import type { WriteWithoutEvent } from '../../src/jobs/write-without-event.ts';
import { parseId } from '../../src/kernel/id.ts';
import { requeueLost } from '../../src/notifications/delivery/recover-deliveries.ts';
import { openMessageOfCitizen } from '../../src/notifications/inbox/citizen-inbox.ts';
import type { ProviderOutcome } from '../../src/notifications/notification/channel.ts';
import type { CitizenContact } from '../../src/notifications/notification/contact.ts';
import {
  claimDueDeliveries,
  completeJob,
  findWaitingLanes,
  jobFromRow,
  markStarted,
  requeue,
} from '../../src/notifications/notification/delivery-store.ts';
import { engines } from '../support/database-engines.ts';
import {
  createDeliveryApp,
  createScriptedChannel,
  minuteMs,
  type NotificationView,
  timelineLines,
  waitOnEventLoopUntil,
} from '../support/delivery-app.ts';

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Database) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));
  const countSending = async (db: Database) =>
    (await db.read("select id from delivery where status = 'sending'")).length;

  check('a worker that lost its lease stores no second outcome of a recovered job', async (t, db) => {
    const { app, faults, start, takeOver } = await createDeliveryApp(t, db);
    const stuck = Promise.withResolvers<ProviderOutcome>();
    const slow = createScriptedChannel(() => stuck.promise);
    const first = await start({ email: slow });
    const id = await app.accept({ citizenId: 'cit-ada' });
    first.wake();
    await waitOnEventLoopUntil(async () => slow.calls.length === 1);
    const second = await takeOver();
    await second.idle();
    const before = await app.show(id);
    stuck.resolve({ outcome: 'unknown' });
    await first.idle();
    const after = (await app.show(id)) as NotificationView;
    assert.deepEqual(after, before);
    assert.deepEqual([after.status, after.reason?.code, faults], ['unknown', 'outcome-unknown', []]);
  });

  check('a worker that lost its job during prepare cannot complete it', async (t, db) => {
    const { app, faults, start, takeOver } = await createDeliveryApp(t, db);
    const contact = Promise.withResolvers<CitizenContact | undefined>();
    const first = await start({ contactOf: () => contact.promise });
    const id = await app.accept({ citizenId: 'cit-ada' });
    first.wake();
    await waitOnEventLoopUntil(async () => (await countSending(db)) === 1);
    const second = await takeOver({ email: createScriptedChannel() });
    second.wake();
    await second.idle();
    contact.resolve(undefined);
    await first.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [shown.status, timelineLines(shown), faults],
      ['delivered', ['accepted', 'inbox sent', 'email sending 2', 'email delivered 2'], []],
    );
  });

  check('a worker that lost its job before it marked the attempt does not call the provider', async (t, db) => {
    const { app, sink, start, takeOver } = await createDeliveryApp(t, db);
    const held = Promise.withResolvers<void>();
    const waits: WriteWithoutEvent = async (statement) => {
      if (statement.sql.includes('set started_at')) await held.promise;
      return app.claim(statement);
    };
    const first = await start({ claim: waits });
    await app.accept({ citizenId: 'cit-ada' });
    first.wake();
    await waitOnEventLoopUntil(async () => (await countSending(db)) === 1);
    const second = await takeOver();
    second.wake();
    await sink.waitForMails(1);
    await second.idle();
    held.resolve();
    await first.idle();
    assert.equal(sink.mails.length, 1);
  });

  check('a job whose provider is called during its recovery is not called again', async (t, db) => {
    const { app, start, takeOver } = await createDeliveryApp(t, db);
    const held = Promise.withResolvers<void>();
    const waits: WriteWithoutEvent = async (statement) => {
      if (statement.sql.includes('set started_at')) await held.promise;
      return app.claim(statement);
    };
    const answer = Promise.withResolvers<ProviderOutcome>();
    const provider = createScriptedChannel(() => answer.promise);
    const first = await start({ claim: waits, email: provider });
    await app.accept({ citizenId: 'cit-ada' });
    first.wake();
    await waitOnEventLoopUntil(async () => (await countSending(db)) === 1);
    // Recovery has read that the provider was not called. The call happens before recovery acts on that.
    const late: WriteWithoutEvent = async (statement) => {
      if (statement.sql.includes('started_at is null')) {
        held.resolve();
        await waitOnEventLoopUntil(async () => provider.calls.length === 1);
      }
      return app.claim(statement);
    };
    const second = await takeOver({ claim: late, email: provider });
    second.wake();
    await second.idle();
    answer.resolve({ outcome: 'delivered' });
    await first.idle();
    assert.equal(provider.calls.length, 1);
  });

  check('a message that is opened during its call stays read after the outcome is stored', async (t, db) => {
    const { time, app, start } = await createDeliveryApp(t, db);
    const onItsWay = Promise.withResolvers<ProviderOutcome>();
    const provider = createScriptedChannel(() => onItsWay.promise);
    const worker = await start({ email: provider });
    const id = parseId('notification', await app.accept({ citizenId: 'cit-ada' }));
    assert.ok(id !== undefined);
    worker.wake();
    await waitOnEventLoopUntil(async () => provider.calls.length === 1);
    const parts = { read: db.read, citizenKeys: app.citizenKeys, createId: app.createId };
    const opened = await openMessageOfCitizen(parts, 'cit-ada', { id, now: time.clock.now() });
    assert.ok(opened !== undefined);
    await app.commit(opened.effect);
    onItsWay.resolve({ outcome: 'sent' });
    await worker.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual([shown.status, shown.deliveries.map((one) => one['status'])], ['read', ['delivered', 'sent']]);
  });

  check('a worker cannot mark, requeue or complete a job that another worker has claimed', async (t, db) => {
    const { time, app } = await createDeliveryApp(t, db);
    await app.accept({ citizenId: 'cit-ada' });
    const now = time.clock.now();
    const [lane] = await findWaitingLanes(db.read, 'email', 1);
    const claimAs = async (lockedBy: string) => {
      const options = {
        channel: 'email',
        priority: 1,
        lane: lane?.name ?? assert.fail(),
        now,
        limit: 1,
        lockedBy,
      } as const;
      const [row] = await app.claim(claimDueDeliveries(options));
      return jobFromRow(row ?? assert.fail());
    };
    const before = await claimAs('worker/before');
    await app.claim(requeueLost(before));
    const after = await claimAs('worker/after');
    const ended = { status: 'sent', endedAt: now } as const;
    for (const lost of [
      { ...after, attempts: before.attempts },
      { ...after, lockedBy: before.lockedBy },
    ]) {
      assert.deepEqual([await app.claim(markStarted(lost, now)), await app.claim(requeue(lost, now))], [[], []]);
      await assert.rejects(db.write([completeJob(lost, ended, undefined)]), { kind: 'rows' });
    }
    assert.equal((await app.claim(markStarted(after, now))).length, 1);
    await db.write([completeJob(after, ended, undefined)]);
  });

  check('a message that is read after a failed attempt is not tried again', async (t, db) => {
    const { time, app, start } = await createDeliveryApp(t, db);
    const provider = createScriptedChannel(async () => ({ outcome: 'temporary', reason: 'provider-busy' }));
    const worker = await start({ email: provider });
    const id = parseId('notification', await app.accept({ citizenId: 'cit-ada' }));
    assert.ok(id !== undefined);
    worker.wake();
    await worker.idle();
    const parts = { read: db.read, citizenKeys: app.citizenKeys, createId: app.createId };
    const opened = await openMessageOfCitizen(parts, 'cit-ada', { id, now: time.clock.now() });
    assert.ok(opened !== undefined);
    await app.commit(opened.effect);
    await time.advance(minuteMs, worker.idle);
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [shown.status, timelineLines(shown).includes('email skipped already-read'), provider.calls.length],
      ['read', true, 1],
    );
  });

  check('a message that is read before its mail is due is not mailed', async (t, db) => {
    const { time, app, sink, start } = await createDeliveryApp(t, db);
    const id = parseId('notification', await app.accept({ citizenId: 'cit-ada' }));
    assert.ok(id !== undefined);
    const parts = { read: db.read, citizenKeys: app.citizenKeys, createId: app.createId };
    const opened = await openMessageOfCitizen(parts, 'cit-ada', { id, now: time.clock.now() });
    assert.ok(opened !== undefined);
    await app.commit(opened.effect);
    const worker = await start();
    await worker.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [shown.status, timelineLines(shown).includes('email skipped already-read'), sink.mails],
      ['read', true, []],
    );
  });
}
