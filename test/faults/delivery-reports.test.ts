import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, WriteBusy } from '../../src/db/database.ts';
import type { WriteWithoutEvent } from '../../src/jobs/write-without-event.ts';
import { parseId } from '../../src/kernel/id.ts';
import type { Commit } from '../../src/ledger/commit.ts';
import { applyLateReport } from '../../src/notifications/delivery/apply-late-report.ts';
import { openMessageOfCitizen } from '../../src/notifications/inbox/citizen-inbox.ts';
import type { ProviderOutcome } from '../../src/notifications/notification/channel.ts';
import { engines } from '../support/database-engines.ts';
import {
  createDeliveryApp,
  createScriptedChannel,
  minuteMs,
  type NotificationView,
  startProviderWebhook,
  timelineLines,
  waitOnEventLoopUntil,
} from '../support/delivery-app.ts';

/** An app whose provider sends reports. `say` returns the status of the response to it. */
async function open(t: TestContext, db: Database, claim?: WriteWithoutEvent) {
  const app = await createDeliveryApp(t, db);
  const { time, faults } = app;
  const say = await startProviderWebhook(t, {
    ...app.app,
    claim: claim ?? app.app.claim,
    read: db.read,
    clock: time.clock,
    onFault: (fault) => faults.push(fault),
  });
  return { ...app, say };
}

/** True if one message waits for its next attempt. */
const isWaiting = async (db: Database) =>
  (await db.read("select id from delivery where status = 'queued'")).length === 1;
const countEarlyReports = async (db: Database) =>
  (await db.read('select id from delivery where early_report is not null')).length;

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Database) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  check('a proof of delivery that arrives before the response is part of the outcome', async (t, db) => {
    const { app, start, say, faults } = await open(t, db);
    const answers: number[] = [];
    const overtaking = async (): Promise<ProviderOutcome> => {
      // A proof overrides failures before and after it.
      for (const status of ['failed', 'delivered', 'delivered', 'failed'])
        answers.push(await say(provider.calls[0], status));
      return { outcome: 'sent', providerRef: 'g1' };
    };
    const provider = createScriptedChannel(overtaking);
    const worker = await start({ email: provider });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [answers, shown.status, timelineLines(shown), await countEarlyReports(db), faults],
      [[200, 200, 200, 200], 'delivered', ['accepted', 'inbox sent', 'email sending 1', 'email delivered 1'], 0, []],
    );
    assert.equal((await app.events()).filter((type) => type === 'notification.delivery-ended').length, 1);
  });

  check('a failure that arrives before the response is part of the outcome', async (t, db) => {
    const { app, start, say } = await open(t, db);
    const provider = createScriptedChannel(async () => {
      assert.equal(await say(provider.calls[0], 'failed'), 200);
      return { outcome: 'sent' };
    });
    const worker = await start({ email: provider });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [shown.status, shown.reason?.code, timelineLines(shown).at(-2)],
      ['undeliverable', 'address-refused', 'email failed 1 address-refused'],
    );
  });

  check('a proof of delivery that arrives while the outcome is stored is not lost', async (t, db) => {
    const { app, start, say } = await open(t, db);
    const provider = createScriptedChannel({ outcome: 'sent' });
    let interruptions = 0;
    // Everything is read and decided, and the report arrives before the write.
    const interrupted: Commit = async (effect) => {
      if (interruptions === 0 && provider.calls.length === 1) {
        interruptions += 1;
        assert.equal(await say(provider.calls[0], 'delivered'), 200);
      }
      return await app.commit(effect);
    };
    const worker = await start({ email: provider, commit: interrupted });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    assert.deepEqual([interruptions, (await app.show(id))['status'], await countEarlyReports(db)], [1, 'delivered', 0]);
  });

  check('a proof of delivery that arrives between a crash and its recovery is not lost', async (t, db) => {
    const { app, start, takeOver, say } = await open(t, db);
    const provider = createScriptedChannel(() => new Promise(() => undefined));
    const dead = await start({ email: provider });
    const id = await app.accept({ citizenId: 'cit-ada' });
    dead.wake();
    await waitOnEventLoopUntil(async () => provider.calls.length === 1);
    assert.equal(await say(provider.calls[0], 'delivered'), 200);
    const next = await takeOver({ email: provider });
    await next.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [shown.status, timelineLines(shown).at(-1), provider.calls.length],
      ['delivered', 'email delivered 1', 1],
    );
  });

  check('a proof of a rejected attempt ends the retries, and a failure does not', async (t, db) => {
    const { time, app, start, say } = await open(t, db);
    const busy: ProviderOutcome = { outcome: 'temporary', reason: 'provider-busy' };
    const provider = createScriptedChannel(busy, busy);
    const worker = await start({ email: provider });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    assert.equal(await say(provider.calls[0], 'failed'), 200);
    assert.equal((await app.show(id))['status'], 'sending');
    await time.advance(minuteMs, worker.idle);
    assert.equal(provider.calls.length, 2);
    assert.equal(await say(provider.calls[1], 'delivered'), 200);
    await time.advance(30 * minuteMs, worker.idle);
    assert.deepEqual([(await app.show(id))['status'], provider.calls.length], ['delivered', 2]);
  });

  check('a proof is accepted for a mail that was read while it waits for its next attempt', async (t, db) => {
    const { time, app, start, say } = await open(t, db);
    const provider = createScriptedChannel({ outcome: 'temporary', reason: 'provider-busy' });
    const worker = await start({ email: provider });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    const own = parseId('notification', id) ?? assert.fail();
    const parts = { read: db.read, citizenKeys: app.citizenKeys, createId: app.createId };
    const opened = (await openMessageOfCitizen(parts, 'cit-ada', { id: own, now: time.clock.now() })) ?? assert.fail();
    await app.commit(opened.effect);
    assert.equal(await say(provider.calls[0], 'delivered'), 200);
    await time.advance(30 * minuteMs, worker.idle);
    const { status, deliveries } = (await app.show(id)) as NotificationView;
    assert.deepEqual([status, deliveries.map((one) => one['status'])], ['read', ['delivered', 'delivered']]);
    assert.equal(provider.calls.length, 1);
  });

  check('a failure of an earlier attempt changes neither the running attempt nor its outcome', async (t, db) => {
    const { time, app, start, say } = await open(t, db);
    const fails = async (): Promise<ProviderOutcome> => {
      assert.equal(await say(provider.calls[0], 'failed'), 200);
      return { outcome: 'sent' };
    };
    const provider = createScriptedChannel({ outcome: 'temporary', reason: 'provider-busy' }, fails);
    const worker = await start({ email: provider });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await time.advance(minuteMs, worker.idle);
    assert.equal(await say(provider.calls[0], 'failed'), 200);
    assert.equal(timelineLines((await app.show(id)) as NotificationView).at(-1), 'email sent 2');
    assert.equal(await say(provider.calls[1], 'failed'), 200);
    assert.equal((await app.show(id))['status'], 'undeliverable');
  });

  check('a proof of an earlier attempt during the next mark is applied to the running attempt', async (t, db) => {
    const { time, app, start } = await open(t, db);
    const marking = Promise.withResolvers<void>();
    let marks = 0;
    const delayedMark: WriteWithoutEvent = async (statement) => {
      if (statement.sql.includes('set started_at') && marks++ === 1) await marking.promise;
      return await app.claim(statement);
    };
    const answer = Promise.withResolvers<ProviderOutcome>();
    const provider = createScriptedChannel({ outcome: 'temporary', reason: 'provider-busy' }, () => answer.promise);
    const worker = await start({ email: provider, claim: delayedMark });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    await time.advance(minuteMs, () => waitOnEventLoopUntil(async () => marks === 2 || (await isWaiting(db))));
    await waitOnEventLoopUntil(async () => marks === 2);
    let interruptions = 0;
    const interrupted: Commit = async (effect) => {
      if (interruptions++ === 0) {
        marking.resolve();
        await waitOnEventLoopUntil(async () => provider.calls.length === 2);
      }
      return await app.commit(effect);
    };
    const delivery = parseId('delivery', (provider.calls[0] ?? '').replace(/\.1$/, ''));
    assert.ok(delivery !== undefined);
    const parts = { ...app, commit: interrupted, read: db.read, clock: time.clock };
    assert.equal(await applyLateReport(parts, { delivery, ended: 'delivered' }), true);
    answer.resolve({ outcome: 'sent' });
    await worker.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual([shown.status, timelineLines(shown).at(-1)], ['delivered', 'email delivered 2']);
  });

  check('a delivery report that cannot be stored gets 503', async (t, db) => {
    const { app, start, say, faults } = await open(t, db, async () => {
      throw new WriteBusy('busy');
    });
    const answers: number[] = [];
    const provider = createScriptedChannel(async () => {
      answers.push(await say(provider.calls[0], 'delivered'));
      return { outcome: 'sent' };
    });
    const worker = await start({ email: provider });
    await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    assert.deepEqual([answers, faults.length], [[503], 1]);
  });
}
