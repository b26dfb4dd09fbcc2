import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../src/db/database.ts';
import { parseId } from '../../src/kernel/id.ts';
import { defaultPolicyFor } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { applyLateReport } from '../../src/notifications/delivery/apply-late-report.ts';
import { deliveryTiming } from '../../src/notifications/delivery/start-delivery.ts';
import { openMessageOfCitizen } from '../../src/notifications/inbox/citizen-inbox.ts';
import {
  type Channel,
  type ProviderOutcome,
  unconfiguredChannels,
} from '../../src/notifications/notification/channel.ts';
import { notificationReasonOf, reasonCodes } from '../../src/notifications/notification/reason.ts';
import { engines } from '../support/database-engines.ts';
import {
  createDeliveryApp,
  createScriptedChannel,
  minuteMs,
  type NotificationView,
  timelineLines,
  waitOnEventLoopUntil,
} from '../support/delivery-app.ts';
import { createNotificationApp } from '../support/notification-app.ts';

const day = 24 * 60 * minuteMs;

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Database) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  check('a notification without an address is undeliverable at once, until the inbox is opened', async (t, db) => {
    const { time, app, start } = await createDeliveryApp(t, db);
    const worker = await start();
    const id = await app.accept({ citizenId: 'cit-no-mail' });
    worker.wake();
    await worker.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [shown.status, shown.reason, timelineLines(shown)],
      [
        'undeliverable',
        {
          code: 'no-contact',
          retryable: false,
          whoActs: 'sender',
          detail: 'The register has no address of the citizen for this channel. Contact the citizen in another way.',
        },
        ['accepted', 'inbox sent', 'email skipped no-contact', 'undeliverable'],
      ],
    );
    const parts = { read: db.read, citizenKeys: app.citizenKeys, createId: app.createId };
    const own = parseId('notification', id);
    assert.ok(own !== undefined);
    const opened = await openMessageOfCitizen(parts, 'cit-no-mail', { id: own, now: time.clock.now() });
    assert.ok(opened !== undefined);
    await app.commit(opened.effect);
    const read = (await app.show(id)) as NotificationView;
    assert.deepEqual([read.status, read.reason], ['read', undefined]);
  });

  check('a waiting reminder does not hide that every channel has failed', async (t, db) => {
    const cascade = defaultPolicyFor(new Set(['sms']));
    const { time, app, start } = await createDeliveryApp(t, db, { cascade });
    const sms = { ...unconfiguredChannels.sms, addressOf: () => undefined };
    const email = createScriptedChannel({ outcome: 'sent' }, { outcome: 'unknown' });
    const worker = await start({ channels: { ...unconfiguredChannels, inbox: inboxChannel, email, sms } });
    // Other clients see nothing of a waiting reminder.
    const knowing = { clientId: 'knowing office' };
    const endings = async (id: string) => {
      const shown = (await app.show(id, knowing)) as NotificationView;
      const reasons = shown.deliveries.map(
        (one) => (one['reason'] as { code: string } | undefined)?.code ?? one['status'],
      );
      return [shown.status, shown.reason?.code, ...reasons];
    };
    const nobody = await app.accept({ citizenId: 'cit-no-mail' }, knowing);
    worker.wake();
    await worker.idle();
    assert.deepEqual(await endings(nobody), [
      ...['undeliverable', 'no-contact'],
      ...['sent', 'no-contact', 'nothing-to-remind', 'no-contact'],
    ]);

    const bounced = await app.accept({ citizenId: 'cit-ada', channels: ['email'] }, knowing);
    worker.wake();
    await worker.idle();
    assert.deepEqual(await endings(bounced), ['sending', undefined, 'sent', 'sent', 'queued']);
    const [row] = await db.read(
      "select id from delivery where notification_id = $1 and status = 'sent' and channel = 'email'",
      [bounced],
    );
    const delivery = parseId('delivery', String(row?.['id']));
    assert.ok(delivery !== undefined);
    const parts = { ...app, read: db.read, clock: time.clock };
    assert.equal(await applyLateReport(parts, { delivery, ended: 'failed', reason: 'mailbox-full' }), true);
    assert.deepEqual(await endings(bounced), [
      ...['undeliverable', 'mailbox-full'],
      ...['sent', 'mailbox-full', 'nothing-to-remind'],
    ]);

    // A proof of this one may still arrive, so its reminder waits.
    const lost = await app.accept({ citizenId: 'cit-ada', channels: ['email'] }, knowing);
    worker.wake();
    await worker.idle();
    assert.deepEqual(await endings(lost), ['unknown', 'outcome-unknown', 'sent', 'outcome-unknown', 'queued']);
    await time.advance(4 * day, worker.idle);
    assert.deepEqual(await endings(lost), [
      ...['unknown', 'outcome-unknown'],
      ...['sent', 'outcome-unknown', 'nothing-to-remind'],
    ]);
  });

  check('a notification to a citizen who is not in the register is undeliverable on every channel', async (t, db) => {
    const { app, start } = await createDeliveryApp(t, db);
    const worker = await start();
    const id = await app.accept({ citizenId: 'cit-who' });
    worker.wake();
    await worker.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [shown.status, shown.reason?.code, shown.deliveries.map((one) => one['status'])],
      ['undeliverable', 'citizen-unknown', ['failed', 'failed']],
    );
  });

  check('an undeliverable notification names who has to act', async (t, db) => {
    const citizens = { 'cit-declined': { email: 'no@example.org', declined: ['email'] as const } };
    const { app, start } = await createDeliveryApp(t, db, { citizens });
    const worker = await start();
    const id = await app.accept({ citizenId: 'cit-declined' });
    worker.wake();
    await worker.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.equal(shown.status, 'undeliverable');
    assert.partialDeepStrictEqual(shown.reason, { code: 'declined', whoActs: 'sender' });
    assert.partialDeepStrictEqual(shown.deliveries[1]?.['reason'], { code: 'declined', whoActs: 'nobody' });
    const idle = reasonCodes.filter((code) => notificationReasonOf(code).whoActs === 'nobody');
    assert.deepEqual(idle, ['content-erased']);
  });

  check('a notification that is scheduled in a week is in the inbox and sent in a week', async (t, db) => {
    const { time, app, start } = await createDeliveryApp(t, db);
    const provider = createScriptedChannel();
    const worker = await start({ email: provider });
    const sendAt = new Date(time.clock.now() + 7 * day).toISOString();
    const id = await app.accept({ citizenId: 'cit-ada', sendAt });
    worker.wake();
    await time.advance(7 * day - 1, worker.idle);
    assert.deepEqual([provider.calls.length, (await app.show(id))['status']], [0, 'scheduled']);
    await time.advance(1, worker.idle);
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [shown.status, shown.deliveries.map((one) => [one['status'], one['endedAt']])],
      [
        'delivered',
        [
          ['sent', sendAt],
          ['delivered', sendAt],
        ],
      ],
    );
  });

  check('a notification that is handed over without proof is sending until deliverBy, and then sent', async (t, db) => {
    const { time, app, start } = await createDeliveryApp(t, db);
    const worker = await start();
    const deliverBy = new Date(time.clock.now() + 60 * minuteMs).toISOString();
    const id = await app.accept({ citizenId: 'cit-ada', deliverBy });
    worker.wake();
    await worker.idle();
    await time.advance(60 * minuteMs - 1, worker.idle);
    assert.equal((await app.show(id))['status'], 'sending');
    await time.advance(1, worker.idle);
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual([shown.status, shown.reason?.code], ['sent', 'no-proof']);
    // The deadline ends waiting deliveries, and no sent one.
    assert.deepEqual(
      shown.deliveries.map(({ status }) => status),
      ['sent', 'sent'],
    );
    const ended = (await app.events()).filter((type) => type === 'notification.sent');
    assert.equal(ended.length, 1);
  });

  check('a message whose citizen was erased is not sent', async (t, db) => {
    const { app, sink, start } = await createDeliveryApp(t, db);
    const id = await app.accept({ citizenId: 'cit-ada' });
    await db.write([{ sql: "delete from citizen_key where citizen_id = 'cit-ada'" }]);
    // Another process, which has no key of this citizen in memory.
    const { citizenKeys } = await createNotificationApp(db, { now: () => 0 }, {});
    const worker = await start({ citizenKeys });
    await worker.idle();
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual([shown.status, shown.reason?.code, sink.mails], ['undeliverable', 'content-erased', []]);
  });

  check('a mail has an unknown outcome if its relay disconnects after the text, and is not repeated', async (t, db) => {
    const { time, app, sink, start } = await createDeliveryApp(t, db);
    sink.setBehaviour(() => 'drop-after-data');
    const worker = await start();
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    sink.setBehaviour(() => 'accept');
    await time.advance(2 * day, worker.idle);
    const shown = (await app.show(id)) as NotificationView;
    assert.deepEqual([sink.mails.length, shown.status, shown.reason?.code], [1, 'unknown', 'outcome-unknown']);
  });

  check('all jobs of a crashed process are recovered by another process within ten seconds', async (t, db) => {
    const { time, app, start } = await createDeliveryApp(t, db);
    const never = new Promise<ProviderOutcome>(() => undefined);
    const stuck = createScriptedChannel(
      () => never,
      () => never,
    );
    // A dead process renews no lease. Here its timer stops.
    const crashed = await start({ email: stuck, timing: deliveryTiming, timer: () => () => undefined });
    await app.accept({ citizenId: 'cit-ada' });
    await app.accept({ citizenId: 'cit-bo' });
    crashed.wake();
    await waitOnEventLoopUntil(async () => stuck.calls.length === 2);
    const survivor = await start({ timing: deliveryTiming });
    await time.advance(10_000, survivor.idle);
    assert.deepEqual(await db.read("select id from delivery where status = 'sending'"), []);
    assert.equal((await db.read("select id from delivery where status = 'unknown'")).length, 2);
  });

  check('a worker that stops finishes its jobs, and leaves the other jobs queued', async (t, db) => {
    const { app, start } = await createDeliveryApp(t, db);
    const held = Promise.withResolvers<ProviderOutcome>();
    const provider = createScriptedChannel(() => held.promise);
    const worker = await start({ email: provider });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await waitOnEventLoopUntil(async () => provider.calls.length === 1);
    const stopped = worker.stop(1_000);
    const later = await app.accept({ citizenId: 'cit-bo' });
    worker.wake();
    held.resolve({ outcome: 'delivered' });
    assert.equal(await stopped, true);
    assert.equal((await app.show(id))['status'], 'delivered');
    // A running claim may have taken it; then it was requeued.
    const waiting = "select status from delivery where notification_id = $1 and channel = 'email'";
    assert.deepEqual(await db.read(waiting, [later]), [{ status: 'queued' }]);
    assert.equal(provider.calls.length, 1);
  });
}

test('for every sequence of provider outcomes, no delivery is open after deliverBy, and every final state names who acts', async (t) => {
  const [sqlite] = engines;
  assert.ok(sqlite !== undefined);
  const outcome: fc.Arbitrary<ProviderOutcome> = fc.oneof(
    fc.constant<ProviderOutcome>({ outcome: 'sent' }),
    fc.constant<ProviderOutcome>({ outcome: 'delivered' }),
    fc.constant<ProviderOutcome>({ outcome: 'unknown' }),
    fc.constant<ProviderOutcome>({ outcome: 'permanent', reason: 'address-refused' }),
    fc
      .nat(3 * day)
      .map((retryAfterMs): ProviderOutcome => ({ outcome: 'temporary', reason: 'provider-busy', retryAfterMs })),
  );
  const db = await sqlite.open(t);
  const { time, app, start } = await createDeliveryApp(t, db);
  let script: ProviderOutcome[] = [];
  const call = async () => script.shift() ?? ({ outcome: 'sent' } as const);
  const provider: Channel = { ...createScriptedChannel(), prepare: async () => ({ call, drop: () => undefined }) };
  const worker = await start({ email: provider });
  await fc.assert(
    fc.asyncProperty(fc.array(outcome, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (outcomes, days) => {
      script = [...outcomes];
      const deliverBy = new Date(time.clock.now() + days * day).toISOString();
      const ids = await Promise.all(
        Object.keys({ ada: 1, bo: 1, who: 1, 'no-mail': 1 }).map((name) =>
          app.accept({ citizenId: `cit-${name}`, deliverBy }),
        ),
      );
      worker.wake();
      await worker.idle();
      await time.advance(days * day, worker.idle);
      for (const id of ids) {
        const shown = (await app.show(id)) as NotificationView & { reason?: { whoActs: string } };
        assert.ok(shown.status === 'delivered' || shown.reason?.whoActs !== undefined, JSON.stringify(shown));
      }
    }),
    { numRuns: 15 },
  );
  const open = await db.read("select id from notification where status in ('accepted', 'scheduled', 'sending')");
  assert.deepEqual(open, []);
});
