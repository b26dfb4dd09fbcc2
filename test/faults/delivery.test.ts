import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, WriteUnknown } from '../../src/db/database.ts';
import type { WriteWithoutEvent } from '../../src/jobs/write-without-event.ts';
import type { Commit } from '../../src/ledger/commit.ts';
import { defaultPolicyFor } from '../../src/notifications/cascade/cascade.ts';
import type { ProviderOutcome } from '../../src/notifications/notification/channel.ts';
import { findWaitingLanes } from '../../src/notifications/notification/delivery-store.ts';
import type { ChannelName } from '../../src/notifications/notification/notification.ts';
import { engines } from '../support/database-engines.ts';
import {
  createDeliveryApp,
  createScriptedChannel,
  minuteMs,
  type NotificationView,
  timelineLines,
  waitOnEventLoopUntil,
} from '../support/delivery-app.ts';

const day = 24 * 60 * minuteMs;

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Database) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  check('each of 300 notifications reaches the relay exactly once with two competing workers', async (t, db) => {
    const { app, sink, start } = await createDeliveryApp(t, db);
    const workers = [await start(), await start()];
    const ids = await Promise.all(Array.from({ length: 300 }, () => app.accept({ citizenId: 'cit-ada' })));
    for (const worker of workers) worker.wake();
    await sink.waitForMails(300);
    for (const worker of workers) await worker.idle();
    for (const worker of workers) assert.equal(await worker.stop(1_000), true);
    const byNotification = sink.mails.map(({ raw }) => /^notification-id: (\S+)/im.exec(raw)?.[1]);
    assert.deepEqual(byNotification.sort(), ids.sort());
    assert.equal(new Set(sink.mails.map(({ messageId }) => messageId)).size, 300);
    const [row] = await db.read("select count(*) as n from delivery where channel = 'email' and status = 'sent'");
    assert.equal(row?.['n'], 300);
    const ended = (await app.events()).filter((type) => type === 'notification.delivery-ended');
    assert.equal(ended.length, 300);
  });

  check('a mail whose process crashes during its call has an unknown outcome, and is not repeated', async (t, db) => {
    const { app, sink, start, takeOver } = await createDeliveryApp(t, db);
    // The process dies when the relay has accepted the mail: the outcome is never stored.
    const dies: Commit = (effect) => (effect.statements.length > 1 ? new Promise(() => undefined) : app.commit(effect));
    const crashed = await start({ commit: dies });
    const id = await app.accept({ citizenId: 'cit-ada' });
    crashed.wake();
    await sink.waitForMails(1);
    const next = await takeOver();
    await next.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      { mails: sink.mails.length, status: shown.status, reason: shown.reason?.code, lines: timelineLines(shown) },
      {
        mails: 1,
        status: 'unknown',
        reason: 'outcome-unknown',
        lines: ['accepted', 'inbox sent', 'email sending 1', 'email unknown 1 outcome-unknown', 'unknown'],
      },
    );
  });

  check('a mail is sent later, and once, after a crash before its call', async (t, db) => {
    const { app, sink, start, takeOver } = await createDeliveryApp(t, db);
    // The process dies during the mark: the job is claimed, but the provider is not called.
    let isDead = false;
    const dies: WriteWithoutEvent = (statement) => {
      isDead ||= statement.sql.includes('set started_at');
      return isDead ? new Promise(() => undefined) : app.claim(statement);
    };
    const crashed = await start({ claim: dies });
    const id = await app.accept({ citizenId: 'cit-ada' });
    crashed.wake();
    await waitOnEventLoopUntil(async () => isDead);
    const next = await takeOver();
    next.wake();
    await sink.waitForMails(1);
    await next.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [shown.status, timelineLines(shown)],
      ['sending', ['accepted', 'inbox sent', 'email sending 2', 'email sent 2']],
    );
  });

  check('a temporary failure is tried again after its delay, and then succeeds', async (t, db) => {
    const { time, app, start } = await createDeliveryApp(t, db);
    const busy: ProviderOutcome = { outcome: 'temporary', reason: 'provider-busy' };
    const provider = createScriptedChannel(busy, busy);
    const worker = await start({ email: provider });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    const waiting = (await app.show(id)) as NotificationView;
    assert.deepEqual([waiting.status, waiting.deliveries[1]?.['status']], ['sending', 'queued']);
    await time.advance(minuteMs / 2 - 1, worker.idle);
    assert.equal(provider.calls.length, 1);
    await time.advance(3 * minuteMs, worker.idle);
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [shown.status, timelineLines(shown), provider.calls.length],
      [
        'delivered',
        [
          'accepted',
          'inbox sent',
          'email sending 1',
          'email retry 1 provider-busy',
          'email sending 2',
          'email retry 2 provider-busy',
          'email sending 3',
          'email delivered 3',
        ],
        3,
      ],
    );
  });

  check('a message that waits for its next attempt delays no message of another client', async (t, db) => {
    const { app, start } = await createDeliveryApp(t, db);
    const provider = createScriptedChannel({ outcome: 'temporary', reason: 'provider-busy' });
    const worker = await start({ email: provider });
    for (const clientId of ['a-office', 'b-office']) {
      await app.accept({ citizenId: 'cit-ada' }, { clientId });
      worker.wake();
      await worker.idle();
    }
    assert.equal(provider.calls.length, 2);
  });

  check(
    'each channel and priority has its own lanes, and each lane has the due time of its first message',
    async (t, db) => {
      const cascade = defaultPolicyFor(new Set(['sms']));
      const { app, time } = await createDeliveryApp(t, db, { cascade });
      await app.accept({ citizenId: 'cit-ada' }, { clientId: 'a-office' });
      await app.accept({ citizenId: 'cit-ada', category: 'urgent' }, { clientId: 'b-office' });
      await app.accept({ citizenId: 'cit-ada', channels: ['sms'] }, { clientId: 'c-office' });
      const lanes = async (channel: ChannelName, priority: 0 | 1) =>
        (await findWaitingLanes(db.read, channel, priority)).map(
          ({ name, runAt }) => `${/.-office/.exec(name)?.[0]} in ${(runAt - time.clock.now()) / day} days`,
        );
      assert.deepEqual(await lanes('email', 1), ['a-office in 0 days']);
      assert.deepEqual(await lanes('email', 0), ['b-office in 0 days']);
      assert.deepEqual(await lanes('sms', 1), ['a-office in 5 days', 'c-office in 0 days']);
      assert.deepEqual(await lanes('sms', 0), ['b-office in 5 days']);
      assert.deepEqual(await lanes('letter', 1), []);
    },
  );

  check('a notification without attempts left is undeliverable, with the reason', async (t, db) => {
    const { time, app, start } = await createDeliveryApp(t, db);
    const down: ProviderOutcome = { outcome: 'temporary', reason: 'provider-unreachable' };
    const provider = createScriptedChannel(down, down, down, down, down);
    const worker = await start({ email: provider });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await time.advance(60 * minuteMs, worker.idle);
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [provider.calls.length, shown.status, shown.reason],
      [
        4,
        'undeliverable',
        {
          code: 'provider-unreachable',
          retryable: true,
          whoActs: 'operator',
          detail: 'The server could not connect to the provider of the channel.',
        },
      ],
    );
  });

  check('an outcome is stored once if the result of its commit is unknown', async (t, db) => {
    const { time, app, start } = await createDeliveryApp(t, db);
    let lost = 0;
    // The unit is stored, but the response is lost.
    const loses: Commit = async (effect) => {
      const rows = await app.commit(effect);
      if (lost === 0 && effect.statements.length > 1) {
        lost += 1;
        throw new WriteUnknown('connection lost');
      }
      return rows;
    };
    const provider = createScriptedChannel();
    const worker = await start({ email: provider, commit: loses });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await waitOnEventLoopUntil(async () => lost === 1);
    await time.advance(minuteMs, async () => undefined);
    await worker.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual([lost, provider.calls.length, timelineLines(shown).at(-1)], [1, 1, 'email delivered 1']);
    const ended = (await app.events()).filter((type) => type === 'notification.delivery-ended');
    assert.equal(ended.length, 1);
  });

  check('a claim whose response was lost is recovered by the same process', async (t, db) => {
    const { time, app, sink, start } = await createDeliveryApp(t, db);
    let lost = 0;
    const loses: WriteWithoutEvent = async (statement) => {
      const rows = await app.claim(statement);
      if (lost === 0 && statement.postgresSql?.includes('skip locked') === true && rows.length > 0) {
        lost += 1;
        throw new WriteUnknown('connection lost');
      }
      return rows;
    };
    const worker = await start({ claim: loses, timing: { pollMs: 1_000, leaseMs: 7_000, recoverMs: 1_000 } });
    await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await waitOnEventLoopUntil(async () => lost === 1);
    await time.advance(10_000, worker.idle);
    assert.equal(sink.mails.length, 1);
  });

  check('urgent messages overtake earlier ones', async (t, db) => {
    const { app, start } = await createDeliveryApp(t, db);
    const provider = createScriptedChannel();
    for (let count = 0; count < 100; count += 1) await app.accept({ citizenId: 'cit-ada' });
    const urgent = await app.accept({ citizenId: 'cit-bo', category: 'urgent' });
    const worker = await start({ email: { ...provider, concurrency: 1 } });
    await worker.idle();
    const [row] = await db.read("select id from delivery where notification_id = $1 and channel = 'email'", [urgent]);
    // It is claimed first. Only the next batch of 48 may be prepared faster.
    const position = provider.calls.indexOf(`${row?.['id']}.1`);
    assert.ok(position >= 0 && position <= 48, `it came as number ${position + 1} of ${provider.calls.length}`);
  });
}
