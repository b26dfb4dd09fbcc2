import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { parseId } from '../../src/kernel/id.ts';
import { learnLate } from '../../src/notifications/callbacks/learn-late.ts';
import { absentChannels, type Channel, type Outcome } from '../../src/notifications/channels/channel.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox.ts';
import { standardPolicyFor } from '../../src/notifications/delivery/cascade.ts';
import { deliveryTiming } from '../../src/notifications/delivery/start-delivery.ts';
import { openMessage } from '../../src/notifications/inbox/citizen-inbox.ts';
import { finalReasonOf, reasonCodes } from '../../src/notifications/reason.ts';
import type { Db } from '../../src/store/db.ts';
import { createDeliveryHouse, linesOf, minute, type Shown, scripted, until } from '../delivery-house.ts';
import { engines } from '../engines.ts';
import { createNotificationHouse } from '../notification-house.ts';

const day = 24 * 60 * minute;

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Db) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  check('a citizen without an address is undeliverable at once, until the inbox is opened', async (t, db) => {
    const { time, house, start } = await createDeliveryHouse(t, db);
    const worker = await start();
    const id = await house.accept({ citizenId: 'cit-no-mail' });
    worker.wake();
    await worker.idle();
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual(
      [shown.status, shown.reason, linesOf(shown)],
      [
        'undeliverable',
        {
          code: 'no-contact',
          retryable: false,
          whoActs: 'sender',
          detail: 'The register has no address of the citizen for this channel; reach the citizen in another way.',
        },
        ['accepted', 'inbox sent', 'email skipped no-contact', 'undeliverable'],
      ],
    );
    const parts = { read: db.read, citizenKeys: house.citizenKeys, mint: house.mint };
    const own = parseId('notification', id);
    assert.ok(own !== undefined);
    const opened = await openMessage(parts, 'cit-no-mail', { id: own, now: time.clock.now() });
    assert.ok(opened !== undefined);
    await house.commit(opened.effect);
    const read = (await house.show(id)) as Shown;
    assert.deepEqual([read.status, read.reason], ['read', undefined]);
  });

  check('a reminder that waits does not hide that every channel has failed, at once or late', async (t, db) => {
    const cascade = standardPolicyFor(new Set(['sms']));
    const { time, house, start } = await createDeliveryHouse(t, db, { cascade });
    const sms = { ...absentChannels.sms, addressOf: () => undefined };
    const email = scripted({ outcome: 'sent' }, { outcome: 'unknown' });
    const worker = await start({ channels: { ...absentChannels, inbox: inboxChannel, email, sms } });
    // Others read nothing of a reminder that waits.
    const knowing = { clientId: 'knowing office' };
    const endings = async (id: string) => {
      const shown = (await house.show(id, knowing)) as Shown;
      const reasons = shown.deliveries.map(
        (one) => (one['reason'] as { code: string } | undefined)?.code ?? one['status'],
      );
      return [shown.status, shown.reason?.code, ...reasons];
    };
    const nobody = await house.accept({ citizenId: 'cit-no-mail' }, knowing);
    worker.wake();
    await worker.idle();
    assert.deepEqual(await endings(nobody), [
      ...['undeliverable', 'no-contact'],
      ...['sent', 'no-contact', 'nothing-to-remind', 'no-contact'],
    ]);

    const bounced = await house.accept({ citizenId: 'cit-ada', channels: ['email'] }, knowing);
    worker.wake();
    await worker.idle();
    assert.deepEqual(await endings(bounced), ['sending', undefined, 'sent', 'sent', 'queued']);
    const [row] = await db.read(
      "select id from delivery where notification_id = $1 and status = 'sent' and channel = 'email'",
      [bounced],
    );
    const delivery = parseId('delivery', String(row?.['id']));
    assert.ok(delivery !== undefined);
    const parts = { ...house, read: db.read, clock: time.clock };
    assert.equal(await learnLate(parts, { delivery, ended: 'failed', reason: 'mailbox-full' }), true);
    assert.deepEqual(await endings(bounced), [
      ...['undeliverable', 'mailbox-full'],
      ...['sent', 'mailbox-full', 'nothing-to-remind'],
    ]);

    // A proof may still come of this one: its reminder waits for that.
    const lost = await house.accept({ citizenId: 'cit-ada', channels: ['email'] }, knowing);
    worker.wake();
    await worker.idle();
    assert.deepEqual(await endings(lost), ['undeliverable', 'outcome-unknown', 'sent', 'outcome-unknown', 'queued']);
    await time.advance(4 * day, worker.idle);
    assert.deepEqual(await endings(lost), [
      ...['undeliverable', 'outcome-unknown'],
      ...['sent', 'outcome-unknown', 'nothing-to-remind'],
    ]);
  });

  check('a citizen whom the register does not know is undeliverable on every channel', async (t, db) => {
    const { house, start } = await createDeliveryHouse(t, db);
    const worker = await start();
    const id = await house.accept({ citizenId: 'cit-who' });
    worker.wake();
    await worker.idle();
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual(
      [shown.status, shown.reason?.code, shown.deliveries.map((one) => one['status'])],
      ['undeliverable', 'citizen-unknown', ['failed', 'failed']],
    );
  });

  check('whoever is told that nothing arrived is told who has to act', async (t, db) => {
    const citizens = { 'cit-declined': { email: 'no@example.org', declined: ['email'] as const } };
    const { house, start } = await createDeliveryHouse(t, db, { citizens });
    const worker = await start();
    const id = await house.accept({ citizenId: 'cit-declined' });
    worker.wake();
    await worker.idle();
    const shown = (await house.show(id)) as Shown;
    assert.equal(shown.status, 'undeliverable');
    assert.partialDeepStrictEqual(shown.reason, { code: 'declined', whoActs: 'sender' });
    assert.partialDeepStrictEqual(shown.deliveries[1]?.['reason'], { code: 'declined', whoActs: 'nobody' });
    const idle = reasonCodes.filter((code) => finalReasonOf(code).whoActs === 'nobody');
    assert.deepEqual(idle, ['content-erased']);
  });

  check('what is scheduled in a week is placed and sent in a week, not before', async (t, db) => {
    const { time, house, start } = await createDeliveryHouse(t, db);
    const provider = scripted();
    const worker = await start({ email: provider });
    const sendAt = new Date(time.clock.now() + 7 * day).toISOString();
    const id = await house.accept({ citizenId: 'cit-ada', sendAt });
    worker.wake();
    await time.advance(7 * day - 1, worker.idle);
    assert.deepEqual([provider.calls.length, (await house.show(id))['status']], [0, 'scheduled']);
    await time.advance(1, worker.idle);
    const shown = (await house.show(id)) as Shown;
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

  check('sent without proof is sending until deliverBy, and then undeliverable', async (t, db) => {
    const { time, house, start } = await createDeliveryHouse(t, db);
    const worker = await start();
    const deliverBy = new Date(time.clock.now() + 60 * minute).toISOString();
    const id = await house.accept({ citizenId: 'cit-ada', deliverBy });
    worker.wake();
    await worker.idle();
    await time.advance(60 * minute - 1, worker.idle);
    assert.equal((await house.show(id))['status'], 'sending');
    await time.advance(1, worker.idle);
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual([shown.status, shown.reason?.code], ['undeliverable', 'no-proof']);
    // The deadline ends what waits, and not what was sent.
    assert.deepEqual(
      shown.deliveries.map(({ status }) => status),
      ['sent', 'sent'],
    );
    const ended = (await house.events()).filter((type) => type === 'notification.undeliverable');
    assert.equal(ended.length, 1);
  });

  check('a message whose citizen was erased is not sent', async (t, db) => {
    const { house, sink, start } = await createDeliveryHouse(t, db);
    const id = await house.accept({ citizenId: 'cit-ada' });
    await db.write([{ sql: "delete from citizen_key where citizen_id = 'cit-ada'" }]);
    // Another process: it has no key of hers in its memory.
    const { citizenKeys } = await createNotificationHouse(db, { now: () => 0 }, {});
    const worker = await start({ citizenKeys });
    await worker.idle();
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual([shown.status, shown.reason?.code, sink.mails], ['undeliverable', 'content-erased', []]);
  });

  check('a relay that goes away after the text came is unknown, and gets no second mail', async (t, db) => {
    const { time, house, sink, start } = await createDeliveryHouse(t, db);
    sink.behave(() => 'drop-after-data');
    const worker = await start();
    const id = await house.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    sink.behave(() => 'accept');
    await time.advance(2 * day, worker.idle);
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual([sink.mails.length, shown.status, shown.reason?.code], [1, 'undeliverable', 'outcome-unknown']);
  });

  check('ten seconds after a crash another process has everything in hand', async (t, db) => {
    const { time, house, start } = await createDeliveryHouse(t, db);
    const never = new Promise<Outcome>(() => undefined);
    const stuck = scripted(
      () => never,
      () => never,
    );
    // The process that dies stops renewing; here its timer stops with it.
    const crashed = await start({ email: stuck, timing: deliveryTiming, timer: () => () => undefined });
    await house.accept({ citizenId: 'cit-ada' });
    await house.accept({ citizenId: 'cit-bo' });
    crashed.wake();
    await until(async () => stuck.calls.length === 2);
    const survivor = await start({ timing: deliveryTiming });
    await time.advance(10_000, survivor.idle);
    assert.deepEqual(await db.read("select id from delivery where status = 'sending'"), []);
    assert.equal((await db.read("select id from delivery where status = 'unknown'")).length, 2);
  });

  check('stopping finishes what was taken, and leaves the rest in the queue', async (t, db) => {
    const { house, start } = await createDeliveryHouse(t, db);
    const held = Promise.withResolvers<Outcome>();
    const provider = scripted(() => held.promise);
    const worker = await start({ email: provider });
    const id = await house.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await until(async () => provider.calls.length === 1);
    const stopped = worker.stop(1_000);
    const later = await house.accept({ citizenId: 'cit-bo' });
    worker.wake();
    held.resolve({ outcome: 'delivered' });
    assert.equal(await stopped, true);
    assert.equal((await house.show(id))['status'], 'delivered');
    // A claim that was under way may have taken it, which has put it back then.
    const waiting = "select status from delivery where notification_id = $1 and channel = 'email'";
    assert.deepEqual(await db.read(waiting, [later]), [{ status: 'queued' }]);
    assert.equal(provider.calls.length, 1);
  });
}

test('whatever the provider says, nothing is open past its deadline and every ending says who acts', async (t) => {
  const [sqlite] = engines;
  assert.ok(sqlite !== undefined);
  const outcome: fc.Arbitrary<Outcome> = fc.oneof(
    fc.constant<Outcome>({ outcome: 'sent' }),
    fc.constant<Outcome>({ outcome: 'delivered' }),
    fc.constant<Outcome>({ outcome: 'unknown' }),
    fc.constant<Outcome>({ outcome: 'permanent', reason: 'address-refused' }),
    fc.nat(3 * day).map((retryAfterMs): Outcome => ({ outcome: 'temporary', reason: 'provider-busy', retryAfterMs })),
  );
  const db = await sqlite.open(t);
  const { time, house, start } = await createDeliveryHouse(t, db);
  let script: Outcome[] = [];
  const call = async () => script.shift() ?? ({ outcome: 'sent' } as const);
  const provider: Channel = { ...scripted(), prepare: async () => ({ call, drop: () => undefined }) };
  const worker = await start({ email: provider });
  await fc.assert(
    fc.asyncProperty(fc.array(outcome, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (outcomes, days) => {
      script = [...outcomes];
      const deliverBy = new Date(time.clock.now() + days * day).toISOString();
      const ids = await Promise.all(
        Object.keys({ ada: 1, bo: 1, who: 1, 'no-mail': 1 }).map((name) =>
          house.accept({ citizenId: `cit-${name}`, deliverBy }),
        ),
      );
      worker.wake();
      await worker.idle();
      await time.advance(days * day, worker.idle);
      for (const id of ids) {
        const shown = (await house.show(id)) as Shown & { reason?: { whoActs: string } };
        assert.ok(shown.status === 'delivered' || shown.reason?.whoActs !== undefined, JSON.stringify(shown));
      }
    }),
    { numRuns: 15 },
  );
  const open = await db.read("select id from notification where status in ('accepted', 'scheduled', 'sending')");
  assert.deepEqual(open, []);
});
