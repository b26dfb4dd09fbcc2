import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parseId } from '../../src/kernel/id.ts';
import type { Channel } from '../../src/notifications/channels/channel.ts';
import { type CascadePolicy, inboxAndEmail } from '../../src/notifications/delivery/cascade.ts';
import { openMessage } from '../../src/notifications/inbox/citizen-inbox.ts';
import type { Db } from '../../src/store/db.ts';
import { createDeliveryHouse, linesOf, minute, type Shown, scripted, settled, until } from '../delivery-house.ts';
import { engines } from '../engines.ts';

const hour = 60 * minute;

/** A channel with one place, which its first message holds in one of the two steps until it is let go. */
function onePlace(stage: 'prepare' | 'call') {
  const held = Promise.withResolvers<void>();
  const counts = { prepared: 0, called: 0, dropped: 0 };
  const channel: Channel = {
    ...scripted(),
    concurrency: 1,
    prepare: async () => {
      counts.prepared += 1;
      if (stage === 'prepare' && counts.prepared === 1) await held.promise;
      return {
        call: async () => {
          counts.called += 1;
          if (stage === 'call' && counts.called === 1) await held.promise;
          return { outcome: 'delivered' };
        },
        drop: () => {
          counts.dropped += 1;
        },
      };
    },
  };
  return { channel, counts, letGo: held.resolve };
}

/** A first message at the place, and a second one that is prepared and waits for it. */
async function twoMessages(
  t: TestContext,
  db: Db,
  { stage = 'call', cascade = inboxAndEmail }: { stage?: 'prepare' | 'call'; cascade?: CascadePolicy } = {},
) {
  const { house, time, start, faults } = await createDeliveryHouse(t, db, { cascade });
  const place = onePlace(stage);
  let later = 0;
  const clock = { now: () => time.clock.now() + later };
  const worker = await start({ email: place.channel, clock });
  const first = await house.accept({ citizenId: 'cit-bo' });
  worker.wake();
  await until(async () => place.counts.prepared === 1);
  const deliverBy = new Date(clock.now() + 24 * hour).toISOString();
  const second = await house.accept({ citizenId: 'cit-ada', deliverBy });
  worker.wake();
  await until(async () => (await db.read("select id from delivery where status = 'sending'")).length === 2);
  await settled(db);
  const show = async (id: string) => (await house.show(id)) as Shown;
  return { ...place, house, time, clock, faults, worker, first, second, show, setLater: (ms: number) => (later = ms) };
}

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Db) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  check('what waited for its place past deliverBy is not sent', async (t, db) => {
    const { counts, letGo, worker, second, show, setLater } = await twoMessages(t, db);
    setLater(24 * hour);
    letGo();
    await worker.idle();
    const shown = await show(second);
    assert.deepEqual(
      [shown.status, shown.reason?.code, linesOf(shown), counts],
      [
        'undeliverable',
        'deadline-passed',
        ['accepted', 'inbox sent', 'email failed deadline-passed', 'undeliverable'],
        { prepared: 1, called: 1, dropped: 0 },
      ],
    );
  });

  check('what was prepared until past deliverBy is not sent', async (t, db) => {
    const { counts, letGo, worker, first, show, setLater } = await twoMessages(t, db, { stage: 'prepare' });
    setLater(365 * 24 * hour);
    letGo();
    await worker.idle();
    const shown = await show(first);
    assert.deepEqual(
      [shown.status, linesOf(shown).includes('email failed deadline-passed'), counts],
      ['undeliverable', true, { prepared: 1, called: 0, dropped: 1 }],
    );
  });

  check('what waited for its place until the citizen had read it is not sent', async (t, db) => {
    const { house, clock, counts, letGo, worker, second, show } = await twoMessages(t, db);
    const id = parseId('notification', second);
    assert.ok(id !== undefined);
    const opened = await openMessage({ ...house, read: db.read }, 'cit-ada', { id, now: clock.now() });
    assert.ok(opened !== undefined);
    await house.commit(opened.effect);
    letGo();
    await worker.idle();
    const shown = await show(second);
    assert.deepEqual(
      [
        shown.status,
        shown.deliveries.map((one) => one['status']),
        linesOf(shown).includes('email skipped already-read'),
        counts,
      ],
      ['read', ['delivered', 'skipped'], true, { prepared: 2, called: 1, dropped: 1 }],
    );
  });

  for (const stage of ['prepare', 'call'] as const) {
    check(`who stops during a ${stage} begins no other call, and leaves the rest in the queue`, async (t, db) => {
      const { counts, letGo, worker, first, second, show } = await twoMessages(t, db, { stage });
      const stopping = worker.stop(25_000);
      letGo();
      assert.equal(await stopping, true);
      const states = [await show(first), await show(second)].map(({ deliveries }) => deliveries.at(-1)?.['status']);
      const expected = {
        prepare: [['queued', 'queued'], { prepared: 1, called: 0, dropped: 1 }],
        call: [['delivered', 'queued'], { prepared: 1, called: 1, dropped: 0 }],
      };
      assert.deepEqual([states, counts], expected[stage]);
    });
  }

  check('what waited for its place into quiet hours waits until they end', async (t, db) => {
    const quiet = { channels: ['email'] as const, from: 8, until: 18, timeZone: 'UTC' };
    const { counts, letGo, worker, second, show, setLater } = await twoMessages(t, db, {
      cascade: { ...inboxAndEmail, quiet },
    });
    // From 9:00 to 19:00.
    setLater(10 * hour);
    letGo();
    await worker.idle();
    const [, email] = (await show(second)).deliveries;
    // The sender is not told until when: the hours may be the citizen's own.
    const [row] = await db.read('select run_at from delivery where id = $1', [String(email?.['id'])]);
    assert.deepEqual(
      [email?.['status'], email?.['nextAttemptAt'], row?.['run_at'], counts],
      ['queued', undefined, Date.UTC(2026, 0, 16, 8), { prepared: 1, called: 1, dropped: 0 }],
    );
  });

  check('an adapter that never prepares gives its place back, and the message is tried again', async (t, db) => {
    const { time, counts, letGo, worker, first, second, show, faults } = await twoMessages(t, db, { stage: 'prepare' });
    await time.advance(15 * minute - 1, () => settled(db));
    assert.deepEqual([counts.prepared, faults], [1, []]);
    await time.advance(1, () => settled(db));
    await worker.idle();
    assert.equal((await show(second)).status, 'delivered');
    await time.advance(2 * minute, worker.idle);
    assert.deepEqual(linesOf(await show(first)).slice(2), [
      'email sending 1',
      'email retry 1 provider-unreachable',
      'email sending 2',
      'email delivered 2',
    ]);
    letGo();
    await settled(db);
    assert.deepEqual(counts, { prepared: 3, called: 2, dropped: 1 });
    assert.deepEqual(faults.map(String), ['Error: email: prepare did not settle within 900000 ms']);
  });

  check('a call that never ends gives its place back, and is unknown', async (t, db) => {
    const { time, counts, letGo, worker, first, second, show, faults } = await twoMessages(t, db);
    await time.advance(15 * minute, () => settled(db));
    await worker.idle();
    letGo();
    await settled(db);
    const shown = await show(first);
    assert.deepEqual(
      [shown.status, shown.reason?.code, (await show(second)).status, counts.called],
      ['undeliverable', 'outcome-unknown', 'delivered', 2],
    );
    assert.deepEqual(faults.map(String), ['Error: email: call did not settle within 900000 ms']);
  });

  check('an urgent message waits for few of those that another client has sent before it', async (t, db) => {
    const { house, start, faults } = await createDeliveryHouse(t, db);
    const begun: string[] = [];
    const held: Array<() => void> = [];
    const email: Channel = {
      ...scripted(),
      prepare: async ({ notification }) => ({
        call: async () => {
          begun.push(notification);
          await new Promise<void>((resolve) => held.push(resolve));
          return { outcome: 'delivered' };
        },
        drop: () => undefined,
      }),
    };
    const urgent = { category: 'urgent', channels: ['email'] };
    await Promise.all(
      Array.from({ length: 200 }, () => house.accept({ citizenId: 'cit-ada', ...urgent }, { clientId: 'flood' })),
    );
    const worker = await start({ email });
    const inHand = async () => (await db.read("select id from delivery where status = 'sending'")).length;
    worker.wake();
    await until(async () => begun.length === email.concurrency && (await inHand()) === 96);
    const other = await house.accept({ citizenId: 'cit-bo', ...urgent }, { clientId: 'other' });
    worker.wake();
    let ended = 0;
    for (; !begun.includes(other); ended += 1) {
      held.shift()?.();
      await until(async () => begun.length === email.concurrency + ended + 1);
      await settled(db);
    }
    assert.ok(ended <= 32, `${ended} calls ended before it had its turn`);
    while (held.length > 0) {
      for (const letGo of held.splice(0)) letGo();
      await settled(db);
    }
    await worker.idle();
    assert.deepEqual([begun.length, faults], [201, []]);
  });
}
