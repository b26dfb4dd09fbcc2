import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { parseId } from '../../src/kernel/id.ts';
import { type CascadePolicy, inboxAndEmailPolicy } from '../../src/notifications/cascade/cascade.ts';
import { openMessageOfCitizen } from '../../src/notifications/inbox/citizen-inbox.ts';
import type { Channel } from '../../src/notifications/notification/channel.ts';
import { engines } from '../support/database-engines.ts';
import {
  createDeliveryApp,
  createScriptedChannel,
  minuteMs,
  type NotificationView,
  timelineLines,
  waitForDatabaseIdle,
  waitOnEventLoopUntil,
} from '../support/delivery-app.ts';

const hour = 60 * minuteMs;

/** A channel with one slot. Its first message blocks in the given step until `release` is called. */
function createBlockingChannel(stage: 'prepare' | 'call') {
  const held = Promise.withResolvers<void>();
  const counts = { prepared: 0, called: 0, dropped: 0 };
  const channel: Channel = {
    ...createScriptedChannel(),
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
  return { channel, counts, release: held.resolve };
}

/** A first message in the slot, and a second one that waits for it. */
async function twoMessages(
  t: TestContext,
  db: Database,
  { stage = 'call', cascade = inboxAndEmailPolicy }: { stage?: 'prepare' | 'call'; cascade?: CascadePolicy } = {},
) {
  const { app, time, start, faults } = await createDeliveryApp(t, db, { cascade });
  const blocking = createBlockingChannel(stage);
  let later = 0;
  const clock = { now: () => time.clock.now() + later };
  const worker = await start({ email: blocking.channel, clock });
  const first = await app.accept({ citizenId: 'cit-bo' });
  worker.wake();
  await waitOnEventLoopUntil(async () => blocking.counts.prepared === 1);
  const deliverBy = new Date(clock.now() + 24 * hour).toISOString();
  const second = await app.accept({ citizenId: 'cit-ada', deliverBy });
  worker.wake();
  await waitOnEventLoopUntil(
    async () => (await db.read("select id from delivery where status = 'sending'")).length === 2,
  );
  await waitForDatabaseIdle(db);
  const show = async (id: string) => (await app.show(id)) as NotificationView;
  return { ...blocking, app, time, clock, faults, worker, first, second, show, setLater: (ms: number) => (later = ms) };
}

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Database) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  check('a message that waits for a slot past deliverBy is not sent', async (t, db) => {
    const { counts, release, worker, second, show, setLater } = await twoMessages(t, db);
    setLater(24 * hour);
    release();
    await worker.idle();
    const shown = await show(second);
    assert.deepEqual(
      [shown.status, shown.reason?.code, timelineLines(shown), counts],
      [
        'undeliverable',
        'deadline-passed',
        ['accepted', 'inbox sent', 'email failed deadline-passed', 'undeliverable'],
        { prepared: 1, called: 1, dropped: 0 },
      ],
    );
  });

  check('a message that is prepared past deliverBy is not sent', async (t, db) => {
    const { counts, release, worker, first, show, setLater } = await twoMessages(t, db, { stage: 'prepare' });
    setLater(365 * 24 * hour);
    release();
    await worker.idle();
    const shown = await show(first);
    assert.deepEqual(
      [shown.status, timelineLines(shown).includes('email failed deadline-passed'), counts],
      ['undeliverable', true, { prepared: 1, called: 0, dropped: 1 }],
    );
  });

  check('a message that the citizen reads while it waits for a slot is not sent', async (t, db) => {
    const { app, clock, counts, release, worker, second, show } = await twoMessages(t, db);
    const id = parseId('notification', second);
    assert.ok(id !== undefined);
    const opened = await openMessageOfCitizen({ ...app, read: db.read }, 'cit-ada', { id, now: clock.now() });
    assert.ok(opened !== undefined);
    await app.commit(opened.effect);
    release();
    await worker.idle();
    const shown = await show(second);
    assert.deepEqual(
      [
        shown.status,
        shown.deliveries.map((one) => one['status']),
        timelineLines(shown).includes('email skipped already-read'),
        counts,
      ],
      ['read', ['delivered', 'skipped'], true, { prepared: 2, called: 1, dropped: 1 }],
    );
  });

  for (const stage of ['prepare', 'call'] as const) {
    check(`a worker that stops during ${stage} begins no other call, and leaves the rest queued`, async (t, db) => {
      const { counts, release, worker, first, second, show } = await twoMessages(t, db, { stage });
      const stopping = worker.stop(25_000);
      release();
      assert.equal(await stopping, true);
      const states = [await show(first), await show(second)].map(({ deliveries }) => deliveries.at(-1)?.['status']);
      const expected = {
        prepare: [['queued', 'queued'], { prepared: 1, called: 0, dropped: 1 }],
        call: [['delivered', 'queued'], { prepared: 1, called: 1, dropped: 0 }],
      };
      assert.deepEqual([states, counts], expected[stage]);
    });
  }

  check('a message that waits for a slot until quiet hours begin is sent after they end', async (t, db) => {
    const quiet = { channels: ['email'] as const, from: 8, until: 18, timeZone: 'UTC' };
    const { counts, release, worker, second, show, setLater } = await twoMessages(t, db, {
      cascade: { ...inboxAndEmailPolicy, quiet },
    });
    // From 9:00 to 19:00.
    setLater(10 * hour);
    release();
    await worker.idle();
    const [, email] = (await show(second)).deliveries;
    // `nextAttemptAt` is hidden from the sender, because the hours may be the citizen's own.
    const [row] = await db.read('select run_at from delivery where id = $1', [String(email?.['id'])]);
    assert.deepEqual(
      [email?.['status'], email?.['nextAttemptAt'], row?.['run_at'], counts],
      ['queued', undefined, Date.UTC(2026, 0, 16, 8), { prepared: 1, called: 1, dropped: 0 }],
    );
  });

  check('a preparation that never ends frees its slot, and the message is tried again', async (t, db) => {
    const { time, counts, release, worker, first, second, show, faults } = await twoMessages(t, db, {
      stage: 'prepare',
    });
    await time.advance(15 * minuteMs - 1, () => waitForDatabaseIdle(db));
    assert.deepEqual([counts.prepared, faults], [1, []]);
    await time.advance(1, () => waitForDatabaseIdle(db));
    await worker.idle();
    assert.equal((await show(second)).status, 'delivered');
    await time.advance(2 * minuteMs, worker.idle);
    assert.deepEqual(timelineLines(await show(first)).slice(2), [
      'email sending 1',
      'email retry 1 provider-unreachable',
      'email sending 2',
      'email delivered 2',
    ]);
    release();
    await waitForDatabaseIdle(db);
    assert.deepEqual(counts, { prepared: 3, called: 2, dropped: 1 });
    assert.deepEqual(faults.map(String), ['ChannelTimeout: email: prepare did not end within 900000 ms']);
  });

  check('a call that never ends frees its slot, and its outcome is unknown', async (t, db) => {
    const { time, counts, release, worker, first, second, show, faults } = await twoMessages(t, db);
    await time.advance(15 * minuteMs, () => waitForDatabaseIdle(db));
    await worker.idle();
    release();
    await waitForDatabaseIdle(db);
    const shown = await show(first);
    assert.deepEqual(
      [shown.status, shown.reason?.code, (await show(second)).status, counts.called],
      ['unknown', 'outcome-unknown', 'delivered', 2],
    );
    assert.deepEqual(faults.map(String), ['ChannelTimeout: email: call did not end within 900000 ms']);
  });

  check('an urgent message waits for at most 32 earlier calls of another client', async (t, db) => {
    const { app, start, faults } = await createDeliveryApp(t, db);
    const begun: string[] = [];
    const held: Array<() => void> = [];
    const email: Channel = {
      ...createScriptedChannel(),
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
      Array.from({ length: 200 }, () => app.accept({ citizenId: 'cit-ada', ...urgent }, { clientId: 'flood' })),
    );
    const worker = await start({ email });
    const inProgress = async () => (await db.read("select id from delivery where status = 'sending'")).length;
    worker.wake();
    await waitOnEventLoopUntil(async () => begun.length === email.concurrency && (await inProgress()) === 96);
    const other = await app.accept({ citizenId: 'cit-bo', ...urgent }, { clientId: 'other' });
    worker.wake();
    let ended = 0;
    for (; !begun.includes(other); ended += 1) {
      held.shift()?.();
      await waitOnEventLoopUntil(async () => begun.length === email.concurrency + ended + 1);
      await waitForDatabaseIdle(db);
    }
    assert.ok(ended <= 32, `${ended} calls ended before its call began`);
    while (held.length > 0) {
      for (const release of held.splice(0)) release();
      await waitForDatabaseIdle(db);
    }
    await worker.idle();
    assert.deepEqual([begun.length, faults], [201, []]);
  });
}
